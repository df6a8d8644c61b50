#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs of the case bank, as nn makes them: S1, S3, S4, S7, I3, I9, L2, L8, F2
# and F4.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/cases/cases.sh"
handlers=reference
"$NN" plugins cpu >/dev/null 2>&1 && handlers="reference cpu"

# dumped RUN TENSOR: the one number of a parameter.
dumped ()
{
    "$NN" dump "$1" 2>/dev/null |
        awk -v name="$2" '$1 == "parameters" && $2 == name {
            sub(/.*\)[ ]*/, ""); print $1 }'
}

# near A B: equal to 1e-6.
near ()
{
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b
        exit !(a != "" && d <= 1e-6 && d >= -1e-6) }'
}

# hashes RUN...: how many different parameters the runs have.
hashes ()
{
    "$NN" dump --sha256 "$@" 2>/dev/null | awk '{ print $1 }' | sort -u |
        wc -l
}

# S1: one bias with gradient -1
cat >steps.yaml <<'YAML'
nervenet: 1
handler: reference
dtype: float64
inputs: {x: [1]}
network:
  - fully_connected: {name: out, size: 1}
  - loss: {importance: -1}
data: {train: {minibatches: {size: 1, inner: {csv: {file: zero.csv, columns: {x: 0}}}}}}
training:
  stepper: {sgd: {learning_rate: {step: {from: 0.1, factor: 0.1, every: 3}}}}
  epochs: 10
  hooks: [checkpoint]
YAML
echo 0 >zero.csv
run 0 "$NN" train steps.yaml --quiet --out steps10 &&
    near "$(dumped steps10 out.bias)" 0.3331
verdict "S1: ten epochs of a step schedule"
set -- 0.1 0.2 0.3 0.31 0.32 0.33 0.331 0.332 0.333
epoch=0
for right
do
    epoch=$((epoch + 1))
    run 0 "$NN" train steps.yaml --quiet --out steps$epoch --epochs $epoch &&
        near "$(dumped steps$epoch out.bias)" "$right" &&
        run 0 "$NN" train steps.yaml --quiet --resume steps$epoch &&
        near "$(dumped steps$epoch out.bias)" 0.3331
    verdict "S1: stopped after epoch $epoch and resumed, it is the same"
done

# S3: everything that has a state, 7 samples in batches of 3
cat >chance.yaml <<'YAML'
nervenet: 1
handler: reference
seed: 3
inputs: {x: [2], t: [1]}
network:
  - fully_connected: {name: hidden, size: 40, activation: tanh}
  - dropout: 0.4
  - fully_connected: {name: out, size: 1}
  - squared_error: {from: [out, t]}
data: {train: {minibatches: {size: 3, shuffle: true, inner: {csv: {file: seven.csv, columns: {x: [0, 1], t: 2}}}}}}
training:
  stepper: {adam: {learning_rate: {exponential: {from: 0.05, factor: 0.8}}}}
  epochs: 6
  hooks: [save_log, checkpoint]
YAML
awk 'BEGIN { for (i = 0; i < 7; i++) print sin(i) "," cos(2 * i) "," i / 7 }' \
    >seven.csv
for handler in $handlers
do
    for type in float64 float32
    do
        rm -rf whole half other
        options="--quiet --handler $handler --set dtype=$type"
        # shellcheck disable=SC2086 # options
        run 0 "$NN" train chance.yaml $options --threads 1 --out whole &&
            run 0 "$NN" train chance.yaml $options --threads 1 --out half \
                --epochs 3 && test "$(hashes whole half)" = 2 &&
            run 0 "$NN" train chance.yaml $options --threads 1 --resume half &&
            test "$(hashes whole half)" = 1 &&
            cmp -s whole/metrics.jsonl half/metrics.jsonl
        verdict "S3: 3 epochs and 3 more are 6, on $handler in $type"
        # shellcheck disable=SC2086
        run 0 "$NN" train chance.yaml $options --threads 4 --out other &&
            test "$(hashes whole other)" = 1
        verdict "S3: 4 threads are 1, on $handler in $type"
    done
done

# S4: targets 1 1 1 1 4, prediction 0
cat >short.yaml <<'YAML'
nervenet: 1
handler: reference
inputs: {x: [1], t: [1]}
network:
  - fully_connected: {name: out, size: 1, initialize: {W: 0}}
  - squared_error: {half: false, from: [out, t]}
data:
  train: {minibatches: {size: 2, inner: {csv: {file: five.csv, columns: {x: 0, t: 1}}}}}
  test: {minibatches: {size: 2, inner: {csv: {file: five.csv, columns: {x: 0, t: 1}}}}}
training: {stepper: {sgd: 0}, epochs: 1, hooks: [save_log, checkpoint]}
YAML
printf '1,1\n2,1\n3,1\n4,1\n5,4\n' >five.csv
for size in 1 2 3 4 5 6
do
    rm -rf run
    run 0 "$NN" train short.yaml --quiet --out run \
        --set data.train.minibatches.size=$size \
        --set data.test.minibatches.size=$size &&
        says out "test loss: 4.0000" &&
        says run/metrics.jsonl '"training.loss": 4}'
    verdict "S4: batches of $size log the mean over samples"
done

# I9, I3, L2
tiny="$NN train short.yaml --quiet --out run"
printf '1,1\n2,1\n3,1\n' >three.csv
printf '1,1\n' >one.csv
: >none.csv
for samples in none three one
do
    rm -rf run
    case $samples in
    none) run 4 $tiny --set data.train.minibatches.inner.csv.file=none.csv &&
        says err none.csv && test ! -e run ;;
    *) run 0 $tiny --set data.train.minibatches.inner.csv.file=$samples.csv \
        --set data.train.minibatches.size=8 &&
        says run/metrics.jsonl '"training.loss": 1}' ;;
    esac
    verdict "I9: $samples samples in batches of 8"
done
rm -rf run
run 4 $tiny --set data.train.minibatches.inner.csv.file=three.csv \
    --set data.train.minibatches.size=8 \
    --set data.train.minibatches.last=drop && test ! -e run
verdict "I9: if drop leaves nothing, it is an error"
rm -rf run
fails $tiny --set data.test.minibatches.inner.csv.file=none.csv &&
    says err none.csv
verdict "I9: an empty test set is an error"
for cell in '' '?' nan 1.5abc
do
    rm -rf run
    printf '1,1\n2,%s\n' "$cell" >dirty.csv
    run 4 $tiny --set data.train.minibatches.inner.csv.file=dirty.csv &&
        says err dirty.csv:2:3
    verdict "I3: a cell '$cell' is an error with its place"
done
cat >classes.yaml <<'YAML'
nervenet: 1
handler: reference
inputs: {x: [1], t: {shape: [1], dtype: int32}}
network:
  - fully_connected: {name: out, size: 3}
  - softmax_ce: {name: loss, from: [out, t]}
data: {train: {minibatches: {size: 65, inner: {csv: {file: labels.csv, columns: {x: 0, t: 1}}}}}}
training: {stepper: {sgd: 1}, epochs: 2, hooks: [checkpoint]}
YAML
for label in 3 -1 1000 2147483647 nan 1.5
do
    rm -rf run
    awk -v bad=$label 'BEGIN { for (i = 0; i < 65; i++)
        print i "," (i == 40 ? bad : i % 3) }' >labels.csv
    fails "$NN" train classes.yaml --quiet --out run && says err "$label" 4 &&
        test ! -e run/checkpoint.nn
    verdict "L2: label $label of sample 40 ends training by name"
done

# L8
cat >zero.yaml <<'YAML'
nervenet: 1
handler: reference
inputs: {x: [1], t: {shape: [1], dtype: int32}}
network:
  - fully_connected: {name: out, size: 10, initialize: {W: 0}}
  - softmax_ce: {from: [out, t]}
data:
  train: {minibatches: {size: 4, inner: {csv: {file: ten.csv, columns: {x: 0, t: 1}}}}}
  test: {minibatches: {size: 4, inner: {csv: {file: ten.csv, columns: {x: 0, t: 1}}}}}
training: {stepper: {sgd: 0}, epochs: 1, hooks: [checkpoint]}
evaluation: {scorers: [accuracy]}
YAML
awk 'BEGIN { for (i = 0; i < 10; i++) print 1 "," i }' >ten.csv
for handler in $handlers
do
    rm -rf run
    run 0 "$NN" train zero.yaml --quiet --out run --handler $handler &&
        run 0 "$NN" eval run && says out "test accuracy: 0.1000"
    verdict "L8: equal outputs are right for one class in ten, on $handler"
done
rm -rf run
run 0 "$NN" train zero.yaml --quiet --out run \
    --set 'evaluation.scorers=[{accuracy: {top: 5}}]' &&
    says out "0.5000"
verdict "L8: and for five in ten among the five best"

# S7: a net whose checkpoint is about a megabyte
cat >big.yaml <<'YAML'
nervenet: 1
handler: reference
inputs: {x: [1], t: [1]}
network:
  - fully_connected: {name: wide, size: 300}
  - fully_connected: {name: wider, size: 300}
  - fully_connected: {name: out, size: 1}
  - squared_error: {from: [out, t]}
data: {train: {minibatches: {size: 5, inner: {csv: {file: five.csv, columns: {x: 0, t: 1}}}}}}
training: {stepper: {momentum: 1e-4}, epochs: 100000, hooks: [{checkpoint: {timescale: update}}]}
YAML
kills=0
broken=0
while test $kills -lt 50
do
    "$NN" train big.yaml --quiet --out kill$((kills % 5)) >/dev/null 2>&1 &
    pid=$!
    sleep 0.$((1 + kills * 7 % 3))$((kills * 37 % 10))
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    saved=kill$((kills % 5))/checkpoint.nn
    test ! -e $saved || "$NN" dump $saved >/dev/null 2>err ||
        broken=$((broken + 1))
    rm -rf kill$((kills % 5)).last
    test ! -e kill$((kills % 5)) ||
        mv kill$((kills % 5)) kill$((kills % 5)).last
    kills=$((kills + 1))
done
test $broken = 0 && ls kill?.last/checkpoint.nn >/dev/null 2>&1
verdict "S7: after fifty kills every checkpoint is whole"

(
    # shellcheck disable=SC3045
    ulimit -f 200
    fails "$NN" train big.yaml --quiet --epochs 2 --out limited
)
test $? = 0 && ! test -e limited/checkpoint.nn
verdict "S7: a limit on the size of files ends training with an error"
mkdir small
if mount -t tmpfs -o size=1m nn-cases small 2>/dev/null
then
    fails "$NN" train big.yaml --quiet --epochs 4 --out small/run
    ended=$?
    test ! -e small/run/checkpoint.nn || "$NN" dump small/run/checkpoint.nn \
        >/dev/null 2>err
    whole=$?
    umount small
    test $ended = 0 && test $whole = 0
    verdict "S7: a full disk ends training with an error, and keeps the last checkpoint"
else
    echo "skip S7: a full disk: no right to mount one"
fi
"$NN" train big.yaml --quiet --out gone >out 2>err &
pid=$!
tries=0
while test ! -e gone/checkpoint.nn && test $tries -lt 100
do
    sleep 0.05
    tries=$((tries + 1))
done
mv gone went # at once: a removal may meet a file that is being written
tries=0
while kill -0 $pid 2>/dev/null && test $tries -lt 100
do
    sleep 0.05
    tries=$((tries + 1))
done
if kill -9 $pid 2>/dev/null
then
    echo "it went on for five seconds" >>err
    false
else
    wait $pid
    got=$?
    test $got -ge 1 && test $got -le 5 && says err checkpoint
fi
verdict "S7: a folder that is gone ends training with an error"
: >file
for out in file file/run /proc/nowhere
do
    fails "$NN" train big.yaml --quiet --out $out && test ! -s out
    verdict "S7: a run in $out is an error before training"
done
mkdir busy busy/checkpoint.nn
fails "$NN" train big.yaml --quiet --out busy
verdict "S7: a folder in a checkpoint's place is an error"

# F2, F4
run 0 "$NN" train zero.yaml --quiet --out f
small_memory=:
can_limit -v 500000 && small_memory='ulimit -v 500000'
good=f/checkpoint.nn
bytes=$(wc -c <$good)
at=8
while test $at -lt 120
do
    cp $good absurd.nn
    printf '\377\377\377\377\377\377\377\177' |
        dd of=absurd.nn bs=1 seek=$at conv=notrunc 2>/dev/null
    (
        $small_memory
        run 5 "$NN" dump absurd.nn && says err absurd.nn
    ) || break
    at=$((at + 8))
done
test $at -ge 120 && test "$bytes" -gt 200
verdict "F2: absurd lengths are refused in little memory"
: >empty.nn
echo "this is a text" >text.nn
cp $good magic.nn
printf X | dd of=magic.nn bs=1 seek=1 conv=notrunc 2>/dev/null
mkdir nothing
for wrong in empty.nn text.nn magic.nn nothing nowhere.nn
do
    run 5 "$NN" dump $wrong && says err $wrong && run 5 "$NN" eval $wrong
    verdict "F4: $wrong is refused by name"
done
exit $status
