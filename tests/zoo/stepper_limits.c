/* SPDX-License-Identifier: MIT */
/* expect: stepper.limits
 * The momentum may be 1, by which 1 - momentum is divided. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    step_with(c, nn_param_real(c->params, RATE) /
                     (1 - nn_param_real(c->params, MOMENTUM)));
}

ZOO_STEPPER(stepper_limits, .step = step);
