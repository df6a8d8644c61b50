/* SPDX-License-Identifier: MIT */
/* expect: stepper.tunable
 * The learning rate stays what it was in prepare. */
#include "stepper.h"

static double rate;

static int32_t prepare(const nn_stepper_context *c)
{
    rate = nn_param_real(c->params, RATE);
    return NN_OK;
}

static void step(const nn_stepper_context *c)
{
    step_with(c, rate);
}

ZOO_STEPPER(stepper_tunable, .prepare = prepare, .step = step);
