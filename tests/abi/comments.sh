#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function of the public headers says when it may be called, and every
# member of a struct what it is.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

comments () { awk -f sdk/abi/comments.awk "$@"; }

verdict "every public function and member has its comment" \
    "$(comments sdk/include/nn/*.h sdk/include/nervenet.h)"

# misses NAME FILE EXPRESSION EXPECTED: FILE changed by sed is found out.
misses ()
{
    sed "$3" "sdk/include/$2" >"$scratch/changed.h"
    found=$(comments "$scratch/changed.h")
    case $found in
    *"$4"*) verdict "finds $1" "" ;;
    *) verdict "finds $1" "expected: $4${found:+; found: $found}" ;;
    esac
}

misses "a slot without a tag" nn/host.h \
    's/formats\.  \[any\]/formats./' 'no tag above int32_t (*set_error)'
misses "an inline function without a tag" nn/array.h \
    's/Number of elements\.  \[any\]/Number of elements./' 'no tag above static inline int64_t nn_elements'
misses "a function of the library without a tag" nervenet.h \
    's/^\/\* "0.1.0"\.  \[any\] \*\///' 'no tag above NN_API const char *nn_version'
misses "a member without a comment" nn/hook.h \
    's,\(int64_t batches;\).*,\1,' 'no comment at int64_t batches;'
misses "a struct without a comment" nn/params.h \
    's,^/\* One value\..*,,' 'no comment above typedef struct nn_value {'
misses "a constant without a comment" nn/loss.h \
    's,^/\* The parameter i\..*,,' 'no comment above static const nn_param nn_loss_importance'
exit $status
