#!/bin/sh
# SPDX-License-Identifier: MIT
# What the built libraries and plugins export and want.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
: "${abs_top_builddir:?}" "${nn_plugins?}"
nm=${NM:-nm} # a word, or several
cd "$abs_top_builddir" || exit 99

# exported FILE: names of the dynamic symbols that it defines.
exported ()
{
    $nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }'
}

library=.libs/libnervenet.so
if test -e "$library"
then
    verdict "libnervenet exports nn_ names only" "$(
        exported "$library" | grep -vE '^(nn_|NN_[0-9]+$|__[a-z]+san_)'
    )"
fi

modules=$(find plugins/.libs -name '*.so' 2>/dev/null | LC_ALL=C sort)
if test -n "$modules"
then
    verdict "a plugin exports nn_plugin_v1 and nothing else" "$(
        for module in $modules
        do
            test "$(exported "$module" | tr '\n' ' ')" = 'nn_plugin_v1 ' ||
                printf '%s: %s\n' "$module" \
                    "$(exported "$module" | tr '\n' ' ')"
        done
    )"
    verdict "a plugin links nothing of ours" "$(
        for module in $modules
        do
            readelf -d "$module" | grep NEEDED | grep -E 'nervenet|libltdl' |
                sed "s,^,$module: ,"
        done
    )"
fi

# prefixes OBJECT: what its symbols may start with, as "a|b": its folder below
# plugins/KIND, or each module whose name its own begins with.
prefixes ()
{
    path=$(printf '%s' "$1" | sed 's,^plugins/[^/]*/,,; s,\.libs/,,; s,\.o$,,')
    case $path in
    */*)
        printf '%s' "${path%%/*}"
        return
        ;;
    esac
    base=${path##*_la-}
    for module in $nn_plugins
    do
        name=${module##*/*-}
        name=${name%.la}
        case ${base}_ in
        "${name}"_*) printf '%s|' "$name" ;;
        esac
    done
    printf '%s' "$base"
}

# In a static build all plugins share one name space: what is not static bears
# the plugin's name, or the entry's.
verdict "a plugin's symbols bear its name" "$(
    find plugins -name '*.o' -path '*/.libs/*' | LC_ALL=C sort |
        while read -r object
        do
            own=$(prefixes "$object")
            $nm -g --defined-only "$object" | awk '{ print $NF }' |
                grep -vE "^(nn_plugin_v1|[a-z0-9_]+_LTX_nn_plugin_v1|($own)_.*)\$" |
                grep -vE '^(__[a-z]+san|__odr_asan|.*:$)' |
                sed "s,^,$object: ,"
        done
)"
exit $status
