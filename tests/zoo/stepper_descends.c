/* SPDX-License-Identifier: MIT */
/* expect: stepper.descends
 * It goes uphill. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    step_with(c, -0.05);
}

ZOO_STEPPER(stepper_descends, .step = step);
