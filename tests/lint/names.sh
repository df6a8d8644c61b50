#!/bin/sh
# SPDX-License-Identifier: MIT
# Core knows no component by name.  names.txt lists words that are a
# component's name and something else too.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

# components: the names of files, folders and descriptors of plugins.
components ()
{
    sources '*.c' plugins | awk -F/ '{ sub(/\.c$/, "", $3); print $3 }'
    sources '*.c' plugins | xargs awk '
        /nn_component [a-z_]+(\[\])? = \{/ { inside = 1 }
        inside && /\.name = "/ { sub(/.*\.name = "/, ""); sub(/".*/, ""); print }
        /^\};/ { inside = 0 }' /dev/null
}

allowed=$(sed 's/#.*//' tests/lint/names.txt)
pattern=$(components | LC_ALL=C sort -u |
    grep -vxF -e "$allowed" | tr '\n' '|' | sed 's/|$//')
verdict "no component's name in core" "$(
    test -z "$pattern" || sources '*.[ch]' core | while read -r file
    do
        code "$file" | grep -nE "\"($pattern)\"" | sed "s,^,$file:,"
    done
)"
exit $status
