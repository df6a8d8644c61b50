/* SPDX-License-Identifier: MIT */
/* expect: stepper.handlers
 * The rate is another one in float32. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    step_with(c, c->ops->real == NN_FLOAT32 ? 0.1 : 0.05);
}

ZOO_STEPPER(stepper_handlers, .step = step);
