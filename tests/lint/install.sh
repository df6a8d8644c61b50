#!/bin/sh
# SPDX-License-Identifier: MIT
# An installation into an empty folder: what is there, that nothing in it knows
# where it was built, and that programs and plugins are made from it alone.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
: "${abs_top_builddir:?}" "${plugindir:?}" "${nn_plugins?}" "${CC:=cc}"
cd "$abs_top_builddir" || exit 99

root=$abs_top_builddir/tests/scratch/install
made=$abs_top_builddir/tests/scratch/made
rm -rf "$root" "$made"
mkdir -p "$root" "$made"
trap 'rm -rf "$root" "$made"' EXIT

verdict "make install" "$(
    "${MAKE:-make}" install DESTDIR="$root" >"$root.log" 2>&1 ||
        tail -n 20 "$root.log"
)"
libdir=${plugindir%/nervenet/*}
library=$root$libdir/libnervenet.so
# Sanitizers keep the names of sources, and want their library in programs too.
sanitized=$(test ! -e "$library" || ${NM:-nm} -D "$library" |
    grep -m 1 ' U __[a-z]*san_')
if test -n "$sanitized"
then
    echo "skip no path of the build in an installed file: sanitizers"
else
    verdict "no path of the build in an installed file" "$(
        grep -rlF -e "$abs_top_builddir" -e "$abs_top_srcdir" "$root"
    )"
fi
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

# ------------------------------------------------- what is made from it alone

# flags OPTION... MODULE: what pkg-config says of the installed MODULE.
flags ()
{
    PKG_CONFIG_PATH=$root$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        "${PKG_CONFIG:-pkg-config}" "$@"
}
# with_install COMMAND...: with the library, the scanner and the plugins of the
# installation, and nobody else's.
with_install ()
{
    env -u NN_BUILD_PLUGINS LD_LIBRARY_PATH="$root$libdir" \
        NN_BUILD_SCAN="$(find "$root" -type f -name nn-scan)" \
        NN_PLUGIN_PATH="$root$plugindir" "$@"
}

if ! "${PKG_CONFIG:-pkg-config}" --version >/dev/null 2>&1
then
    echo "skip programs and plugins are made from it: no pkg-config"
elif ! test -e "$library"
then
    echo "skip programs and plugins are made from it: no shared library"
elif test -n "$sanitized"
then
    echo "skip programs and plugins are made from it: sanitizers"
else
    # shellcheck disable=SC2046 # flags are words
    verdict "examples/embed.c is compiled with the flags of nervenet.pc" "$(
        $CC -std=c99 -Wall -Wextra -Wpedantic -Werror \
            "$abs_top_srcdir/examples/embed.c" \
            -o "$made/embed" $(flags --cflags --libs nervenet) 2>&1
    )"
    verdict "it learns XOR from what is installed" "$(
        with_install "$made/embed" >"$made/out" 2>&1
        got=$?
        printf '%s\n' '0 xor 0 = 0.00' '0 xor 1 = 1.00' '1 xor 0 = 1.00' \
            '1 xor 1 = 0.00' >"$made/wanted"
        test $got = 0 &&
            sed 's/-0\.00/0.00/' "$made/out" | cmp -s - "$made/wanted" ||
            { printf 'status %s\n' $got; cat "$made/out"; }
    )"
    # shellcheck disable=SC2046
    verdict "sdk/template/layer/layer.c is made with the flags of nn-plugin.pc" "$(
        cp "$abs_top_srcdir/sdk/template/layer/layer.c" \
            "$abs_top_srcdir/sdk/template/layer/Makefile" "$made"
        "${MAKE:-make}" -s -C "$made" CC="$CC" CFLAGS='-O2 -Wall -Werror' \
            NN_CFLAGS="$(flags --cflags nn-plugin)" PLUGIN=layer.so 2>&1
    )"
    verdict "the installed nn finds it" "$(
        nn=$(find "$root" -type f -path '*/bin/nn' | head -n 1)
        with_install "$nn" plugins --plugin "$made/layer.so" \
            >"$made/out" 2>&1 &&
            grep -F "$made/layer.so" "$made/out" | grep -q ' ok ' ||
            cat "$made/out"
    )"
fi
exit $status
