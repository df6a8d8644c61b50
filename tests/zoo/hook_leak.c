/* SPDX-License-Identifier: MIT */
/* expect: hook.leak
 * Destroy forgets what create took. */
#include "hook.h"

static void destroy(nn_hook *hook)
{
    (void)hook;
}

ZOO_HOOK(hook_leak, .destroy = destroy);
