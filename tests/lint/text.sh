#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source names its licence in its first line (second after "#!"), and
# holds neither promises nor private paths.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

# ours: all sources that people write.
ours ()
{
    printf '%s\n' Makefile.am configure.ac bootstrap quickstart.sh check.sh
    for pattern in '*.[ch]' '*.cu' '*.sh' '*.mk' '*.in' '*.map' '*.py'
    do
        sources "$pattern" core plugins sdk tools tests bench examples docs
    done
    ls build-aux/count-tests.sh build-aux/packages.sh \
        build-aux/static-plugins.sh
}

verdict "a line of licence" "$(
    ours | while read -r file
    do
        awk '
            FNR == 1 && /^#!/ { next }
            /SPDX-License-Identifier: MIT/ { found = 1 }
            { exit }
            END { exit !found }' "$file" || printf '%s\n' "$file"
    done
)"

# search EXPRESSIONS: the lines of the files on the input that hold one.
search ()
{
    grep -v '^tests/lint/' | xargs grep -nIE -e "$1" /dev/null
}

texts ()
{
    ours
    ls ./*.md 2>/dev/null
    sources '*.md' docs sdk plugins tests bench examples
    sources '*.yaml' examples
}

verdict "no promises of later work" "$(
    ours | search '\<(TODO|FIXME|XXX|HACK)\>|[Nn]ot implemented|[Ff]or now\>|[Pp]laceholder'
)"
verdict "no paths of somebody's machine" "$(
    texts | search '(^|[^A-Za-z0-9_.])/(work|home|root)/|\.\./shared'
)"
exit $status
