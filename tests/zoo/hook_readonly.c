/* SPDX-License-Identifier: MIT */
/* expect: hook.readonly
 * The number of epochs is changed in the context. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    int32_t code = good_call(hook, context);

    ((nn_hook_context *)(uintptr_t)context)->progress.total_epochs = 3;
    return code;
}

ZOO_HOOK(hook_readonly, .call = call);
