/* SPDX-License-Identifier: MIT */
/* expect: hook.stop
 * The end of training is asked for with a code of its own. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    int32_t code = good_call(hook, context);

    return code == NN_OK && context->progress.epoch == 3 ? 2 : code;
}

ZOO_HOOK(hook_stop, .call = call);
