#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source and every test is in a list of the build, and every plugin's
# entry bears the name of its module.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

lists=$(sources '*.mk' core plugins sdk tools tests bench examples docs)

# unlisted FILE...: those whose path from a list's folder, or from the root, is
# in no list.  A unit test is listed without its ".c".
unlisted ()
{
    while read -r file
    do
        found=no
        for list in $lists
        do
            folder=$(dirname "$list")
            name=${file#"$folder"/}
            if test "$name" != "$file" &&
                grep -qE "(%D%/(${name}|${name%.c})|[[:space:]]$file)([[:space:]]|\$)" "$list"
            then
                found=yes
            fi
        done
        test $found = yes || printf '%s\n' "$file"
    done
}

verdict "every source is in a local.mk" "$(
    {
        sources '*.[ch]' core plugins tools sdk/include tests/unit \
            tests/conformance tests/fuzz
        sources '*.sh' tests
    } | unlisted
)"

verdict "an entry is named KIND_NAME like its module" "$(
    for list in plugins/*/local.mk
    do
        folder=$(dirname "$list")
        awk -v folder="$folder" '
            /^nn_plugins \+= / { m = $3; sub(/.*\//, "", m); sub(/\.la$/, "", m)
                                 gsub(/-/, "_", m) }
            { n = split($0, word, /[ \t]+/)
              for (i = 1; i <= n; i++)
                  if (word[i] ~ /^%D%\/.*\.c$/)
                      print m, folder "/" substr(word[i], 5) }' "$list"
    done | while read -r module file
    do
        grep -H '^NN_PLUGIN_ENTRY(' "$file" | grep -vF "NN_PLUGIN_ENTRY($module)"
    done
)"
exit $status
