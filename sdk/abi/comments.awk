# SPDX-License-Identifier: MIT
# comments.awk HEADER... - what the headers leave without a comment, one finding
# a line.  A function has a comment above it that ends with its tag: [setup],
# [compute] or [any].  A struct or constant has one above it; a member one beside
# or above it.  A comment above stands for all that follows up to an empty line.

function find(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }

# The tag of the comment in force.
function tagged() { return above ~ /\[(setup|compute|any)\]/ }

FNR == 1 {
    above = pending = ""
    inside = in_struct = in_define = in_body = in_data = beside = 0
}

in_define || /^#[ \t]*define/ { in_define = /\\$/; next }
!in_data && (/^#/ || /^[ \t]*NN_[A-Z_0-9]+(\(|$)/ || /^__attribute__/) { next }
/^$/ { if (!inside) above = ""; next }

# A comment by itself.
inside { above = above " " $0; if (/\*\//) inside = 0; next }
/^[ \t]*\/\*/ && !/\*\/[ \t]*[^ \t]/ {
    above = $0
    if (!/\*\//) inside = 1
    next
}
beside { beside = !/\*\//; next }

# The body of a function.
in_body { if (/^\}/) in_body = 0; next }
/^\{/ { in_body = 1; next }

# Constants.
in_data || /^static const [^(]*=/ {
    if (!in_data && above == "") find("no comment above " $0)
    in_data = !/;$/
    next
}

# Structs and their members.
/^(typedef )?struct nn_[a-z_]+ \{/ {
    in_struct = 1
    if (above == "") find("no comment above " $0)
    above = ""
    next
}
in_struct && /^\}/ { in_struct = 0; above = ""; next }

{
    line = $0
    noted = match(line, /\/\*/)
    beside = noted && line !~ /\*\//
    sub(/[ \t]*\/\*.*/, "", line)
    pending = pending " " line
    if (line !~ /[;{]$/ && !(line ~ /\)$/ && !in_struct)) next
    whole = pending
    pending = ""
    gsub(/[ \t]+/, " ", whole)
    if (whole ~ /^ (typedef |extern |enum )/) next
    if (in_struct && whole ~ /\(\*/) {
        if (!tagged()) find("no tag above" whole)
    } else if (in_struct) {
        if (!noted && above == "") find("no comment at" whole)
    } else if (whole ~ /\(/ && !tagged()) {
        find("no tag above" whole)
    }
}
