/* SPDX-License-Identifier: MIT */
/* checks.c - the checks of this folder, in the order in which they run. */
#include "conformance/plugin/checks.h"

const check *const plugin_checks[] = {
    &abi_load,    &abi_symbols,   &abi_deps,
    &abi_struct,  &meta_plugin,   &meta_component,
    &meta_doc,    &abi_negotiate, &schema_defaults,
    &schema_fuzz, &iso_output,    &iso_files,
    &iso_threads, &iso_process,   &iso_network,
    &iso_fenv,    NULL,
};
