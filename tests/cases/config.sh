#!/bin/sh
# SPDX-License-Identifier: MIT
# Configs of the case bank, as nn meets them: F5, F7, N7, N8, and that layers
# which do not exist are refused.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/cases/cases.sh"

small_stack=:
can_limit -s 256 && small_stack='ulimit -s 256'
small_memory=:
can_limit -v 4000000 && small_memory='ulimit -v 4000000'

cat >good.yaml <<'YAML'
nervenet: 1
handler: reference
inputs: {x: [2], t: {shape: [1], dtype: int32}}
network:
  - fully_connected: {name: hidden, size: 4, activation: relu}
  - fully_connected: {name: scores, size: 3}
  - softmax_ce: {from: [scores, t]}
training:
  stepper: {sgd: {learning_rate: 0.1}}
  epochs: 1
YAML
run 0 "$NN" check good.yaml
verdict "the good config is good"

# changed SED PLACE TEXT...: the config after SED is refused at PLACE.
changed ()
{
    sed "$1" good.yaml >bad.yaml
    place=$2
    shift 2
    run 2 "$NN" check bad.yaml && says err "bad.yaml:$place: error: " "$@"
}

# F7
changed 's/learning_rate/learing_rate/' 9:19 "'learing_rate'" "'learning_rate'"
verdict "F7: a misspelt key of a stepper is refused with what was meant"
changed 's/size: 4/kernal: 3, size: 4/' 5:37 "'kernal'"
verdict "F7: an unknown key of a layer is refused"
changed 's/epochs: 1/epochs: 1\
  epochs: 2/' 11:3 "'epochs'" "line 10"
verdict "F7: a repeated key is refused with both lines"
changed 's/name: scores/name: hidden/' 6:29 "'hidden'"
verdict "F7: two layers of one name are refused"
changed 's/from: \[scores, t\]/from: [score, t]/' 7:25 "'score'" "'scores'"
verdict "F7: a layer that reads what does not exist is refused"
changed 's/softmax_ce/softmax_cross/' 7:5 "'softmax_cross'"
verdict "F7: an unknown layer is refused"
for value in 3x 0x10 1e400 1_000 '' nan .inf
do
    changed "s/rate: 0.1/rate: $value/" 9:34 "'learning_rate'" "$value"
    verdict "F7: '$value' is no rate"
    changed "s/size: 4/size: $value/" 5:43 "'size'" "$value"
    verdict "F7: '$value' is no size"
done
printf '%s' "$(cat good.yaml)" >plain.yaml
run 0 "$NN" check plain.yaml
verdict "F7: a missing last newline does not matter"
sed "s/\$/$(printf '\r')/" good.yaml >plain.yaml
run 0 "$NN" check plain.yaml
verdict "F7: line ends of Windows do not matter"
{
    printf '\357\273\277'
    cat good.yaml
} >plain.yaml
run 0 "$NN" check plain.yaml
verdict "F7: a byte order mark does not matter"
sed "s/: {name: /:$(printf '\t'){name:$(printf '\t')/" good.yaml >plain.yaml
run 0 "$NN" check plain.yaml
verdict "F7: a tab between words is a space"
changed "s/^  - softmax/$(printf '\t')- softmax/" 7:1 tab
verdict "F7: a tab as indentation is refused by name"

# F5
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; print "" }' >brackets.yaml
awk 'BEGIN { for (i = 0; i < 10000000; i++) printf "["; print "" }' >many.yaml
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{a: "; print "" }' >maps.yaml
awk 'BEGIN { for (i = 0; i < 100000; i++) print "- " "-" }' >rows.yaml
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "- "; print "" }' >dashes.yaml
for deep in brackets many maps rows dashes
do
    (
        $small_stack
        fails "$NN" check $deep.yaml && says err $deep.yaml:1
    )
    verdict "F5: deep or long nesting of $deep ends in an error"
done
sed 's/name: hidden,/name: hidden, from: scores,/' good.yaml >cycle.yaml
(
    $small_stack
    run 2 "$NN" check cycle.yaml && says err cycle "hidden <- scores <- hidden"
)
verdict "F5: a cycle of layers is shown"
{
    printf 'nervenet: 1\nhandler: reference\ninputs: {x: [1]}\nnetwork:\n'
    awk 'BEGIN { for (i = 0; i < 20000; i++)
        printf "  - fully_connected: {name: l%d, size: 1}\n", i }'
    printf '  - loss\n'
} >chain.yaml
(
    $small_stack
    run 0 "$NN" check chain.yaml && run 0 "$NN" summary chain.yaml
)
verdict "F5: a chain of 20000 layers works"
run 2 "$NN" check good.yaml --set include=good.yaml && says err "'include'"
verdict "F5: configs do not include others"

# N7: 2^64 wraps to 0, the second is just over 2^63
for size in 4294967296 3037000500 9007199254740991
do
    cat >huge.yaml <<YAML
nervenet: 1
handler: reference
inputs: {x: [$size]}
network: [{fully_connected: {name: huge, size: $size}}, loss]
training: {stepper: {sgd: 1}, epochs: 1}
YAML
    (
        $small_memory
        fails "$NN" check huge.yaml && says err "'huge'" "too large" &&
            fails "$NN" train huge.yaml --out huge && says err "'huge'"
    )
    verdict "N7: a layer of $size times $size is refused by name"
done

# N8
for change in 's/size: 4/size: 0/' 's/size: 4/size: -1/' 's/x: \[2\]/x: [0]/' \
    's/x: \[2\]/x: [-2]/' 's/x: \[2\]/x: [2, 0, 1]/' 's/epochs: 1/epochs: -1/'
do
    sed "$change" good.yaml >bad.yaml
    run 2 "$NN" check bad.yaml && says err bad.yaml:
    verdict "N8: $change is refused"
done

# Layers of the bank that do not exist here are no options to be ignored.
for layer in max_pooling avgpool convolution batch_normalization lstm rnn gru
do
    sed "s/  - softmax/  - $layer: {size: 3}\\
  - softmax/" good.yaml >bad.yaml
    run 2 "$NN" check bad.yaml && says err "bad.yaml:7:" "'$layer'"
    verdict "P, C, B, R: layer $layer is refused as unknown"
done
exit $status
