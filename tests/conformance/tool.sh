#!/bin/sh
# SPDX-License-Identifier: MIT
# nn-conformance itself: its exit statuses, what it prints in each format, and
# that a plugin that misbehaves is named for that while nothing else dies.
# shellcheck disable=SC2016,SC2086
set -u
: "${abs_top_builddir:?}" "${abs_top_srcdir:?}"
tests=$abs_top_srcdir/tests/conformance
tool=$abs_top_builddir/nn-conformance
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir tmp
TMPDIR=$work/tmp
export TMPDIR
unset NO_COLOR
status=0

# verdict NAME FINDINGS: one result; no finding is good.
verdict ()
{
    if test -z "$2"
    then
        printf 'ok %s\n' "$1"
    else
        printf '%s\n' "$2" | sed 's/^/    /' | head -20
        printf 'not ok %s\n' "$1"
        status=1
    fi
}

# joined TEXT: its lines as one, which a macro of the command line has to be.
joined ()
{
    printf '%s' "$1" | tr '\n' ' '
}

# make_subject NAME FLAG...: NAME.so, the subject with FLAGs.
make_subject ()
{
    name=$1
    shift
    ${CC:-cc} -shared -fPIC -O1 -I"$abs_top_srcdir/sdk/include" "$@" \
        -o "$name.so" "$tests/subject.c" 2>"$name.log" ||
        { cat "$name.log"; echo "not ok compiles $name"; exit 1; }
}

# ends CODE WORD...: a finding unless the tool, called with WORDs, ends so.
ends ()
{
    want=$1
    shift
    timeout 120 "$tool" "$@" >out.txt 2>err.txt
    got=$?
    test $got -eq "$want" || echo "nn-conformance $*: ends with $got, not $want"
}

# says TEXT: a finding unless TEXT is in what was printed last.
says ()
{
    tr -s ' \n' '  ' <out.txt >flat.txt
    cat err.txt >>flat.txt
    grep -qF -e "$1" flat.txt || { echo "it does not say: $1"; cat out.txt err.txt; }
}

make_subject good
make_subject wrong -DBACKWARD=0.5
one='--include layer.mem.const'

# ---- exit statuses ---------------------------------------------------------

verdict "a good layer passes" "$(
    ends 0 good.so
    says ' 0 failed'
    grep -E '^(FAIL|CRASH|HANG|ERROR)' out.txt
)"
verdict "a wrong one fails" "$(
    ends 1 wrong.so
    says 'FAIL layer.grad.taylor'
)"
verdict "wrong usage is status 2 and says what is right" "$(
    ends 2; says 'no FILE.so is named'
    ends 2 --no-such-option good.so; says "there is no option '--no-such-option'"
    ends 2 --level high good.so; says 'basic, standard, strict'
    ends 2 --seed x good.so; says 'a number from 0'
    ends 2 --jobs 0 good.so; says 'from 1 to'
    ends 2 --reproduce layer.grad.taylor good.so; says 'ID:SEED'
    ends 2 --reproduce no.such:1 good.so; says "no check 'no.such'"
    ends 2 --explain no.such; says "no check 'no.such'"
    ends 2 --json --tap good.so; says 'only one of'
    ends 2 --level; says 'wants a value'
    ends 2 --known-failures missing good.so; says 'missing: No such file'
)"
verdict "a file that cannot be loaded is status 3" "$(
    ends 3 missing.so; says 'missing.so: No such file'
    echo text >text.so
    ends 3 text.so
    make_subject opened -DAT_LOAD='exit(0)'
    ends 3 opened.so; says 'called exit(0) while it was opened'
)"
verdict "others are checked beside one that cannot be loaded" "$(
    ends 3 $one missing.so good.so; says '1 passed, 0 failed, 0 skipped, 1 file not loaded'
)"
verdict "the tool's own failure is status 4" "$(
    TMPDIR=$work/none ends 4 good.so; says 'no folder'
)"
verdict "nothing to check is status 77" "$(
    ends 77 --include 'no.such' good.so; says 'nothing to check'
    ends 77 --component 'layer:other' good.so
)"
verdict "a run of skips alone is no success" "$(
    ends 1 --include layer.rnn.context good.so; says 'no check could be applied'
    ends 1 --include layer.rnn.context good.so; says 'skip layer.rnn.context'
)"

# ---- misdeeds ---------------------------------------------------------------

limit=
# misdeed NAME CODE EXPECTED [FLAG...]: a finding unless CODE in forward is
# named and a check that does not call forward passes all the same.
misdeed ()
{
    name=$1
    code=$2
    expected=$3
    shift 3
    make_subject "$name" -DMISDEED="$code" "$@"
    ends 1 $limit $one --include layer.shape.infer "$name.so"
    says "$expected"
    says 'where in forward'
    says 'ok layer.shape.infer'
}

verdict "a plugin that calls exit(0) is named" "$(
    misdeed exits 'exit(0)' 'the process was ended by exit(0), called in'
    misdeed exits_ '_exit(0)' 'the process was ended by _exit(0), called in'
)"
verdict "one that ends the process behind the C library is named" "$(
    misdeed behind 'syscall(SYS_exit_group, 0)' \
        'the process ended before that (exit(0)?)' -include sys/syscall.h
)"
verdict "one that crashes is named with signal and address" "$(
    misdeed crashes '*(volatile int *)16 = 1' \
        'killed by signal 11 (Segmentation fault) at address 0x10, code in crashes.so'
    misdeed aborts 'abort()' 'killed by signal 6 (Aborted), code in aborts.so'
)"
verdict "one that kills itself is named" "$(
    misdeed killed 'raise(SIGKILL)' 'killed by signal 9 (Killed)'
)"
verdict "one that hangs is ended" "$(
    limit='--seconds 4'
    misdeed hangs 'for (;;) pause()' 'it was still running after 4 s'
    misdeed stays 'signal(SIGTERM, SIG_IGN); for (;;) pause()' \
        'it was still running after 4 s'
)"
if test "${CXX:-no}" != no
then
    verdict "an exception is named with type and text" "$(
        printf '#include <stdexcept>\nextern "C" void throw_it(void) { throw std::runtime_error("no good"); }\n' >thrown.cc
        echo 'void throw_it(void);' >thrown.h
        ${CC:-cc} -c -fPIC -I"$abs_top_srcdir/sdk/include" -include ./thrown.h \
            -DMISDEED='throw_it()' -o subject.o "$tests/subject.c"
        $CXX -shared -fPIC -o thrown.so subject.o thrown.cc
        ends 1 $one thrown.so
        says "a C++ exception 'std::runtime_error': no good"
    )"
else
    echo 'skip an exception is named with type and text: no C++ compiler'
fi
verdict "what a plugin prints does not reach the output, and is told" "$(
    make_subject prints -DMISDEED='printf("1..9\nnot ok 1\n"); fprintf(stderr, "oh")'
    ends 0 $one prints.so
    says 'printed to stdout: 1..9'
    says 'printed to stderr: oh'
    grep '^not ok' out.txt err.txt
)"
verdict "what a plugin starts does not outlive its check" "$(
    make_subject forks -DMISDEED="$(joined '
        if (!fork()) { FILE *f = fopen(getenv("PID_FILE"), "w");
            fprintf(f, "%d", (int)getpid()); fclose(f); sleep(300); }
        usleep(100000)')"
    PID_FILE=$work/pid
    export PID_FILE
    ends 0 $one forks.so
    pid=$(cat pid)
    test -n "$pid" || echo "there was no process"
    # Dead at once, or a zombie until its new parent has looked.
    state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null)
    case $state in
    '' | Z* | X*) ;;
    *) echo "process $pid still lives: $state" ;;
    esac
)"
verdict "folders of checks are gone afterwards" "$(
    make_subject writes -include sys/stat.h -DMISDEED="$(joined '
        mkdir("a", 0700); close(creat("a/b", 0600)); chmod("a", 0)')"
    ends 0 $one writes.so
    ls -A "$TMPDIR"
)"
verdict "when it is told to end, nothing is left" "$(
    "$tool" --jobs 2 $one hangs.so >out.txt 2>err.txt &
    pid=$!
    sleep 1
    kill -TERM $pid
    { wait $pid; } 2>wait.txt
    test $? -eq 143 || echo 'it does not end of the signal'
    ls -A "$TMPDIR"
)"

# ---- once more ---------------------------------------------------------------

verdict "the command of a failure, pasted, fails again" "$(
    mkdir "it's here"
    cp wrong.so "it's here/a b.so"
    ends 1 --include layer.grad.taylor --seed 7 "it's here/a b.so"
    got=$(sed -n 's/^        got  *//p' out.txt | head -1)
    command=$(sed -n 's/^        again *//p' out.txt)
    test -n "$command" || echo 'there is no command'
    sh -c "$command" >out.txt 2>err.txt
    test $? -eq 1 || echo "it does not fail: $command"
    says "$got"
)"
verdict "the same check in this process finds the same" "$(
    ends 1 --include layer.grad.taylor wrong.so
    grep -v ' passed, ' out.txt >separate.txt
    ends 1 --include layer.grad.taylor --in-process wrong.so
    grep -v ' passed, ' out.txt | diff separate.txt -
)"
verdict "a seed gives the same run, another another" "$(
    ends 1 --seed 1 --json wrong.so; sed 's/"seconds":[0-9.]*//' out.txt >first
    ends 1 --seed 1 --json wrong.so; sed 's/"seconds":[0-9.]*//' out.txt >second
    ends 1 --seed 2 --json wrong.so; sed 's/"seconds":[0-9.]*//' out.txt >third
    diff first second
    cmp -s first third && echo 'seeds 1 and 2 give the same'
)"
verdict "the order of the output does not depend on jobs" "$(
    ends 0 --jobs 1 good.so; grep -v ' passed, ' out.txt >first
    ends 0 --jobs 8 good.so; grep -v ' passed, ' out.txt | diff first -
)"

# ---- formats -----------------------------------------------------------------

make_subject nasty -DBACKWARD=0.5 -DMISDEED='printf("<&>\" \\ ]]> \001\033[1m \377\300\200 \303\244\n\r\t")'
verdict "JSON is JSON" "$(
    ends 1 --json nasty.so good.so
    LC_ALL=C awk -f "$tests/json.awk" out.txt
    test "$(grep -c '"event":"check"' out.txt)" -gt 10 || echo 'too few checks'
    says '"event":"end"'
    says '"exit":1'
    ends 3 --json missing.so
    LC_ALL=C awk -f "$tests/json.awk" out.txt
    says '"event":"refused"'
)"
verdict "TAP has its plan, and its numbers in order" "$(
    ends 1 --tap nasty.so good.so
    awk '
        NR == 1 && $0 != "TAP version 14" { print "bad: " $0 }
        /^1\.\./ { plan = substr($1, 4) }
        /^(not )?ok / { n++; number = $1 == "not" ? $3 : $2
                        if (number != n) print "bad: " $0 }
        /^  ---$/ { inside++ } /^  \.\.\.$/ { inside-- }
        !/^(TAP version|1\.\.|ok |not ok |  )/ { print "bad: " $0 }
        END { if (plan != n) print "plan " plan " of " n
              if (inside) print "a block is open" }' out.txt
    ends 1 --tap --include layer.rnn.context good.so
    says '# SKIP '
)"
verdict "JUnit is XML and counts right" "$(
    ends 1 --junit nasty.so good.so
    LC_ALL=C awk -f "$tests/xml.awk" out.txt
    tests=$(sed -n 's/.*<testsuite .* tests="\([0-9]*\)".*/\1/p' out.txt |
        awk '{ n += $1 } END { print n }')
    test "$tests" = "$(grep -c '<testcase ' out.txt)" || echo "it counts $tests"
    failures=$(sed -n 's/.*<testsuite .* failures="\([0-9]*\)".*/\1/p' out.txt |
        awk '{ n += $1 } END { print n }')
    test "$failures" = "$(grep -c '<failure ' out.txt)" ||
        echo "it counts $failures failures"
)"
verdict "formats have no colour, and text has none in a file" "$(
    for format in '' --json --tap --junit
    do
        "$tool" $one $format good.so
    done | LC_ALL=C grep "$(printf '\033')"
)"

# ---- known failures ------------------------------------------------------------

verdict "a known failure fails no run, and is told" "$(
    printf '# a comment\n\nlayer.grad.* layer:subject it is half of it\n' >known
    ends 0 --known-failures known --include layer.grad.taylor wrong.so
    says 'xfail layer.grad.taylor'
    says 'it is half of it'
)"
verdict "a known failure that passes fails the run" "$(
    printf 'layer.grad.taylor * it was wrong\n' >known
    ends 1 --known-failures known --include layer.grad.taylor good.so
    says 'XPASS layer.grad.taylor'
)"
verdict "a known failure has a reason and a check" "$(
    printf '\nlayer.grad.taylor *\n' >known
    ends 2 --known-failures known good.so; says 'known:2:'; says 'reason is missing'
    printf 'layer.no.such * for some reason\n' >known
    ends 2 --known-failures known good.so; says "no check matches 'layer.no.such'"
)"

# ---- lists --------------------------------------------------------------------

verdict "lists name what would run" "$(
    ends 0 --list --level load --level basic good.so
    cut -d' ' -f1 out.txt | LC_ALL=C sort >listed
    ends 0 --json --level basic good.so
    sed -n 's/^{"event":"check","id":"\([^"]*\)".*/\1/p' out.txt | LC_ALL=C sort |
        diff listed -
)"
verdict "patterns choose components and checks" "$(
    ends 0 --list --component subject --include 'layer.mem.*' --exclude '*.const' good.so
    grep -v '^layer\.mem\.' out.txt
    grep 'layer.mem.const' out.txt
    says 'layer.mem.uninit'
    ends 0 --list --component 'l*:sub*' --include layer.mem.const good.so
    says 'layer.mem.const'
)"
verdict "every check is explained" "$(
    ends 0 --list-all
    awk 'NF != 3' out.txt
    cut -d' ' -f1 out.txt | LC_ALL=C sort | uniq -d
    cut -d' ' -f1 out.txt | grep -vE '^[a-z0-9-]+(\.[a-z0-9-]+)+$'
    cut -d' ' -f1 out.txt >ids
    while read -r id
    do
        ends 0 --explain "$id"
        grep -q '^right is: .' out.txt && grep -q '^why: .' out.txt ||
            echo "$id is not explained"
    done <ids
)"
verdict "help names every option" "$(
    ends 0 --help
    for option in component list include exclude level seed handler reproduce \
        in-process json tap junit known-failures jobs explain verbose version
    do
        grep -q -e "--$option" out.txt || echo "--$option"
    done
    ends 0 --version; says 'nn-conformance '
)"
exit $status
