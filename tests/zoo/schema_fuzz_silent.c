/* SPDX-License-Identifier: MIT */
/* expect: schema.fuzz
 * Setup refuses a negative start without a message. */
#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    return nn_param_real(s->params, 0) < 0 ? NN_INVALID_ARGUMENT
                                           : good_setup(s);
}

ZOO_PLUGIN(schema_fuzz_silent);
