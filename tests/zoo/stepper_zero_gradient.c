/* SPDX-License-Identifier: MIT */
/* expect: stepper.zero-gradient
 * Parameters without a gradient drift. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    nn_array w = *c->parameters;

    good_step(c);
    w.mode = NN_WRITE;
    nn_add_ts(c->ops, &w, 1e-6, &w);
}

ZOO_STEPPER(stepper_zero_gradient, .step = step);
