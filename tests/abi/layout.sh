#!/bin/sh
# SPDX-License-Identifier: MIT
# The layout of the plugin interface against the golden files of sdk/abi, and
# the rules of docs/ABI.md, section 2.  Each kind of change that breaks old
# plugins is then made in a copy of the headers, and must be found there.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
abi=sdk/abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! printf 'typedef char p[sizeof(void *) == 8 ? 1 : -1];\n' |
    ${CC:-cc} -x c -fsyntax-only - 2>/dev/null
then
    echo "skip layout of the plugin interface: it is recorded for 64 bits"
    exit 0
fi

# today INCLUDE: the layout of these headers, or why there is none.
today ()
{
    $abi/layout.sh "$1" 2>"$scratch/errors" || sed 's/^/unreadable /' "$scratch/errors"
}

# compare GOLDEN TODAY: the findings.
compare ()
{
    LC_ALL=C awk -f $abi/compare.awk "$1" "$2" | LC_ALL=C sort
}

# sizes FOLDER: each NN_SIZEOF that does not name the last member, and each
# sized struct whose `size` does not say which that is.
sizes ()
{
    awk -v headers="$(grep -ho 'NN_SIZEOF(nn_[a-z_]*, *[a-z_.]*)' "$1"/nn/*.h | tr '\n' ';')" '
        $1 == "member" { last[$2] = $3; if ($3 == "size") sized[$2] = 1 }
        END {
            n = split(headers, use, ";")
            for (i = 1; i < n; i++) {
                name = use[i]; sub(/NN_SIZEOF\(/, "", name)
                member = name; sub(/,.*/, "", name)
                sub(/.*, */, "", member); sub(/\)/, "", member)
                named[name] = 1
                if (!(name in last)) print use[i] ": no such struct"
                else if (last[name] != member)
                    print use[i] ": the last member is " last[name]
            }
            for (name in sized)
                if (!(name in named))
                    print name ": the comment of size does not name the last member"
        }' "$scratch/today" | LC_ALL=C sort
}

today sdk/include >"$scratch/today"
minor=$(awk '$2 == "NN_ABI_MINOR" { print $3 }' "$scratch/today")

verdict "the layout of this minor is recorded" "$(
    test -f "$abi/layout-1.$minor.txt" || echo "$abi/layout-1.$minor.txt is missing"
)"
for golden in "$abi"/layout-1.*.txt
do
    verdict "the interface begins with all of ${golden##*/}" \
        "$(compare "$golden" "$scratch/today")"
done
verdict "members are of fixed width, without hidden padding" \
    "$(awk -f $abi/rules.awk "$scratch/today")"
verdict "sizes end with the last member" "$(sizes sdk/include)"

# ---- the checks themselves ----------------------------------------------

# mutate FILE EXPRESSION: a copy of the headers, FILE changed by sed; its layout
# is then in $scratch/mutated.
mutate ()
{
    rm -rf "$scratch/include"
    cp -r sdk/include "$scratch/include"
    sed "$2" "sdk/include/nn/$1" >"$scratch/include/nn/$1"
    if cmp -s "sdk/include/nn/$1" "$scratch/include/nn/$1"
    then
        echo "the change of $1 changes nothing"
    fi
    today "$scratch/include" >"$scratch/mutated"
}

# found NAME EXPECTED FINDINGS: EXPECTED is what FINDINGS must mention.
found ()
{
    case $3 in
    *"$2"*) verdict "$1" "" ;;
    *) verdict "$1" "expected: $2${3:+; found: $3}" ;;
    esac
}

# breaks NAME FILE EXPRESSION EXPECTED: this change is found.
breaks ()
{
    changed=$(mutate "$2" "$3")
    found "finds $1" "$4" "$changed$(compare "$scratch/today" "$scratch/mutated")"
}

breaks "a member that is inserted" host.h \
    '/^    uint32_t abi_minor;/a uint32_t flags; uint32_t more;' \
    'nn_host.flags stands before nn_host.alloc'
breaks "a member that is retyped" iterator.h \
    's/^    int64_t n_samples;/    uint64_t n_samples;/' \
    'nn_iterator_info.n_samples is '
breaks "a function with another argument" layer.h \
    's/(\*setup)(nn_setup \*setup)/(*setup)(nn_setup *setup, int32_t again)/' \
    'nn_layer_interface.setup is '
breaks "members that change places" plugin.h \
    '/^    const char \*id;/{h;d;};/^    const char \*name; /G' \
    'nn_plugin.name stands before nn_plugin.id'
breaks "a member that is removed" hook.h '/^    double seconds;/d' \
    'nn_hook_context.seconds is gone'
breaks "a member that is renamed" params.h 's/uint32_t given;/uint32_t is_given;/' \
    'nn_value.given is gone'
breaks "a struct that grows inside another" layer.h \
    's/^    int64_t dims\[NN_MAX_DIMS\];/& int64_t more;/;/_is_80_bytes/d' \
    'nn_buffer.shape is '
breaks "a struct that is gone" reference.h 's/nn_reference {/nn_referred {/' \
    'nn_reference.size is gone'
breaks "a constant with another value" base.h \
    's/^#define NN_KIND_HOOK 3u/#define NN_KIND_HOOK 11u/' \
    'NN_KIND_HOOK is 11, was 3'
breaks "a constant that is gone" plugin.h '/^#define NN_PORT_NO_DELTA/d' \
    'NN_PORT_NO_DELTA is gone'
breaks "a text with another value" linear.h 's,nn.linear/1,nn.linear/2,' \
    'NN_LINEAR is "nn.linear/2"'
breaks "operations that change places" operations.h \
    '/X(ABS_T,/{h;d;};/X(SIGN_T,/G' 'operation.sign_t stands before operation.abs_t'
breaks "an operation with other operands" operations.h \
    '/X(FILL, /s/"out y \*"/"in x *, out y *"/' 'operation.fill is '
breaks "another type of operations" operations.h \
    's/^typedef void (\*nn_operation_fn)/typedef int32_t (*nn_operation_fn)/' \
    'nn_operation_fn has another type'

changed=$(mutate plugin.h 's/^    void (\*deinit)(void);/& uint64_t more;/')
verdict "lets a member be appended" \
    "$changed$(compare "$scratch/today" "$scratch/mutated")"
changed=$(mutate operations.h '/X(SOFTMAX_BACKWARD_M,/s/$/ X(LAST, last, "out y *", "a", "")/')
verdict "lets an operation be appended" \
    "$changed$(compare "$scratch/today" "$scratch/mutated")"
changed=$(mutate base.h 's/^#define NN_KIND_COMMUNICATOR 10u/&\n#define NN_KIND_LAST 11u/')
verdict "lets a constant be appended" \
    "$changed$(compare "$scratch/today" "$scratch/mutated")"

changed=$(mutate training.h 's/^    int64_t update;   .*/    long update; _Bool odd; double x;/;/_is_48_bytes/d')
rules=$(awk -f $abi/rules.awk "$scratch/mutated")
found "finds a type without a width" 'nn_modifier_context.update is of type long' "$changed$rules"
found "finds padding without a name" 'nn_modifier_context.x begins at' "$rules"
changed=$(mutate layer.h 's/^    double value; .*/    uint32_t bits : 3;/')
found "finds a bit-field" 'nn_buffer' "$changed$(awk -f $abi/rules.awk "$scratch/mutated")"
changed=$(mutate layer.h 's/NN_SIZEOF(nn_layer_interface, backward)/NN_SIZEOF(nn_layer_interface, forward)/')
found "finds a size that ends too early" 'NN_SIZEOF(nn_layer_interface, forward): the last member is backward' \
    "$changed$(sizes "$scratch/include")"
exit $status
