#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions have at most 60 lines, numeric kernels at most 100, files at most
# 700.  length.txt holds the exceptions, "FILE FUNCTION LINES"; an entry that
# is larger than need be is an error too, so that the list only shrinks.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

# functions: FILE FUNCTION LINES of every function, brace to brace.
functions ()
{
    sources '*.[ch]' core plugins sdk tools tests bench |
        while read -r file
        do
            awk -v file="$file" '
                /^[A-Za-z_].*\(/ && !/;[ \t]*$/ {
                    name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
                /^\{/ { start = FNR }
                /^\}/ && start { print file, name, FNR - start + 1; start = 0 }
            ' "$file"
        done
}

files ()
{
    sources '*.[ch]' core plugins sdk tools tests bench | while read -r file
    do
        printf '%s - %d\n' "$file" "$(wc -l <"$file")"
    done
}

# judge: the measured lines against limits and exceptions.
judge ()
{
    awk '
        FNR == NR { if (!/^#/ && NF == 3) allowed[$1 " " $2] = $3; next }
        {
            limit = 60
            if ($1 ~ /^core\/reference\// || $1 ~ /^plugins\/backends\//)
                limit = 100
            if ($2 == "-") limit = 700
            key = $1 " " $2
            if (key in allowed) {
                if ($3 > allowed[key])
                    print key ": " $3 " lines, its exception is " allowed[key]
                else if ($3 < allowed[key])
                    print key ": " $3 " lines, lower its exception in length.txt"
                delete allowed[key]
            } else if ($3 > limit)
                print key ": " $3 " lines, more than " limit
        }
        END { for (key in allowed) print key ": is gone, drop its exception" }
    ' tests/lint/length.txt -
}

verdict "functions and files are short" "$({ functions; files; } | judge)"
exit $status
