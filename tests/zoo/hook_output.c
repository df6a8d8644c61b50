/* SPDX-License-Identifier: MIT */
/* expect: hook.output
 * Texts end in the middle of a line. */
#include "hook.h"

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    context->emit(context, "almost there");
    return good_call(hook, context);
}

ZOO_HOOK(hook_output, .call = call);
