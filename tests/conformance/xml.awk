# SPDX-License-Identifier: MIT
# xml.awk - says what is wrong with a document of elements, attributes and text:
# tags that do not match, a bare & or <, control characters.
function wrong(what) { print "bad: line " NR ": " what }
NR == 1 {
    if ($0 != "<?xml version=\"1.0\" encoding=\"UTF-8\"?>") wrong("no declaration")
    next
}
{
    if ($0 ~ /[\001-\010\013\014\016-\037]/) wrong("control character")
    rest = $0
    while (match(rest, /[<&]/)) {
        rest = substr(rest, RSTART)
        if (match(rest, /^&(amp|lt|gt|quot|#[0-9]+);/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (match(rest, /^<\/[a-z-]+>/)) {
            name = substr(rest, 3, RLENGTH - 3)
            if (!depth || open_[depth--] != name) wrong("</" name ">")
            rest = substr(rest, RLENGTH + 1)
        } else if (match(rest, /^<[a-z-]+( [a-z]+="[^"<]*")*\/?>/)) {
            tag = substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
            attributes = tag
            gsub(/&(amp|lt|gt|quot|#[0-9]+);/, "", attributes)
            if (attributes ~ /&/) wrong("bare & in " tag)
            name = substr(tag, 2)
            sub(/[ \/>].*/, "", name)
            if (tag !~ /\/>$/) open_[++depth] = name
        } else {
            wrong("bare " substr(rest, 1, 1))
            rest = substr(rest, 2)
        }
    }
}
END { if (depth) wrong("<" open_[depth] "> is not closed") }
