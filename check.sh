#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh - installs what is missing, builds in ./build and runs all tests.
# The last line counts them: "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")"
. build-aux/packages.sh

# Whatever stops this script early counts as one failure.
finished=no
trap 'test $finished = yes || echo "0 passed, 1 failed, 0 skipped"' EXIT

install_packages build test
configure_and_make
link_programs
say "Compile the tests"
make -C build -j "$(processors)" check TESTS=
say "Run the tests"
flag=
make -C build -j "$(processors)" check VERBOSE=1 || flag=--failed
say "Sum"
status=0
line=$(make -s -C build --no-print-directory count-tests COUNT_FLAGS=$flag) ||
    status=1
finished=yes
printf '%s\n' "$line"
exit $status
