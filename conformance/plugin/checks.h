/* SPDX-License-Identifier: MIT */
/* checks.h - the checks that checks.c lists. */
#ifndef NN_CONFORMANCE_PLUGIN_CHECKS_H
#define NN_CONFORMANCE_PLUGIN_CHECKS_H

#include "conformance/check.h"

extern const check abi_load;
extern const check abi_symbols;
extern const check abi_deps;
extern const check abi_struct;
extern const check abi_negotiate;
extern const check meta_plugin;
extern const check meta_component;
extern const check meta_doc;
extern const check schema_defaults;
extern const check schema_fuzz;
extern const check iso_output;
extern const check iso_files;
extern const check iso_threads;
extern const check iso_process;
extern const check iso_network;
extern const check iso_fenv;

#endif
