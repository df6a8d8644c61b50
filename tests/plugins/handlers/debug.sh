#!/bin/sh
# SPDX-License-Identifier: MIT
# nn with the handler debug: the same results to the bit, and a wrong label told
# once with its place.
set -u
nn=${NN:?}
scratch=${abs_top_builddir:?}/tests/scratch/debug
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
status=0

# verdict NAME REASON: REASON is empty if all is well.
verdict ()
{
    if test -z "$2"
    then
        printf 'ok %s\n' "$1"
    else
        printf 'not ok %s\n%s\n' "$1" "$2"
        status=1
    fi
}

config ()
{
    cat <<EOF
nervenet: 1
handler: cpu
inputs:
  x: [2]
  y: {shape: [1], dtype: int32}
network:
  - fully_connected: {name: scores, from: x, size: 10}
  - softmax_ce: {name: loss, from: [scores, y]}
data:
  train:
    minibatches:
      size: 20
      inner: {csv: {file: $1, columns: {x: [0, 1], y: [2]}}}
training:
  stepper: {sgd: 0.1}
  epochs: 1
EOF
}

# rows WRONG: forty rows; row 17 has the label WRONG.
rows ()
{
    awk -v wrong="$1" 'BEGIN {
        for (i = 0; i < 40; i++)
            printf "%g,%g,%d\n", (i * 7 % 11) / 11, (i * 5 % 13) / 13,
                (i == 17 ? wrong : i % 10) }'
}

if "$nn" plugins cpu >/dev/null 2>&1
then
    backend=cpu
else
    backend=reference
fi

rows 7 >good.csv
config good.csv >good.yaml
rows 10 >bad.csv
config bad.csv >bad.yaml

"$nn" train bad.yaml --handler "debug($backend)" --out a >a.out 2>&1
got=$?
verdict "a label 10 of 10 classes is one finding, with layer and index" "$(
    test $got = 1 &&
        test "$(grep -c 'NN-[a-z_]*-index' a.out)" = 1 &&
        grep 'NN-index_m_by_v-index' a.out | grep 'v\[17\] is 10' |
        grep -q "of 'loss'" || { echo "status $got"; cat a.out; }
)"
"$nn" train bad.yaml --handler "$backend" --out b >b.out 2>&1
got=$?
verdict "without debug it is an error that names layer, index and limit" "$(
    test $got = 1 && grep "layer 'loss'" b.out | grep 'v\[17\] = 10' |
        grep -q '0 to 9' || { echo "status $got"; cat b.out; }
)"

# same NAME CONFIG OPTION...: both handlers end in the same parameters.
same ()
{
    name=$1 file=$2
    shift 2
    rm -rf c d
    for one in "c:$backend" "d:debug($backend)"
    do
        if ! "$nn" train "$file" --handler "${one#*:}" --out "${one%%:*}" \
            --quiet "$@" >"${one%%:*}.out" 2>&1
        then
            verdict "$name" "$(echo "$one"; cat "${one%%:*}.out")"
            return
        fi
    done
    verdict "$name" "$(
        grep 'NN-' d.out
        "$nn" dump --sha256 c 2>&1 | sed 's/ .*//' >c.hash
        "$nn" dump --sha256 d 2>&1 | sed 's/ .*//' >d.hash
        test -s c.hash || echo "there is no hash"
        cmp c.hash d.hash 2>&1
    )"
}

same "debug trains a small network to the same bits" good.yaml \
    --set training.epochs=5
for example in "${abs_top_srcdir:?}"/examples/*.yaml
do
    base=$(basename "$example")
    if test "$base" = fashion_mlp.yaml &&
        ! test -d /usr/share/datasets/fashion-mnist
    then
        echo "skip debug and $base: there is no data set"
        continue
    fi
    same "debug trains $base to the same bits" "$example" \
        --set training.updates=10
done
exit $status
