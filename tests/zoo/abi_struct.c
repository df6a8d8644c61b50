/* SPDX-License-Identifier: MIT */
/* expect: abi.struct
 * A reserved member is not zero. */
#define RESERVED 7
#include "plugin.h"

ZOO_PLUGIN(abi_struct);
