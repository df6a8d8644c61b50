/* SPDX-License-Identifier: MIT */
/* expect: stepper.composed
 * also: stepper.handlers  the reference has no row of its own
 * Both vectors of adam are one array: a loop that has read both before it
 * writes one never sees it. */
#include <nn/stepper.h>

#include "stepper.h"

static const nn_array *const *operands(const nn_stepper_context *c,
                                       const nn_array *to[4])
{
    to[0] = c->parameters;
    to[1] = c->gradients;
    to[2] = to[3] = c->vectors;
    return to;
}

/* With b1 = 0, so that the mean is the gradient. */
static nn_optimizer_attributes attributes(const nn_stepper_context *c)
{
    nn_optimizer_attributes a = {NN_SIZEOF(nn_optimizer_attributes, decay)};

    a.learning_rate = 0.01;
    a.rho = 0.9;
    a.epsilon = 1e-3;
    a.update = c->update;
    return a;
}

static int32_t prepare(const nn_stepper_context *c)
{
    nn_optimizer_attributes a = attributes(c);
    const nn_array *to[4];

    return c->plan(c, 0, NN_OPTIMIZER, NN_OPTIMIZER_ADAM, operands(c, to), 4,
                   &a);
}

static void step(const nn_stepper_context *c)
{
    nn_optimizer_attributes a = attributes(c);
    const nn_array *to[4];

    c->run(c->plans[0], operands(c, to), 4, &a);
}

ZOO_STEPPER(stepper_composed, .prepare = prepare, .step = step);
