/* SPDX-License-Identifier: MIT */
/* expect: hook.state
 * What it says depends on a count that no checkpoint has. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    hook->kept += 1;
    if (hook->kept == 3)
        context->emit(context, "this is the third call\n");
    return good_call(hook, context);
}

ZOO_HOOK(hook_state, .call = call);
