#!/bin/sh
# SPDX-License-Identifier: MIT
# Every header of the SDK compiles alone, as C11 and as C++17, without a
# warning.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

: "${CC:=cc}" "${CXX:=c++}"
strict='-Isdk/include -pedantic -Wall -Wextra -Werror -fsyntax-only'

# alone NAME COMPILER...: each header by itself.
alone ()
{
    name=$1
    shift
    verdict "$name" "$(
        sources '*.h' sdk/include | while read -r header
        do
            # shellcheck disable=SC2086 # a list of flags
            printf '#include <%s>\n' "${header#sdk/include/}" |
                "$@" $strict - 2>&1 | grep -m 3 -E "error|warning"
        done
    )"
}

# shellcheck disable=SC2086 # CC may hold flags
alone "each header compiles alone as C11" $CC -std=c11 -Wstrict-prototypes -x c
if test "$CXX" = no
then
    echo "skip each header compiles alone as C++17: no C++ compiler"
else
    # shellcheck disable=SC2086
    alone "each header compiles alone as C++17" $CXX -std=c++17 -x c++
fi
exit $status
