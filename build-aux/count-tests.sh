#!/bin/sh
# SPDX-License-Identifier: MIT
# count-tests.sh [--failed] LOG... - sums the tests in the logs of `make check`
# and prints "N passed, N failed, N skipped".  --failed says that the run as a
# whole failed, so at least one failure is counted.  Fails if a test failed or
# if none ran.
#
# A cmocka program prints "[  PASSED  ] N test(s)." and the like, a script one
# line a test: "ok NAME", "not ok NAME" or "skip NAME REASON".  A program that
# fails without naming a failed test has crashed, and one that succeeds without
# naming any test has tested nothing: either is one failure.
set -eu

run_failed=0
if test "${1-}" = --failed
then
    run_failed=1
    shift
fi

passed=0 failed=0 skipped=0
for log
do
    results=${log%.log}.trs
    result=$(sed -n 's/^:test-result: *\([A-Z]*\).*/\1/p' "$results" \
        2>/dev/null) || result=
    counts=$(awk -v result="${result:-ERROR}" '
        /^\[ +OK \] / { finished++ }
        /^\[  PASSED  \] [0-9]+ test/ { p += $4; finished = 0 }
        /^\[  FAILED  \] [0-9]+ test/ { f += $4 }
        /^\[  SKIPPED \] [0-9]+ test/ { s += $4 }
        /^ok / { p++ }
        /^not ok / { f++ }
        /^skip / { s++ }
        END {
            p += finished
            if (result == "SKIP" && p + f + s == 0) s = 1
            if (result != "PASS" && result != "SKIP" && f == 0) f = 1
            if (p + f + s == 0) f = 1
            printf "%d %d %d", p, f, s
        }' "$log" 2>/dev/null) || counts="0 1 0"
    # shellcheck disable=SC2086 # three numbers
    set -- $counts
    passed=$((passed + $1))
    failed=$((failed + $2))
    skipped=$((skipped + $3))
    test "$2" = 0 || printf 'failed: %s\n' "$log" >&2
done

if test "$run_failed" = 1 && test "$failed" = 0
then
    failed=1
fi
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
test "$failed" = 0 && test "$passed" != 0
