#!/bin/sh
# SPDX-License-Identifier: MIT
# An installation into an empty folder: what is there, and that nothing in it
# knows where it was built.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
: "${abs_top_builddir:?}" "${plugindir:?}" "${nn_plugins?}"
cd "$abs_top_builddir" || exit 99

root=$abs_top_builddir/tests/scratch/install
rm -rf "$root"
mkdir -p "$root"
trap 'rm -rf "$root"' EXIT

verdict "make install" "$(
    "${MAKE:-make}" install DESTDIR="$root" >"$root.log" 2>&1 ||
        tail -n 20 "$root.log"
)"
verdict "no path of the build in an installed file" "$(
    grep -rlF -e "$abs_top_builddir" -e "$abs_top_srcdir" "$root"
)"
verdict "no .la file beside the plugins" "$(
    find "$root$plugindir" -name '*.la' 2>/dev/null
)"
verdict "every plugin is installed" "$(
    if test -d plugins/.libs && ls plugins/.libs/*.so >/dev/null 2>&1
    then
        for module in $nn_plugins
        do
            name=${module##*/}
            file=$root$plugindir/${name%.la}.so
            test -f "$file" || printf '%s is missing\n' "$file"
        done
    fi
)"
verdict "every header is installed" "$(
    includes=$(find "$root" -type d -path '*/include' | head -n 1)
    (cd "$abs_top_srcdir/sdk/include" && find . -name '*.h') |
        while read -r header
        do
            test -f "$includes/$header" || printf '%s is missing\n' "$header"
        done
)"
exit $status
