/* SPDX-License-Identifier: MIT */
/* expect: modifier.not-finite
 * Gradients are divided by the sum of their squares, which nobody looks at. */
#include "modifier.h"

static int32_t modify(const nn_modifier_context *c)
{
    double sum = 0;

    for (uint32_t i = 0; i < c->n_modified; ++i) {
        nn_array part = nn_slice(&c->scratch, 0, 1);

        part.mode = NN_WRITE;
        nn_sum_squares_t(c->ops, &modified_at(c, i)->gradient, NN_AXIS_ALL,
                         &part);
        sum += c->read(c, &c->scratch, 0);
    }
    for (uint32_t i = 0; i < c->n_modified; ++i) {
        nn_array g = modified_at(c, i)->gradient;

        g.mode = NN_WRITE;
        nn_mult_ts(c->ops, &g, 1 / sum, &g);
    }
    return NN_OK;
}

ZOO_MODIFIER(modifier_not_finite, .modify = modify);
