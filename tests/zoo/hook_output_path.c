/* SPDX-License-Identifier: MIT */
/* expect: hook.output
 * A checkpoint goes to a folder that is not the run's. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    int32_t code = good_call(hook, context);

    return code == NN_OK && context->when == NN_AT_EPOCH
               ? context->save(context, "/tmp/last.nn")
               : code;
}

ZOO_HOOK(hook_output_path, .call = call);
