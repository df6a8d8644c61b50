/* SPDX-License-Identifier: MIT */
/* expect: hook.events
 * No event is asked for, so that it is never called. */
#include "hook.h"

ZOO_HOOK(hook_events, .events = 0);
