/* SPDX-License-Identifier: MIT */
/* random.c - random fills and dropout.
 *
 * Element p in C order takes number p of the draw (random.h):
 *   fill_uniform    a + (b - a) u
 *   fill_gaussian   a + b g
 *   fill_bernoulli  b if the event of probability a happens, else 0
 *   dropout_t       x / (1 - a) if the event of probability 1 - a happens,
 *                   else 0, whatever x is */
#include <nn/random.h>

#include "core/reference/call.h"

static double draw(const nn_call *call, uint64_t position)
{
    const nn_attributes *with = &call->with;

    switch (call->operation) {
    case NN_OP_FILL_UNIFORM:
        return with->a +
               (with->b - with->a) * nn_random_uniform(&with->random, position);
    case NN_OP_FILL_GAUSSIAN:
        return with->a + with->b * nn_random_gaussian(&with->random, position);
    default:
        return nn_random_event(&with->random, position, with->a) ? with->b : 0;
    }
}

int32_t nn_call_random(nn_call *call)
{
    const nn_view *y = &call->views[0];
    int64_t p;

    for (p = 0; p < y->rows * y->columns; ++p)
        nn_view_put(y, p, draw(call, (uint64_t)p));
    return NN_OK;
}

int32_t nn_call_dropout(nn_call *call)
{
    const nn_view *x = &call->views[0];
    const nn_view *y = &call->views[1];
    const double keep = 1 - call->with.a;
    int64_t p;

    for (p = 0; p < y->rows * y->columns; ++p) {
        int kept = nn_random_event(&call->with.random, (uint64_t)p, keep);

        nn_view_put(y, p, kept ? nn_view_get(x, p) / keep : 0);
    }
    return NN_OK;
}
