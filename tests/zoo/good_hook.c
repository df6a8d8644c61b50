/* SPDX-License-Identifier: MIT */
/* expect: none
 * The hook of hook.h as it is. */
#include "hook.h"

ZOO_HOOK(good_hook, .requests = NULL);
