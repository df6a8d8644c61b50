# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# lint.sh - what the scripts of this folder share.  Sourced; it enters the root
# of the source tree.
set -u
cd "${abs_top_srcdir:-$(dirname "$0")/../..}" || exit 99
status=0

# verdict NAME FINDINGS: one result; findings are one a line, none is good.
verdict ()
{
    if test -z "$2"
    then
        printf 'ok %s\n' "$1"
    else
        printf '%s\n' "$2" | sed 's/^/    /'
        printf 'not ok %s\n' "$1"
        status=1
    fi
}

# sources PATTERN FOLDER...: files of ours, sorted; a folder may be missing.
sources ()
{
    pattern=$1
    shift
    for folder
    do
        test ! -e "$folder" || find "$folder" -type f -name "$pattern"
    done | LC_ALL=C sort
}

# code FILE: the text of a C file with comments blanked, lines kept.
code ()
{
    awk '
        {
            line = $0; out = ""
            while (line != "") {
                if (inside) {
                    end = index(line, "*/")
                    if (!end) { line = ""; break }
                    line = substr(line, end + 2); inside = 0
                } else if (match(line, /"([^"\\]|\\.)*"|\/\*/)) {
                    out = out substr(line, 1, RSTART - 1)
                    if (substr(line, RSTART, 2) == "/*") inside = 1
                    else out = out substr(line, RSTART, RLENGTH)
                    line = substr(line, RSTART + RLENGTH)
                } else { out = out line; line = "" }
            }
            print out
        }' "$1"
}
