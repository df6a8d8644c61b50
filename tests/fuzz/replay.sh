#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the inputs that fuzzing has left in corpus/NAME through the code that
# read them, one process for all of a target.
set -u
: "${abs_top_srcdir:?}" "${abs_top_builddir:?}" "${nn_replays?}"
status=0
for program in $nn_replays
do
    name=${program##*/replay_}
    set -- "$abs_top_srcdir/tests/fuzz/corpus/$name"/*
    if ! test -e "$1"
    then
        printf 'skip replay of %s: it has no corpus\n' "$name"
    elif "$abs_top_builddir/$program" "$@"
    then
        printf 'ok replay of %s, %d inputs\n' "$name" $#
    else
        printf 'not ok replay of %s\n' "$name"
        status=1
    fi
done
exit $status
