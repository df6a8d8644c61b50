#!/bin/sh
# SPDX-License-Identifier: MIT
# static-plugins.sh MODULE.la... - prints the C source of the table of plugins
# that are linked into the library; without arguments the table is empty.
#
# The module DIR/layer-mask.la holds the entry layer_mask_LTX_nn_plugin_v1,
# which NN_PLUGIN_ENTRY(layer_mask) defines.
set -eu

entries=
for module
do
    name=${module##*/}
    entries="$entries $(printf '%s' "${name%.la}" | tr - _)"
done

cat <<'TEXT'
/* Made by build-aux/static-plugins.sh: the plugins that are part of the
 * library; see registry/static.h. */
#include "core/registry/static.h"

TEXT
for entry in $entries
do
    printf 'extern const nn_plugin %s_LTX_nn_plugin_v1;\n' "$entry"
done
printf '\nconst nn_static_plugin nn_static_plugins[] = {\n'
for entry in $entries
do
    printf '    {"%s", &%s_LTX_nn_plugin_v1},\n' "$entry" "$entry"
done
printf '    {0, 0},\n};\n'
