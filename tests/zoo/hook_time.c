/* SPDX-License-Identifier: MIT */
/* expect: hook.time
 * From update 1000 on it waits for something that does not come. */
#include <unistd.h>

#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    while (context->progress.update >= 1000)
        pause();
    return good_call(hook, context);
}

ZOO_HOOK(hook_time, .call = call);
