/* SPDX-License-Identifier: MIT */
/* expect: hook.repeat
 * also: hook.state  two instances go on in turn there
 * A count of all instances together. */
#include "hook.h"

static int calls;

static int32_t call(nn_hook *hook, const nn_hook_context *context)
{
    if (++calls % 4 == 0)
        context->emit(context, "this is a fourth call\n");
    return good_call(hook, context);
}

ZOO_HOOK(hook_repeat, .call = call);
