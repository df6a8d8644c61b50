/* SPDX-License-Identifier: MIT */
/* expect: stepper.deterministic
 * also: stepper.split     the runs that are compared are two
 * also: stepper.resume    the same
 * also: stepper.handlers  the same
 * also: stepper.tunable   the same
 * The rate falls with the number of all calls in this program. */
#include "stepper.h"

static int calls;

static void step(const nn_stepper_context *c)
{
    step_with(c, 0.05 / (1 + 0.01 * ++calls));
}

ZOO_STEPPER(stepper_deterministic, .step = step);
