#!/bin/sh
# SPDX-License-Identifier: MIT
# Every animal of this folder is a plugin that is wrong in one way, and the
# checks that see it are exactly those that its first comment names:
#
#     expect: ID       the check that it is for; `none` for a good one
#     also: ID REASON  another one that sees it too, and why
#     handler: TEXT    what it computes with, if that is not cpu
#
# Each is compiled as a stranger would, runs through level `basic` and through
# its own check.  A good one is green at every level.  Every check has an animal.
#
# In the build folder `sh .../tests/zoo/zoo.sh ANIMAL...` runs these alone.
set -u
: "${abs_top_builddir:=$(pwd)}"
: "${abs_top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
export abs_top_builddir abs_top_srcdir
zoo=$abs_top_srcdir/tests/zoo
here=$abs_top_builddir/tests/zoo
tool=$abs_top_builddir/nn-conformance
status=0

# stated KEY ANIMAL: the values of KEY in its first comment, one a line.
stated ()
{
    sed -n -e 's/^[ *\/]*'"$1"': *//p' -e '2,$ { /\*\//q; }' "$zoo/$2.c"
}

# red ANIMAL OPTION...: ids of checks that fail, one a line; what the tool printed
# is added to its log.
red ()
{
    animal=$1
    shift
    test -z "$handler" || set -- --handler "$handler" "$@"
    "$tool" --json --jobs 1 --seconds 20 "$@" "$here/$animal.so" >"$here/$animal.json" 2>>"$here/$animal.log"
    case $? in
    0 | 1 | 3 | 77) ;;
    *) echo 'nn-conformance-itself' ;;
    esac
    cat "$here/$animal.json" >>"$here/$animal.log"
    sed -nE -e 's/^\{"event":"check","id":"([^"]*)","status":"(fail|crash|timeout)".*/\1/p' \
        -e 's/^\{"event":"check","id":"([^"]*)","status":"error".*/broken:\1/p' \
        "$here/$animal.json"
}

# visit ANIMAL: one result.
visit ()
{
    animal=$1
    expect=$(stated expect "$animal" | sed 's/[[:space:]].*//')
    handler=$(stated handler "$animal")
    : >"$here/$animal.log"
    if test -z "$expect"
    then
        printf 'not ok zoo %s: its first comment has no "expect: ID"\n' "$animal"
        return
    fi
    level=$(awk -v id="$expect" '$1 == id { print $2 }' "$here/checks.txt")
    if test "$expect" = none
    then
        level=strict
        test -z "${NN_TEST_FULL:-}" || level=soak
    elif test -z "$level"
    then
        printf 'not ok zoo %s: there is no check %s\n' "$animal" "$expect"
        return
    fi
    {
        if test "$expect" = none
        then
            red "$animal" --level "$level"
        else
            red "$animal" --level basic
            case $level in
            load | basic) ;;
            *) red "$animal" --level "$level" --include "$expect" ;;
            esac
        fi
    } | LC_ALL=C sort -u >"$here/$animal.red"
    {
        test "$expect" = none || printf '%s\n' "$expect"
        stated also "$animal" | sed 's/[[:space:]].*//'
    } | LC_ALL=C sort -u >"$here/$animal.stated"
    if cmp -s "$here/$animal.red" "$here/$animal.stated"
    then
        printf 'ok zoo %s\n' "$animal"
    else
        printf 'not ok zoo %s\n' "$animal"
        comm -13 "$here/$animal.red" "$here/$animal.stated" |
            sed 's/^/    stated, and not red: /'
        comm -23 "$here/$animal.red" "$here/$animal.stated" |
            sed 's/^/    red, and not stated: /'
    fi
    bare=$(stated also "$animal" | awk 'NF < 2 { print $1 }')
    test -z "$bare" ||
        printf 'not ok zoo %s: also: %s says no reason\n' "$animal" "$bare"
}

if test "${1:-}" = --visit
then
    visit "$2"
    exit 0
fi

if test ! -x "$tool"
then
    echo "zoo.sh: there is no $tool; this is not a build folder" >&2
    exit 99
fi
if "$abs_top_builddir/config.status" --config | grep -q 'enable-sanitizers'
then
    echo 'skip zoo sanitizers replace what the tool watches'
    exit 77
fi
mkdir -p "$here"
"$tool" --list-all >"$here/checks.txt" || exit 99
if test $# -gt 0
then
    animals=$*
else
    animals=$(find "$zoo" -name '*.c' | sed -e 's,.*/,,' -e 's/\.c$//' |
        LC_ALL=C sort)
fi

# Only what has changed is compiled again.
# shellcheck disable=SC2046,SC2086 # names without blanks
"${MAKE:-make}" -s -k -j2 -C "$here" -f "$zoo/animals.mk" CC="${CC:-cc}" \
    zoo="$zoo" sdk="$abs_top_srcdir/sdk/include" \
    $(for animal in $animals; do echo "$animal.so"; done) >"$here/make.log" 2>&1 ||
    { sed 's/^/    /' "$here/make.log" | head -40; echo 'not ok zoo compiles'; status=1; }

# shellcheck disable=SC2086
printf '%s\n' $animals | xargs -P 2 -n 1 "${SHELL:-sh}" "$zoo/zoo.sh" --visit \
    >"$here/results.txt"
cat "$here/results.txt"
grep -q '^not ok' "$here/results.txt" && status=1
test $# -eq 0 || exit $status

# verdict NAME FINDINGS: one result; no finding is good.
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

for animal in $animals
do
    stated expect "$animal" | sed 's/[[:space:]].*//'
done | LC_ALL=C sort -u >"$here/expected.txt"
verdict "zoo: every check has its animal" "$(
    cut -d' ' -f1 "$here/checks.txt" | LC_ALL=C sort |
        comm -23 - "$here/expected.txt"
)"
verdict "zoo: every animal is in the list of the build" "$(
    cd "$zoo" && for file in *.c *.h
    do
        test ! -e "$file" || grep -qF "%D%/$file" local.mk || echo "$file"
    done
)"
exit $status
