/* SPDX-License-Identifier: MIT */
/* expect: abi.struct
 * The layer has no forward. */
#define FORWARD NULL
#include "plugin.h"

ZOO_PLUGIN(abi_struct_slot);
