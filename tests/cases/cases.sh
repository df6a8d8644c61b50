#!/bin/sh
# SPDX-License-Identifier: MIT
# What the scripts of this folder share; they read it with `.` and end with
# `exit $status`.  The test runs in a folder of its own that is removed after.
set -u
: "${NN:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
status=0

# verdict NAME: one result, by the status of the command before.
verdict ()
{
    if test $? = 0
    then
        printf 'ok %s\n' "$1"
    else
        printf 'not ok %s\n' "$1"
        test ! -s out || head -n 10 out | cut -c1-300 | sed 's/^/    out: /'
        test ! -s err || head -n 10 err | cut -c1-300 | sed 's/^/    err: /'
        status=1
    fi
}

# limited COMMAND...: the command, ended after ten seconds or $limit.
if command -v timeout >/dev/null 2>&1
then
    limited () { timeout -k 5 "${limit:-10}" "$@"; }
else
    limited () { "$@"; }
fi

# can_limit OPTION NUMBER: true if nn runs within this limit of the shell; a
# program with sanitizers does not.
can_limit ()
{
    (
        # shellcheck disable=SC3045 # dash, bash and others have it
        ulimit "$1" "$2" && "$NN" --version
    ) >/dev/null 2>&1
}

# run STATUS COMMAND...: true if the command exits with STATUS within ten
# seconds; its output is in the files out and err.
run ()
{
    wanted=$1
    shift
    limited "$@" >out 2>err
    got=$?
    test $got = "$wanted" || {
        printf 'status %s instead of %s\n' $got "$wanted" >>err
        return 1
    }
}

# fails COMMAND...: true if it exits with a status of nn for errors, 1 to 5,
# and says why; not by a signal, and not by the limit of time.
fails ()
{
    limited "$@" >out 2>err
    got=$?
    test $got -ge 1 && test $got -le 5 && grep -q 'error: ' err || {
        printf 'status %s\n' $got >>err
        return 1
    }
}

# says FILE TEXT...: true if the file holds each text.
says ()
{
    file=$1
    shift
    for text
    do
        grep -qF -e "$text" "$file" || {
            printf 'there is no "%s"\n' "$text" >>err
            return 1
        }
    done
}
