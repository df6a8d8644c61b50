/* SPDX-License-Identifier: MIT */
/* expect: meta.component
 * A parameter has no documentation. */
#define START_DOC ""
#include "plugin.h"

ZOO_PLUGIN(meta_component);
