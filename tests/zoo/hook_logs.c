/* SPDX-License-Identifier: MIT */
/* expect: hook.logs
 * A log without values is an error. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    int64_t count = 0;

    context->log_last(context, "training.loss", &count);
    if (!count)
        return nn_fail(context->host, NN_STATE, "zoo.log",
                       "there is no training.loss");
    return good_call(hook, context);
}

ZOO_HOOK(hook_logs, .call = call);
