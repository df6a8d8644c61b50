#!/bin/sh
# SPDX-License-Identifier: MIT
# nn as a user meets it: help, exit statuses, messages, files, signals,
# locales.  NN is the program; the data are made here.
set -u
: "${NN:?}"
export NN
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
        test ! -s out || sed 's/^/    out: /' out | head -n 20
        test ! -s err || sed 's/^/    err: /' err | head -n 20
        status=1
    fi
}

# run STATUS COMMAND...: true if the command exits with STATUS; its output is
# in the files out and err.
run ()
{
    wanted=$1
    shift
    "$@" >out 2>err
    got=$?
    test $got = "$wanted" || {
        printf 'status %s instead of %s\n' $got "$wanted" >>err
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

# ------------------------------------------------------------------- the data

# number N: N as four bytes, big end first, in escapes of printf.
number ()
{
    printf '\\%03o' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) \
        $(($1 >> 8 & 255)) $(($1 & 255))
}

# 64 images of 2 x 2 pixels; class 1 is bright on the right.
images=$(printf '\\000\\000\\010\\003'; number 64; number 2; number 2)
labels=$(printf '\\000\\000\\010\\001'; number 64)
i=0
while test $i -lt 64
do
    a=$((2 + i % 5)) b=$((i % 3))
    if test $((i % 2)) = 0
    then
        images=$images$(printf '\\%03o' $a $b $a $b)
    else
        images=$images$(printf '\\%03o' $b $a $b $a)
    fi
    labels=$labels$(printf '\\%03o' $((i % 2)))
    i=$((i + 1))
done
# shellcheck disable=SC2059 # the escapes are the data
printf "$images" >images.idx
# shellcheck disable=SC2059
printf "$labels" >labels.idx

cat >tiny.yaml <<'YAML'
nervenet: 1
handler: reference
seed: 7
inputs: {images: [2, 2, 1], labels: {shape: [1], dtype: int32}}
network:
  - fully_connected: {size: 16, activation: relu, name: hidden}
  - dropout: {probability: 0.25, name: dropped}
  - fully_connected: {size: 2, name: scores}
  - softmax_ce: {from: {default: scores, targets: labels}}
initialize: {"*.W": {he: {}}, "*.bias": 0}
data:
  train: {minibatches: {size: 8, shuffle: true, inner: {idx: {images: images.idx, labels: labels.idx, range: [0, 48]}}}}
  validation: {minibatches: {size: 8, inner: {idx: {images: images.idx, labels: labels.idx, range: [48, 56]}}}}
  test: {minibatches: {size: 8, inner: {idx: {images: images.idx, labels: labels.idx, range: [56, 64]}}}}
training:
  stepper: {momentum: {learning_rate: 0.01, momentum: 0.9}}
  epochs: 4
  hooks: [progress, {monitor_scores: {data: validation, scorers: [accuracy]}}, checkpoint]
evaluation: {scorers: [accuracy]}
YAML

# ----------------------------------------------------------------- help, usage

run 0 "$NN" --help && says out train eval predict check render summary \
    plugins dump "Exit status"
verdict "nn --help lists all commands"
for command in train eval predict check render summary plugins dump
do
    run 0 "$NN" $command --help && says out "Usage: nn $command" --help \
        "Exit status" && test ! -s err
    verdict "nn $command --help"
done
run 0 "$NN" help train && says out "Usage: nn train" --resume --epochs
verdict "nn help train is nn train --help"
run 0 "$NN" train --help && says out --set --handler --resume --epochs --seed \
    --out --quiet --plugin
verdict "nn train --help names every option"
run 0 "$NN" --version && says out "nn " "plugin ABI 1." threads "handler"
verdict "nn --version"
run 2 "$NN" && says err Usage && test ! -s out
verdict "no command is a usage error"
run 2 "$NN" trian tiny.yaml && says err "unknown command 'trian'" "'train'"
verdict "a mistyped command is suggested"
run 2 "$NN" train tiny.yaml --epoch 3 && says err "'--epoch'" "'--epochs'"
verdict "a mistyped option is suggested"
run 2 "$NN" train tiny.yaml --epochs && says err "lacks its N"
verdict "an option without its value"
run 2 "$NN" train tiny.yaml --epochs=0 && says err "whole number from 1"
verdict "a number out of range"
run 2 "$NN" train tiny.yaml --epochs 3x && says err "'3x'"
verdict "a number that is none"
run 2 "$NN" check && says err CONFIG && run 2 "$NN" check a b &&
    says err "too many"
verdict "too few and too many operands"
run 2 "$NN" train tiny.yaml --quiet=1 && says err "takes no value"
verdict "a value for a flag"
# shellcheck disable=SC2016 # NN is of the environment
run 1 sh -c '"$NN" render tiny.yaml >/dev/full' && says err "stdout"
verdict "a full disk is an error"

# -------------------------------------------------------------- check, render

run 0 "$NN" check tiny.yaml && says out "tiny.yaml: ok" && test ! -s err
verdict "nn check of a good config"
sed 's/size: 16/sise: 16/' tiny.yaml >typo.yaml
run 2 "$NN" check typo.yaml && says err "typo.yaml:6:23: error:" "'size'" \
    "sise: 16" && grep -q '^ *^' err && test ! -s out
verdict "nn check shows place, line, caret and what was meant"
run 2 "$NN" train typo.yaml --out typo && says err typo.yaml:6:23 &&
    test ! -e typo
verdict "nn train refuses the same config and leaves nothing"
run 2 "$NN" check nowhere.yaml && says err nowhere.yaml
verdict "a config that is not there"
run 2 "$NN" check tiny.yaml --set training.epoch=3 && says err "--set:1:" \
    "'epochs'"
verdict "a mistyped --set"
run 2 "$NN" check tiny.yaml --set evaluation.output=score.outputs.default &&
    says err "'score.outputs.default'" "'scores.outputs.default'"
verdict "a buffer to score that is not there"
sed 's/images.idx/nowhere.idx/' tiny.yaml >nodata.yaml
run 0 "$NN" check nodata.yaml && run 4 "$NN" check --data nodata.yaml &&
    says err nowhere.idx
verdict "nn check opens data only with --data"
run 4 "$NN" train nodata.yaml && says err nowhere.idx && test ! -e runs
verdict "missing data are status 4, and no folder is made"
run 0 "$NN" render tiny.yaml && says out "bias: true" && mv out once.yaml &&
    run 0 "$NN" render once.yaml && cmp -s out once.yaml
verdict "nn render fills defaults in, and its output renders to itself"
run 0 "$NN" render tiny.yaml --set seed=9 --handler reference &&
    says out "seed: 9"
verdict "nn render shows what --set did"

# -------------------------------------------------------------------- summary

run 0 "$NN" summary tiny.yaml && says out hidden fully_connected "(T, B, 16)" \
    "114 parameters" "batches of 8 samples"
verdict "nn summary"
run 0 "$NN" summary tiny.yaml --json --batch 5 && says out '"parameters": 80' \
    '"B": 5'
verdict "nn summary --json"
run 0 "$NN" summary nodata.yaml && says err nowhere.idx && says out hidden
verdict "nn summary without data"

# -------------------------------------------------------------------- plugins

run 0 "$NN" plugins && says out "KIND" "fully_connected" "reference" &&
    says err searched
verdict "nn plugins"
run 0 "$NN" plugins fully_connected && says out "layer fully_connected" \
    "size: int, >= 1; required" "Parameters:" "Outputs:"
verdict "nn plugins NAME tells types, ranges and defaults"
run 2 "$NN" plugins fully_conected && says err "'fully_connected'"
verdict "nn plugins with a mistyped name"
if command -v python3 >/dev/null 2>&1 && python3 -c 'import json' 2>/dev/null
then
    "$NN" plugins --json >all.json 2>err &&
        "$NN" plugins dropout --json >one.json 2>err &&
        "$NN" summary tiny.yaml --json >summary.json 2>err &&
        python3 -c '
import json
assert json.load(open("all.json"))["components"]
assert json.load(open("one.json"))[0]["name"] == "dropout"
assert json.load(open("summary.json"))["layers"]' 2>>err
    verdict "what --json prints is JSON"
else
    echo "skip what --json prints is JSON: no python3"
fi
mkdir bad
echo "this is a text" >bad/text.so
: >bad/empty.so
some=$("$NN" plugins 2>/dev/null | awk '$6 ~ /\.so$/ { print $6; exit }')
if test -n "$some"
then
    head -c 2000 "$some" >bad/truncated.so
    cp "$some" bad/good.so
    run 0 env NN_PLUGIN_PATH="$work/bad" "$NN" plugins &&
        says out bad/text.so bad/empty.so bad/truncated.so bad/good.so \
            fully_connected && test "$(grep -c refused out)" = 3
    verdict "each bad file is listed with its reason, and all others"
else
    run 0 env NN_PLUGIN_PATH="$work/bad" "$NN" plugins &&
        says out bad/text.so bad/empty.so fully_connected
    verdict "each bad file is listed with its reason, and all others"
fi
run 3 "$NN" check tiny.yaml --plugin bad/text.so && says err text.so
verdict "a plugin that the user names must load"
run 3 "$NN" plugins --plugin nowhere.so && says err nowhere.so
verdict "a plugin that is not there"

# ---------------------------------------------------------------------- train

run 0 "$NN" train tiny.yaml && says err "runs/tiny" && test -d runs/tiny &&
    run 0 "$NN" train tiny.yaml && says err runs/tiny-2 && test -d runs/tiny-2
verdict "without --out runs are numbered, and nn says so"
grep -qE '^test loss: [0-9]+\.[0-9]{4}$' out &&
    tail -n 1 out | grep -qE '^test accuracy: [01]\.[0-9]{4}$' &&
    test "$(wc -l <out)" = 2
verdict "stdout is the scores of the test data, accuracy last"
grep -q 'epoch 4/4' err && ! grep -q "$(printf '\r')" err &&
    ! grep -q "$(printf '\033')" err
verdict "progress in a file is plain lines"
run 0 "$NN" train tiny.yaml --quiet --out quiet && test ! -s err &&
    test -s out
verdict "nn train --quiet"
run 2 "$NN" train tiny.yaml --out quiet && says err "--resume quiet"
verdict "a folder with a run in it is not overwritten"
run 5 "$NN" train tiny.yaml --resume nowhere && says err nowhere &&
    test ! -e nowhere
verdict "a run to go on from that is not there"
if script -qec true /dev/null >/dev/null 2>&1 </dev/null
then
    script -qec "'$NN' train tiny.yaml --out bar --epochs 2000 --set \
        training.hooks=[progress]" /dev/null >out 2>err </dev/null
    grep -q "$(printf '\r')epoch" out && grep -q ' left ' out
    verdict "progress on a terminal is a line with rate and time left"
else
    echo "skip progress on a terminal: no script"
fi

run 0 "$NN" train tiny.yaml --epochs 4 --out a &&
    run 0 "$NN" train tiny.yaml --epochs 2 --out b &&
    run 0 "$NN" train tiny.yaml --epochs 4 --resume b --out b &&
    run 0 "$NN" dump --sha256 a b && awk '{ print $1 }' out | uniq >hashes &&
    test "$(wc -l <hashes)" = 1 && grep -qE '^[0-9a-f]{64}$' hashes
verdict "two epochs and two more are four, to the bit"
run 0 "$NN" train tiny.yaml --epochs 6 --resume a/checkpoint.nn --out c &&
    run 0 "$NN" train tiny.yaml --epochs 6 --resume b &&
    run 0 "$NN" dump --diff b c
verdict "a run goes on from a file, and in its own folder"

run 0 "$NN" train tiny.yaml --epochs 2 --resume c --out c &&
    says err "6 epochs already" "nothing is left to train"
verdict "a run that is done already says so"
run 0 "$NN" train tiny.yaml --epochs 1 --out s1 &&
    run 0 "$NN" train tiny.yaml --epochs 1 --seed 8 --out s2 &&
    run 1 "$NN" dump --diff s1 s2 && says out hidden.W "more than"
verdict "another seed is another network, and nn dump --diff says so"
run 0 "$NN" dump --diff s1 s2 --tolerance 100
verdict "nn dump --diff --tolerance"
run 0 "$NN" dump --sha256 s1 s2 && grep -q '  s2$' out &&
    test "$(awk '{ print $1 }' out | uniq | wc -l)" = 2
verdict "nn dump --sha256 tells networks apart"
if "$NN" plugins cpu >/dev/null 2>&1
then
    run 0 "$NN" train tiny.yaml --epochs 1 --handler cpu --out s3 &&
        run 0 "$NN" dump --diff s1 s3 --tolerance 1e-5
    verdict "handlers cpu and reference agree"
else
    echo "skip handlers cpu and reference agree: no cpu"
fi

# ----------------------------------------------------------------------- dump

run 0 "$NN" dump a && says out parameters hidden.W float32 "(16, 4)" MINIMUM
verdict "nn dump"
run 0 "$NN" dump a --config && says out fully_connected &&
    run 0 "$NN" summary a && says out "114 parameters"
verdict "the network is in the checkpoint"
run 5 "$NN" dump nowhere && run 5 "$NN" eval nowhere &&
    run 5 "$NN" dump tiny.yaml && says err tiny.yaml
verdict "a checkpoint that is not there, and one that is none"
head -c 1000 a/checkpoint.nn >cut.nn
run 5 "$NN" dump cut.nn && says err cut.nn &&
    run 5 "$NN" train tiny.yaml --resume cut.nn --out cut && test ! -e cut
verdict "a truncated checkpoint"
cp a/checkpoint.nn flipped.nn
printf X | dd of=flipped.nn bs=1 seek=900 conv=notrunc 2>/dev/null
run 5 "$NN" predict flipped.nn --data test --config tiny.yaml && test ! -s out
verdict "a damaged checkpoint"

# -------------------------------------------------------------- eval, predict

run 0 "$NN" train tiny.yaml --out e && mv out trained &&
    run 0 "$NN" eval e/checkpoint.nn && cmp -s out trained
verdict "nn eval finds what nn train found"
run 0 "$NN" eval e --data validation --config tiny.yaml --json &&
    says out '"accuracy": ' '"data": "validation"'
verdict "nn eval --data --config --json"
run 2 "$NN" eval e --data tset && says err "'test'"
verdict "nn eval with data that the config lacks"

run 0 "$NN" predict e --data test && mv out data.csv &&
    test "$(wc -l <data.csv)" = 9 && head -n 1 data.csv | grep -qx 'sample,0,1'
verdict "nn predict prints csv"
awk -F, 'NR > 1 { s = $2 + $3; if (s < 0.999999 || s > 1.000001) exit 1 }' \
    data.csv
verdict "the predictions are probabilities"
run 0 "$NN" predict e --data test --set 'data.test={minibatches: {size: 5, inner:
    {idx: {images: images.idx, range: [56, 64]}}}}' && cmp -s out data.csv &&
    run 4 "$NN" eval e --set 'data.test={idx: {images: images.idx}}' &&
    says err "'labels'"
verdict "data without labels are predicted and not evaluated"
run 0 "$NN" predict e --data test --format jsonl &&
    test "$(wc -l <out)" = 8 &&
    head -n 1 out | grep -qE '^\{"sample": 0, "output": \[[^]]*, [^]]*\]\}$'
verdict "nn predict prints JSON lines"
run 0 "$NN" predict e --data test --out p.npy && test ! -s out &&
    test "$(wc -c <p.npy)" = $((256 + 8 * 2 * 4)) && head -c 128 p.npy |
    tr -d '\223' | grep -qF "'shape': (8, 2,)" && test ! -e p.npy.part
verdict "nn predict writes npy"
tail -c 64 p.npy | od -An -v -tf4 | tr -s ' \n' '\n' | grep . >numbers
sed 1d data.csv | cut -d, -f2,3 | tr , '\n' | paste numbers - |
    awk '{ d = $1 - $2; if (d < -1e-6 || d > 1e-6) exit 1; n++ }
         END { exit n != 16 }'
verdict "npy and csv hold the same numbers"
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (8, 2, 2), }"
    tail -c 32 images.idx
} >x.npy
run 0 "$NN" predict e images=x.npy && cmp -s out data.csv
verdict "inputs from npy, without labels, give the same"
run 0 "$NN" predict e images=x.npy --buffer hidden.outputs.default &&
    head -n 1 out | grep -q ',15$'
verdict "nn predict --buffer"
run 4 "$NN" predict e images=tiny.yaml && says err tiny.yaml &&
    run 2 "$NN" predict e image=x.npy && says err "'images'"
verdict "an input that is none, and one of another name"
run 2 "$NN" predict e images=x.npy --buffer hiden.outputs.default &&
    says err "'hiden.outputs.default'" && test ! -s out
verdict "nn predict --buffer with a path that is none"
run 0 "$NN" train tiny.yaml --set dtype=float64 --out double &&
    run 0 "$NN" predict double images=x.npy --out wide.npy &&
    head -c 128 wide.npy | tr -d '\223' | grep -qF "'<f8'" &&
    run 0 "$NN" eval double
verdict "a network of float64 is evaluated and predicts float64"
: >empty.npy
run 4 "$NN" predict e images=empty.npy && says err empty.npy &&
    run 4 "$NN" predict e images=nowhere.npy && says err nowhere.npy &&
    test ! -s out
verdict "an input that is empty, and one that is not there"
run 2 "$NN" predict e && run 2 "$NN" predict e --data test --format xml
verdict "nn predict without inputs, and in no format"

# -------------------------------------------------------------------- signals

slow="--set network.hidden.size=512 --set training.hooks=[checkpoint]"
slow="$slow --epochs 400"
# stopped SIGNAL FOLDER: trains in the background, sends the signal after the
# first checkpoint, and waits; the status is in $got.
stopped ()
{
    # shellcheck disable=SC2086 # options
    "$NN" train tiny.yaml $slow --out "$2" >out 2>err &
    pid=$!
    tries=0
    while test ! -e "$2/checkpoint.nn" && test $tries -lt 200
    do
        sleep 0.05
        tries=$((tries + 1))
    done
    for signal in $1
    do
        kill -s "$signal" $pid
    done
    wait $pid 2>/dev/null
    got=$?
}

# shellcheck disable=SC2086
run 0 "$NN" train tiny.yaml $slow --out whole
verdict "a run to compare with"
stopped INT int
test $got = 130 && says err "SIGINT" "--resume int" && test ! -s out
verdict "SIGINT ends with status 130"
# shellcheck disable=SC2086
run 0 "$NN" train tiny.yaml $slow --resume int &&
    run 0 "$NN" dump --sha256 whole int &&
    test "$(awk '{ print $1 }' out | uniq | wc -l)" = 1
verdict "what SIGINT left goes on to the same parameters"
stopped TERM term
test $got = 143 && says err "SIGTERM" && run 0 "$NN" dump term
verdict "SIGTERM ends with status 143 and leaves a checkpoint"
stopped "STOP INT TERM CONT" twice
test $got = 143 && ! grep -q "ended by" err && run 0 "$NN" dump twice
verdict "a second signal ends at once"

# --------------------------------------------------------------------- locale

mkdir locales
if localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >/dev/null 2>&1 &&
    test "$(env LOCPATH="$work/locales" LC_ALL=de_DE.UTF-8 \
        printf %.1f 0,5 2>/dev/null)" = 0,5
then
    # shellcheck disable=SC2317 # called through run
    german ()
    {
        env LOCPATH="$work/locales" LC_ALL=de_DE.UTF-8 "$@"
    }
    run 0 "$NN" render tiny.yaml && mv out plain &&
        run 0 german "$NN" render tiny.yaml && cmp -s out plain
    verdict "nn render is the same where a comma is the decimal point"
    run 0 german "$NN" train tiny.yaml --out german &&
        run 0 "$NN" dump --diff a german --tolerance 0 &&
        run 0 german "$NN" predict e --data test && cmp -s out data.csv
    verdict "so are training and predictions"
else
    echo "skip nn render is the same everywhere: no locale de_DE"
fi

exit $status
