#!/bin/sh
# SPDX-License-Identifier: MIT
# layout.sh INCLUDE - prints the layout of the headers in INCLUDE/nn, as
# layout.awk describes it, for a machine with pointers of 64 bits.
#
#     sdk/abi/layout.sh sdk/include > sdk/abi/layout-1.1.txt
#
# is how the golden file of a new minor version is made; a released one is never
# changed.  CC is the compiler.
set -eu
include=$1
here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What text.h declares is compiled into a plugin and never crosses over.
set --
for header in "$include"/nn/*.h
do
    case $header in
    */text.h) ;;
    *) set -- "$@" "$header" ;;
    esac
done
awk -f "$here/layout.awk" "$@" >"$scratch/layout.c"
# shellcheck disable=SC2086 # CC may hold flags
${CC:-cc} -std=c11 -I"$include" -o "$scratch/layout" "$scratch/layout.c" -lm
"$scratch/layout"
