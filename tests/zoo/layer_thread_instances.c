/* SPDX-License-Identifier: MIT */
/* expect: layer.thread.instances
 * Forward keeps its output in a static variable for a moment. */
#include <time.h>

#define FORWARD forward
#include "plugin.h"

static nn_array output_of_now;

static void forward(const nn_layer_context *context)
{
    const struct timespec moment = {0, 1000};

    output_of_now = context->outputs[0];
    nanosleep(&moment, NULL);
    if (nn_wanted(&output_of_now))
        nn_mult_mv(context->ops, &context->inputs[0], &context->parameters[0],
                   &output_of_now);
}

ZOO_PLUGIN(layer_thread_instances);
