/* SPDX-License-Identifier: MIT */
/* expect: stepper.read-only
 * also: stepper.handlers  the reference refuses to write what is read only
 * The gradient is scaled where it stands. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    nn_array g = *c->gradients;

    g.mode = NN_WRITE;
    nn_mult_ts(c->ops, &g, 0.5, &g);
    good_step(c);
}

ZOO_STEPPER(stepper_read_only, .step = step);
