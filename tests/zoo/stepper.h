/* SPDX-License-Identifier: MIT */
/* stepper.h - a good stepper, to be spoiled.
 *
 *     v = m v - r g;  w += v */
#ifndef ZOO_STEPPER_H
#define ZOO_STEPPER_H

#include <nn/describe.h>
#include <nn/operations.h>
#include <nn/training.h>

#define RATE 0u
#define MOMENTUM 1u

/* One update with rate R. */
static inline void step_with(const nn_stepper_context *c, double r)
{
    nn_array v = c->vectors[0];
    nn_array w = *c->parameters;

    v.mode = NN_WRITE;
    w.mode = NN_WRITE;
    nn_axpby_tt(c->ops, nn_param_real(c->params, MOMENTUM), &v, -r,
                c->gradients, &v);
    nn_add_tt(c->ops, &w, &v, &w);
}

static inline void good_step(const nn_stepper_context *c)
{
    step_with(c, nn_param_real(c->params, RATE));
}

static const char *const good_names[] = {"velocity", "more"};

/* The entry; what follows NAME replaces functions: `.step = step`. */
#define ZOO_STEPPER(NAME, ...)                                                 \
    static const nn_param rate_param =                                         \
        NN_REAL_PARAM("learning_rate", NN_PARAM_TUNABLE | NN_PARAM_RANGED,     \
                      "0.05", 0, INFINITY, "size of a step");                  \
    static const nn_param momentum_param =                                     \
        NN_REAL_PARAM("momentum", NN_PARAM_RANGED, "0.5", 0, 1,                \
                      "share of the last change that is made again");          \
    static const nn_param *const params[] = {&rate_param, &momentum_param};    \
    static const nn_stepper_interface interface = {                            \
        .size = NN_SIZEOF(nn_stepper_interface, step),                         \
        .n_vectors = 1,                                                        \
        .vector_names = good_names,                                            \
        .step = good_step,                                                     \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_STEPPER, params, 2)

#include "entry.h"

#endif
