/* SPDX-License-Identifier: MIT */
/* expect: none
 * The layer of plugin.h as it is. */
#include "plugin.h"

ZOO_PLUGIN(good_plugin);
