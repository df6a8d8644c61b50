/* SPDX-License-Identifier: MIT */
/* expect: abi.load
 * also: abi.symbols  the symbol is named there
 * also: abi.struct   the entry cannot be read
 * also: abi.deps     the entry cannot be read
 * also: meta.plugin  the entry cannot be read
 * A function that nobody has is called. */
#define INIT zoo_no_such_function
#include "plugin.h"

int32_t zoo_no_such_function(const nn_host *host);

ZOO_PLUGIN(abi_load_symbol);
