#!/bin/sh
# SPDX-License-Identifier: MIT
# Every block of code in the manual is right.  Behind the language of a fenced
# block stands how it is tried:
#
#     yaml nn-check         a whole config: `nn check` accepts it
#     yaml nn-part          some sections; the others come from base.yaml
#     yaml nn-refused WORD  the same, but `nn check` refuses it and says WORD
#     c nn-compile          a plugin: compiles with the SDK's headers alone
#     c nn-program          a program: compiles, and links libnervenet
#     sh                    the shell can read it, and nn has its commands
#
# Blocks of other languages (text) are not tried; yaml, c and sh always are.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
built=${abs_top_builddir:-}
nn=${NN:-}
test -n "$nn" && test -x "$nn" || nn=

# Blocks go to $scratch/NUMBER, their origin and words to $scratch/list.
# shellcheck disable=SC2046 # names without blanks
awk -v folder="$scratch" '
    FNR == 1 { inside = 0 }
    /^[ \t]*```/ && !inside {
        inside = 1
        words = $0
        sub(/^[ \t]*```/, "", words)
        printf "%d %s:%d %s\n", ++n, FILENAME, FNR, words > (folder "/list")
        block = folder "/" n
        printf "" > block
        next
    }
    /^[ \t]*```/ { inside = 0; close(block); next }
    inside { print > block }
' README.md $(sources '*.md' docs)

# complete BLOCK: the block, and what it lacks of base.yaml.
complete ()
{
    awk '
        FNR == NR { if (match($0, /^[a-z_]+:/)) has[substr($0, 1, RLENGTH)] = 1
                    text = text $0 "\n"; next }
        match($0, /^[a-z_]+:/) { wanted = !(substr($0, 1, RLENGTH) in has) }
        wanted { print }
        END { printf "%s", text }' "$1" tests/docs/base.yaml
}

# accepts BLOCK, refuses BLOCK WORD: findings.
accepts ()
{
    "$nn" check "$1" >"$scratch/said" 2>&1 || cat "$scratch/said"
}

refuses ()
{
    if "$nn" check "$1" >"$scratch/said" 2>&1
    then
        echo "nn check accepts it"
    elif ! grep -qF -e "$2" "$scratch/said"
    then
        echo "nn check does not say: $2"
        cat "$scratch/said"
    fi
}

strict='-Wall -Wextra -Wpedantic -Werror -Isdk/include'

compiles ()
{
    # shellcheck disable=SC2086 # lists of flags
    ${CC:-cc} -std=c11 $strict -shared -fPIC -Wl,-z,defs -x c "$1" \
        -o "$scratch/out" -lm 2>&1
}

# Links with the library of this build; a sanitized one, which wants more than
# a user's command has, is left out.
links ()
{
    if test -e "$built/.libs/libnervenet.so" &&
        ! ${NM:-nm} -D "$built/.libs/libnervenet.so" | grep -q ' U __[a-z]*san_'
    then
        # shellcheck disable=SC2086
        ${CC:-cc} -std=c11 $strict -x c "$1" -o "$scratch/out" \
            -L"$built/.libs" -lnervenet -lm 2>&1
    else
        # shellcheck disable=SC2086
        ${CC:-cc} -std=c11 $strict -fsyntax-only -x c "$1" 2>&1
    fi
}

shell ()
{
    sh -n "$1" 2>&1
    test -n "$nn" || return 0
    grep -oE '^(\./)?nn [a-z]+' "$1" | awk '{ print $2 }' | LC_ALL=C sort -u |
        while read -r command
        do
            "$nn" "$command" --help >/dev/null 2>&1 ||
                echo "there is no command: nn $command"
        done
}

skipped=no
while read -r number origin language test word
do
    block=$scratch/$number
    case "$language $test" in
    "yaml nn-check" | "yaml nn-part" | "yaml nn-refused")
        if test -z "$nn"
        then
            skipped=yes
            continue
        fi
        case $test in
        nn-check) cp "$block" "$block.yaml" ;;
        *) complete "$block" >"$block.yaml" ;;
        esac
        case $test in
        nn-refused) verdict "$origin is refused" "$(refuses "$block.yaml" "$word")" ;;
        *) verdict "$origin is a config" "$(accepts "$block.yaml")" ;;
        esac
        ;;
    "c nn-compile") verdict "$origin compiles" "$(compiles "$block")" ;;
    "c nn-program") verdict "$origin is a program" "$(links "$block")" ;;
    "sh "*) verdict "$origin is for the shell" "$(shell "$block")" ;;
    yaml* | "c "* | " "*)
        verdict "$origin says how it is tried" "the words behind the fence are: $language $test"
        ;;
    esac
done <"$scratch/list"
test $skipped = no || echo "skip configs in the manual: there is no nn"

# The test itself.
printf 'network: [{fully_connected: {sise: 3}}]\n' >"$scratch/wrong"
printf 'int32_t x(void) { return 0; }\n' >"$scratch/wrong.c"
verdict "a block that does not compile is found" \
    "$(test -n "$(compiles "$scratch/wrong.c")" || echo "it compiles")"
if test -n "$nn"
then
    complete "$scratch/wrong" >"$scratch/wrong.yaml"
    verdict "a config that is wrong is found" \
        "$(test -n "$(accepts "$scratch/wrong.yaml")" || echo "it is accepted")"
fi

# The command by which the manual compiles a layer, as it stands there.
scratch_layer ()
{
    mkdir -p "$scratch/layer/p"
    cp sdk/template/layer/layer.c "$scratch/layer/mylayer.c"
    command=$(grep -h '^cc -shared .*mylayer\.c' README.md docs/plugins.md | LC_ALL=C sort -u)
    test "$(printf '%s\n' "$command" | wc -l)" = 1 ||
        echo "there is not one command, but: $command"
    sdk=$PWD/sdk/include
    (
        cd "$scratch/layer" || exit
        # shellcheck disable=SC2046,SC2086 # words of a command
        ${CC:-cc} $(printf '%s' "${command#cc }" | sed "s,-Isdk/include,-I$sdk,") 2>&1
        test -f p/mylayer.so || echo "there is no p/mylayer.so"
    )
    test -n "$nn" || return 0
    NN_PLUGIN_PATH=$scratch/layer/p "$nn" plugins square 2>&1 |
        grep -q square || echo "nn plugins does not know it"
}
verdict "the command that compiles a layer" "$(scratch_layer)"

# Links between pages.
verdict "every link leads to a file" "$(
    for page in README.md $(sources '*.md' docs)
    do
        grep -oE '\]\([^)#:]+' "$page" | sed 's/^](//' | while read -r target
        do
            test -e "$(dirname "$page")/$target" ||
                printf '%s: there is no %s\n' "$page" "$target"
        done
    done
)"
exit $status
