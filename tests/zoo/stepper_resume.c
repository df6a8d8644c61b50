/* SPDX-License-Identifier: MIT */
/* expect: stepper.resume
 * The first update of this program is made with half the rate. */
#include "stepper.h"

static int64_t last;

static void step(const nn_stepper_context *c)
{
    step_with(c, c->update > last + 1 ? 0.025 : 0.05);
    last = c->update;
}

ZOO_STEPPER(stepper_resume, .step = step);
