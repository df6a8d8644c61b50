/* SPDX-License-Identifier: MIT */
/* expect: hook.output
 * It prints. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    printf("epoch %d\n", (int)context->progress.epoch);
    return good_call(hook, context);
}

ZOO_HOOK(hook_output_printf, .call = call);
