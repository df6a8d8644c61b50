/* SPDX-License-Identifier: MIT */
/* expect: stepper.split
 * The rate depends on the number of parameters of the run. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    step_with(c, 0.5 / (double)nn_elements(c->parameters));
}

ZOO_STEPPER(stepper_split, .step = step);
