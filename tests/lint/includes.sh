#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may include what: the arrows of docs/DESIGN.md, section 1.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

# includes FOLDER...: FILE:LINE:INCLUDED of every include.
includes ()
{
    sources '*.[ch]' "$@" | while read -r file
    do
        awk -v file="$file" '/^[ \t]*#[ \t]*include/ {
            sub(/^[ \t]*#[ \t]*include[ \t]*/, ""); sub(/[ \t]*\/\*.*/, "")
            print file ":" FNR ":" $0 }' "$file"
    done
}

verdict "plugins and the template include no header but the SDK's" "$(
    includes plugins sdk/template sdk/include/nn |
        grep -E '["<](core/|tools/|tests/|plugins/|\.\.|nervenet\.h|config\.h)'
)"

# Between a plugin's own files a quoted name without a folder is enough.
verdict "a plugin reaches no other plugin" "$(
    includes plugins sdk/template | grep -E ':"[^"]*/'
)"

# A folder of core sees itself and what stands before it in this order.
verdict "inside core only downwards" "$(
    includes core | grep '"core/' | awk -F: '
        BEGIN {
            n = split("util registry config graph memory network store " \
                      "model training", order, " ")
            for (i = 1; i <= n; i++) rank[order[i]] = i
        }
        {
            split($1, from, "/"); split($3, to, "/")
            a = from[2]; b = to[2]
            if (a == "reference") good = b == "reference" || b == "util"
            else if (b == "reference") good = a ~ /^(registry|network|model|training)$/
            else good = rank[a] && rank[b] && rank[b] <= rank[a]
            if (!good) print
        }'
)"

verdict "core names its own headers from the root" "$(
    includes core | grep -E ':"' | grep -vE ':"(core/|config\.h")'
)"

verdict "only the registry uses libltdl" "$(
    includes core tools | grep -E '[<"](ltdl\.h|libltdl/)' |
        grep -v '^core/registry/'
)"

verdict "tools see nervenet.h, the SDK and their own headers" "$(
    includes tools tests/conformance bench examples |
        grep -E '["<](core/|plugins/|\.\.)'
)"

verdict "only tests of the insides see core's headers" "$(
    includes tests | grep '"core/' | grep -vE '^tests/(unit|fuzz|plugins)/'
)"
exit $status
