#!/bin/sh
# SPDX-License-Identifier: MIT
# Every plugin of this build is green: at level `standard` on cpu, at `basic` on
# reference and on debug(cpu).  With NN_TEST_FULL=1 also at `strict` on all three,
# and on cpu with 20 seeds at `basic` and 5 at `standard`.
#
# The long run says first how long it will take, and goes on where it was
# stopped: what is green stands in tests/conformance/green.txt of the build folder
# with checksums of plugin and tool, and is not run again while both are the same.
# shellcheck disable=SC2317 # `each` calls functions by name
set -u
: "${abs_top_builddir:?}" "${nn_plugins?}"
tool=$abs_top_builddir/nn-conformance
here=$abs_top_builddir/tests/conformance
green=$here/green.txt
status=0
mkdir -p "$here"
cd "$here" || exit 99
plugins=$(find "$abs_top_builddir/plugins/.libs" -name '*.so' 2>/dev/null |
    LC_ALL=C sort)
if test -z "$plugins"
then
    echo 'skip the plugins of this build are green: they are part of the library'
    exit 77
fi

# has_handler NAME: 0 if this build has it.
has_handler ()
{
    test -e "$abs_top_builddir/plugins/.libs/handler-$1.so"
}

# sweep LEVEL HANDLER PLUGIN [SEED]: one result.
sweep ()
{
    level=$1
    handler=$2
    plugin=$3
    seed=${4:-1}
    name=$(basename "$plugin" .so)
    "$tool" --level "$level" --handler "$handler" --seed "$seed" "$plugin" \
        >"$name.txt" 2>&1
    code=$?
    if test $code -eq 0
    then
        printf 'ok %s %s on %s, seed %s\n' "$name" "$level" "$handler" "$seed"
        return 0
    fi
    sed 's/^/    /' "$name.txt" | grep -v '^    ok '
    printf 'not ok %s %s on %s, seed %s (status %s)\n' "$name" "$level" \
        "$handler" "$seed" $code
    status=1
    return 1
}

# stamp PLUGIN: what its result holds for.
stamp ()
{
    cksum "$1" "$abs_top_builddir/tools/.libs/nn-conformance" 2>/dev/null |
        awk '{ printf "%s-", $1 }'
}

handlers=
for handler in cpu reference
do
    if has_handler $handler
    then
        handlers="$handlers${handlers:+ }$handler"
    else
        echo "skip plugins on $handler: it is not in this build"
    fi
done
if has_handler debug && has_handler cpu
then
    handlers="$handlers${handlers:+ }debug(cpu)"
else
    echo 'skip plugins on debug(cpu): it is not in this build'
fi

# each COMMAND: COMMAND HANDLER PLUGIN for all of them.  A handler's plugin is
# its own subject, so that once is enough.
each ()
{
    for plugin in $plugins
    do
        case $plugin in
        */handler-*) "$1" "${handlers%% *}" "$plugin" ;;
        *)
            for handler in $handlers
            do
                "$1" "$handler" "$plugin"
            done
            ;;
        esac
    done
}

runs=0
start=$(date +%s)
usual ()
{
    runs=$((runs + 1))
    case $1 in
    cpu) sweep standard "$1" "$2" ;;
    *) sweep basic "$1" "$2" ;;
    esac
}

each usual
spent=$(($(date +%s) - start))
test -n "${NN_TEST_FULL:-}" || exit $status

# ---- the long run ------------------------------------------------------------

touch "$green"

# key LEVEL HANDLER PLUGIN SEED: what stands in green.txt.
key ()
{
    printf '%s %s %s %s %s\n' "$(stamp "$3")" "$1" "$2" "$3" "$4"
}

# for_one LEVEL HANDLER PLUGIN SEED: the same in a line, unless it is green.
for_one ()
{
    grep -qxF "$(key "$@")" "$green" || printf '%s %s %s %s\n' "$@"
}

# long HANDLER PLUGIN: all of it.
long ()
{
    for_one strict "$1" "$2" 1
    test "$1" = cpu || return 0
    seed=2
    while test "$seed" -le 20
    do
        for_one basic cpu "$2" "$seed"
        test "$seed" -gt 5 || for_one standard cpu "$2" "$seed"
        seed=$((seed + 1))
    done
}

each long >left.txt
# By the time that the runs above took, and by what a layer may take.
awk -v each="$spent" -v runs="$runs" '
    { n += $1 == "strict" ? 20 : $1 == "standard" ? 2 : 0.5 }
    END { printf "# the long run: %d runs, about %d minutes, %d at most\n", NR,
              NR * each / runs / 60 + 1, n / 60 + 1 }' left.txt
while read -r level handler plugin seed
do
    sweep "$level" "$handler" "$plugin" "$seed" &&
        key "$level" "$handler" "$plugin" "$seed" >>"$green"
done <left.txt
exit $status
