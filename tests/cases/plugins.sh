#!/bin/sh
# SPDX-License-Identifier: MIT
# Plugin files of the case bank, as nn meets them: G1 to G5, G7, G10, G11.  The
# plugins are those of tests/plugins_src.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/cases/cases.sh"
fixtures=$abs_top_builddir/tests/plugins_src/.libs
test -f "$fixtures/good.so" || {
    echo "skip plugins of the case bank: $fixtures/good.so is not built"
    exit 0
}

# Two weights with gradient 1; their rates are schedules of plugins.
cat >two.yaml <<'YAML'
nervenet: 1
handler: cpu
dtype: float64
inputs: {x: [1]}
network:
  - fully_connected: {name: a, from: x, size: 1, bias: false, initialize: {W: 0}}
  - fully_connected: {name: b, from: x, size: 1, bias: false, initialize: {W: 0}}
  - loss: {name: la, from: a}
  - loss: {name: lb, from: b}
data: {train: {minibatches: {size: 1, inner: {csv: {file: d.csv, columns: {x: 0}}}}}}
training:
  stepper: {sgd: 1}
  epochs: 1
  hooks: [checkpoint]
YAML
echo 1 >d.csv

# weights RUN: the two weights.
weights ()
{
    "$NN" dump "$1" 2>/dev/null |
        awk '$1 == "parameters" { printf "%s%s", sep, $6; sep = " " }'
}

# trains WEIGHTS RATE_A RATE_B: a run with these rates ends with the weights.
trains ()
{
    rm -rf run
    run 0 "$NN" train two.yaml --quiet --out run \
        --set "training.overrides={a.W: {learning_rate: $2}, b.W: {learning_rate: $3}}" &&
        got=$(weights run) && {
        test "$got" = "$1" || {
            echo "weights $got instead of $1" >>err
            false
        }
    }
}

# G1
mkdir junk junk/d.so
cp "$fixtures/good.so" junk/m.so
echo "this is a text and no plugin" >junk/note.so
: >junk/e.so
ln -s nowhere.so junk/dangling.so
ln -s loop2.so junk/loop1.so
ln -s loop1.so junk/loop2.so
libm=$(ldd "$fixtures/good.so" 2>/dev/null | awk '/libm\.so/ { print $3; exit }')
test -f "$libm" || libm=$(ldd "$(command -v awk)" | awk '/libm\.so/ { print $3 }')
test ! -f "$libm" || cp "$libm" junk/libm.so
cp "$fixtures/good.so" junk/z.so
chmod 000 junk/z.so
cp "$fixtures/twin.so" junk/good.so.bak
cp "$fixtures/twin.so" junk/.hidden.so
NN_PLUGIN_PATH=$work/junk
export NN_PLUGIN_PATH
run 0 "$NN" plugins && mv out listed && says listed junk/m.so junk/note.so \
    junk/e.so junk/d.so junk/dangling.so junk/loop1.so junk/loop2.so &&
    { test ! -f junk/libm.so || says listed junk/libm.so nn_plugin_v1; } &&
    ! grep -q -e '\.bak' listed &&
    grep -q 'seven .* ok .*junk/m\.so' listed
verdict "G1: a bad file hides no good one, and each is listed"
grep 'junk/' listed | grep refused | awk '{ if (NF < 7) exit 1 }'
verdict "G1: each has its reason"
run 0 "$NN" plugins && cmp -s out listed
verdict "G1: the list is always the same"
trains "-7 -1" seven 1
verdict "G1: the good plugin works among them"

# G2
mkdir bad
cp "$fixtures/undefined.so" "$fixtures/good.so" bad
if echo 'int there(void); int there(void) { return 1; }' >there.c &&
    ${CC:-cc} -shared -fPIC there.c -o libnotthere.so 2>/dev/null
then
    cat >needs.c <<'C'
int there(void);
const int nn_plugin_v1[64];
const void *needs(void);
const void *needs(void) { return (const void *)there; }
C
    ${CC:-cc} -shared -fPIC needs.c -o bad/needs.so -L. -lnotthere 2>/dev/null
    rm libnotthere.so
fi
NN_PLUGIN_PATH=$work/bad
run 0 "$NN" plugins && says out bad/undefined.so \
    nn_test_function_that_is_nowhere &&
    { test ! -f bad/needs.so || says out bad/needs.so libnotthere.so; } &&
    grep -q 'seven .* ok ' out
verdict "G2: what is undefined or missing is named, and others work"
run 3 "$NN" check two.yaml --plugin bad/undefined.so &&
    says err bad/undefined.so nn_test_function_that_is_nowhere
verdict "G2: such a plugin is an error if it was named"

# G3
rm -rf bad/*
for one in future newer hollow magic nosymbol nullname good
do
    cp "$fixtures/$one.so" bad
done
run 0 env NN_TEST_RECORD="$work/record" "$NN" plugins && mv out listed &&
    test ! -e record && grep 'bad/future\.so' listed | grep refused |
    grep 4294967295 | grep -q '1\.0'
verdict "G3: a plugin that needs more shows both versions, and none of its code runs"
for one in hollow magic nosymbol nullname
do
    grep "bad/$one\\.so" listed | grep -q refused
    verdict "G3: $one.so is refused"
done
grep -q 'nine .* ok .*bad/newer\.so' listed && trains "-9 -7" nine seven
verdict "G3: one that is newer, but needs no more, works"

# G4
rm -rf bad/*
cp "$fixtures/good.so" bad/1.so
cp "$fixtures/twin.so" bad/2.so
run 0 "$NN" plugins && says out "bad/1.so comes first" &&
    trains "-7 -77" seven '"org.example.twin:seven"'
verdict "G4: of two plugins the first file wins, and both can be named"
mv bad/1.so bad/3.so
run 0 "$NN" plugins && says out "bad/2.so comes first" && trains "-77 -77" seven seven
verdict "G4: with their files' names exchanged the other wins"
rm bad/2.so
ln -s 3.so bad/1.so
cp bad/3.so bad/4.so
run 0 "$NN" plugins && says out "the same file as" &&
    test "$(grep -c 'seven .* ok ' out)" = 1 &&
    test "$(grep -c 'seven .* shadowed ' out)" = 1
verdict "G4: a link to the same file counts once, a copy is shadowed"
if sed -e 's/"square"/"dropout"/' "$abs_top_srcdir/sdk/template/layer/layer.c" \
    >dropout.c && ${CC:-cc} -shared -fPIC -I"$abs_top_srcdir/sdk/include" \
    dropout.c -o bad/dropout.so 2>err
then
    run 0 "$NN" plugins && test "$(grep -c 'dropout .* ok ' out)" = 1 &&
        grep 'dropout .* shadowed ' out | grep -q 'comes first'
    verdict "G4: no component is replaced in silence, whoever comes first"
else
    echo "skip G4: no component is replaced in silence: no compiler"
fi

# G5
rm -rf bad/*
cp "$fixtures/counter_a.so" bad/1.so
cp "$fixtures/counter_b.so" bad/2.so
trains "-1 -2" counter_a counter_b
verdict "G5: equal symbols of two plugins do not mix"
trains "-2 -1" counter_b counter_a
verdict "G5: in no order"

# G7
rm -rf bad/*
cp "$fixtures/tls.so" "$fixtures/good.so" bad
run 0 "$NN" plugins && says out bad/tls.so \
    "cannot allocate memory in static TLS block" && trains "-7 -1" seven 1
verdict "G7: a plugin that static TLS has no room for is refused, others work"
if command -v readelf >/dev/null 2>&1
then
    found=$(for file in "$abs_top_builddir"/.libs/libnervenet.so \
        "$NN_BUILD_PLUGINS"/*.so
    do
        test ! -f "$file" || readelf -rW "$file" | grep TPOFF | sed "s,^,$file ,"
    done)
    test -z "$found"
    verdict "G7: the library and its plugins want no static TLS"
else
    echo "skip G7: the library and its plugins want no static TLS: no readelf"
fi

# G10
rm -rf bad/*
cp "$fixtures/openmp.so" "$fixtures/good.so" bad
rm -rf run
run 0 "$NN" train two.yaml --quiet --out run --threads 4 --epochs 20 \
    --set "training.overrides={a.W: {learning_rate: openmp}, b.W: {learning_rate: seven}}"
verdict "G10: a run with threads of a plugin ends with status 0"

# G11
mkdir "plug ins ñπ" decoy
cp "$fixtures/good.so" "plug ins ñπ/mine.so"
cp "$fixtures/good.so" mine.so
cp "$fixtures/twin.so" decoy/mine.so
unset NN_PLUGIN_PATH
for path in mine.so ./mine.so "$work/mine.so" "plug ins ñπ/mine.so"
do
    case $path in
    /*) name="an absolute path" ;;
    *) name="'$path'" ;;
    esac
    run 0 env LD_LIBRARY_PATH="$work/decoy" "$NN" plugins --plugin "$path" &&
        grep 'seven .* ok ' out | grep -q 'good .*mine\.so'
    verdict "G11: $name is the file that it says"
done
long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "a" }').so
for path in "$long" '' mine.so/ decoy decoy/
do
    run 3 "$NN" plugins --plugin "$path" && grep -q 'error: ' err
    verdict "G11: '$(printf %.10s "$path")' is a clear error"
done
exit $status
