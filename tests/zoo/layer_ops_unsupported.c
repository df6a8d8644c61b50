/* SPDX-License-Identifier: MIT */
/* expect: layer.ops.unsupported
 * Prepare ignores that its plan was refused. */
#define PREPARE prepare
#include <nn/linear.h>

#include "plugin.h"

static nn_array matrix(const nn_layer_context *context, int64_t m, int64_t n)
{
    nn_array a;

    memset(&a, 0, sizeof a);
    a.dtype = context->ops->real;
    a.ndim = 2;
    a.shape[0] = m;
    a.shape[1] = a.pitch = n;
    return a;
}

static int32_t prepare(const nn_layer_context *context)
{
    nn_array x = matrix(context, 4, 3);
    nn_array w = matrix(context, 2, 3);
    nn_array y = matrix(context, 4, 2);
    const nn_array *operands[] = {&x, &w, NULL, NULL, &y};
    nn_linear_attributes attributes;

    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    context->plan(context, 0, NN_LINEAR, NN_LINEAR_FORWARD, operands, 5,
                  &attributes);
    return NN_OK;
}

ZOO_PLUGIN(layer_ops_unsupported);
