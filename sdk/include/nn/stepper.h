/* SPDX-License-Identifier: MIT */
/* stepper.h - what the steppers share whose rule is a row of nn.optimizer/1.
 *
 * Such a stepper says how its parameters become the row's attributes; planning
 * and running the row is the same for all.  Its first two parameters are the
 * learning rate and the decay, and its own come after them.  Where several
 * rules have the same ones of their own, they are here as well. */
#ifndef NN_STEPPER_H
#define NN_STEPPER_H

#include <nn/describe.h>
#include <nn/optimizer.h>
#include <nn/training.h>

NN_BEGIN_DECLS

/* Places of the parameters. */
#define NN_STEPPER_LEARNING_RATE 0u
#define NN_STEPPER_DECAY 1u
#define NN_STEPPER_OWN 2u /* the first of the stepper's own */

/* The learning rate.  FLAGS is NN_PARAM_REQUIRED with PRESET NULL, or 0. */
#define NN_STEPPER_LEARNING_RATE_PARAM(flags, preset)                          \
    NN_REAL_PARAM("learning_rate",                                             \
                  (flags) | NN_PARAM_MAIN | NN_PARAM_TUNABLE |                 \
                      NN_PARAM_RANGED,                                         \
                  preset, 0, INFINITY, "learning rate r, the size of a step")

#define NN_STEPPER_DECAY_PARAM                                                 \
    NN_REAL_PARAM("decay", NN_PARAM_TUNABLE | NN_PARAM_RANGED, "0", 0,         \
                  INFINITY,                                                    \
                  "decoupled weight decay: w loses r * decay * w an update, "  \
                  "beside the rule; not in biases")

/* A share of the past that is kept: 0 to below 1. */
#define NN_STEPPER_SHARE_PARAM(name, flags, preset, doc)                       \
    NN_REAL_PARAM(name, (flags) | NN_PARAM_RANGED | NN_PARAM_BELOW_MAXIMUM,    \
                  preset, 0, 1, doc)

#define NN_STEPPER_MOMENTUM_PARAM                                              \
    NN_STEPPER_SHARE_PARAM(                                                    \
        "momentum", NN_PARAM_TUNABLE, "0.9",                                   \
        "momentum m, the share of the last change that is made again")

#define NN_STEPPER_BETA1_PARAM                                                 \
    NN_STEPPER_SHARE_PARAM("beta1", 0, "0.9",                                  \
                           "b1, the share of the mean gradient that is kept")

/* WHAT is what beta2 keeps a share of. */
#define NN_STEPPER_BETA2_PARAM(what)                                           \
    NN_STEPPER_SHARE_PARAM("beta2", 0, "0.999",                                \
                           "b2, the share of the " what " that is kept")

#define NN_STEPPER_EPSILON_PARAM(preset, doc)                                  \
    NN_REAL_PARAM("epsilon", NN_PARAM_RANGED | NN_PARAM_ABOVE_MINIMUM, preset, \
                  0, INFINITY, doc)

#define NN_STEPPER_INSIDE_PARAM                                                \
    NN_BOOL_PARAM("epsilon_inside", 0, "false",                                \
                  "divide by sqrt(q + e) instead of sqrt(q) + e")

/* The attributes that every rule has; the stepper fills in the rest.  [any] */
static inline nn_optimizer_attributes nn_stepper_attributes(
    const nn_stepper_context *context)
{
    nn_optimizer_attributes result = {
        NN_SIZEOF(nn_optimizer_attributes, decay), 0, 0, 0, 0, 0, 1, 0};

    result.learning_rate = nn_param_real(context->params,
                                         NN_STEPPER_LEARNING_RATE);
    result.decay = nn_param_real(context->params, NN_STEPPER_DECAY);
    if (context->update > 1)
        result.update = context->update;
    return result;
}

/* The attributes of a stepper whose own parameter is the momentum.  [any] */
static inline nn_optimizer_attributes nn_stepper_momentum_attributes(
    const nn_stepper_context *context)
{
    nn_optimizer_attributes result = nn_stepper_attributes(context);

    result.momentum = nn_param_real(context->params, NN_STEPPER_OWN);
    return result;
}

/* The attributes of a stepper whose own parameters are beta1, beta2 and
 * epsilon.  [any] */
static inline nn_optimizer_attributes nn_stepper_adam_attributes(
    const nn_stepper_context *context)
{
    nn_optimizer_attributes result = nn_stepper_attributes(context);

    result.momentum = nn_param_real(context->params, NN_STEPPER_OWN);
    result.rho = nn_param_real(context->params, NN_STEPPER_OWN + 1);
    result.epsilon = nn_param_real(context->params, NN_STEPPER_OWN + 2);
    return result;
}

/* Puts parameters, gradients and vectors in the row's order; returns their
 * number.  [any] */
static inline uint32_t nn_stepper_operands(
    const nn_stepper_context *context,
    const nn_array *operands[NN_OPTIMIZER_MAX_OPERANDS])
{
    uint32_t n = NN_OPTIMIZER_VECTOR;
    uint32_t i;

    operands[NN_OPTIMIZER_W] = context->parameters;
    operands[NN_OPTIMIZER_G] = context->gradients;
    for (i = 0; i < context->n_vectors && n < NN_OPTIMIZER_MAX_OPERANDS; ++i)
        operands[n++] = &context->vectors[i];
    return n;
}

/* Plans ROW in slot 0: the whole of `prepare`.  [setup] */
static inline int32_t nn_stepper_plan(const nn_stepper_context *context,
                                      uint32_t row,
                                      nn_optimizer_attributes attributes)
{
    const nn_array *operands[NN_OPTIMIZER_MAX_OPERANDS];
    uint32_t n = nn_stepper_operands(context, operands);

    return context->plan(context, 0, NN_OPTIMIZER, row, operands, n,
                         &attributes);
}

/* Runs the row of slot 0: the whole of `step`.  [compute] */
static inline void nn_stepper_run(const nn_stepper_context *context,
                                  nn_optimizer_attributes attributes)
{
    const nn_array *operands[NN_OPTIMIZER_MAX_OPERANDS];
    uint32_t n = nn_stepper_operands(context, operands);

    context->run(context->plans[0], operands, n, &attributes);
}

NN_END_DECLS

#endif
