/* SPDX-License-Identifier: MIT */
/* expect: layer.state
 * Setup refuses a start that is given, as it is in the file of a model. */
#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    if (nn_param_value(s->params, 0)->given)
        return nn_fail(s->host, NN_INVALID_ARGUMENT, "zoo.given",
                       "the start is the layer's own business");
    return good_setup(s);
}

ZOO_PLUGIN(layer_state);
