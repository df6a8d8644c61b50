#!/bin/sh
# SPDX-License-Identifier: MIT
# What libnervenet exports is what sdk/abi/symbols.txt lists, and that is what
# nervenet.h declares.  A line of the list is never removed after a release.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
list=sdk/abi/symbols.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# differences LIST NAMES: what one has and the other has not.
differences ()
{
    LC_ALL=C comm -23 "$1" "$2" | sed 's/$/ is gone/'
    LC_ALL=C comm -13 "$1" "$2" | sed "s,\$, is not in $list,"
}

LC_ALL=C awk '
    /^NN_API/ { inside = 1 }
    inside { text = text " " $0 }
    inside && /;/ {
        match(text, /nn_[a-z_]+\(/)
        print substr(text, RSTART, RLENGTH - 1)
        text = ""; inside = 0
    }' sdk/include/nervenet.h | LC_ALL=C sort >"$scratch/declared"

verdict "the list of symbols is sorted" "$(LC_ALL=C sort -cu $list 2>&1)"
verdict "nervenet.h declares the listed symbols" \
    "$(differences $list "$scratch/declared")"

library=${abs_top_builddir:-.}/.libs/libnervenet.so
if test -e "$library"
then
    ${NM:-nm} -D --defined-only "$library" |
        awk '{ sub(/@.*/, "", $3) } $3 ~ /^nn_/ { print $3 }' |
        LC_ALL=C sort -u >"$scratch/exported"
    verdict "libnervenet exports the listed symbols" \
        "$(differences $list "$scratch/exported")"
else
    echo "skip exported symbols: there is no shared library"
fi

# The check itself.
sed '/^nn_free$/d; s/^nn_version$/nn_vision/' $list >"$scratch/changed"
verdict "finds a symbol that is gone, and one that is new" "$(
    differences $list "$scratch/changed" | LC_ALL=C sort | tr '\n' ';' | grep -vxF \
        "nn_free is gone;nn_version is gone;nn_vision is not in $list;"
)"
exit $status
