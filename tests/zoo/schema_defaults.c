/* SPDX-License-Identifier: MIT */
/* expect: schema.defaults
 * The default lies above the maximum. */
#define START_DEFAULT "5"
#include "plugin.h"

ZOO_PLUGIN(schema_defaults);
