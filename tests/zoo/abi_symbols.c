/* SPDX-License-Identifier: MIT */
/* expect: abi.symbols
 * A helper function is exported. */
#include "plugin.h"

int zoo_helper(int x);
int zoo_helper(int x)
{
    return x + 1;
}

ZOO_PLUGIN(abi_symbols);
