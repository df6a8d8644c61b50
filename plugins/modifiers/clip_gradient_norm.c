/* SPDX-License-Identifier: MIT */
/* clip_gradient_norm.c - scales all gradients together if they are too long.
 *
 *     n = sqrt(sum of g g over all elements of all gradients)
 *     g = g limit / n   if n > limit
 *
 * One norm over everything that the modifier was pointed at, so that the
 * direction stays.  If n <= limit nothing is changed, to the bit; zeros stay
 * zeros.  If a gradient is not finite, the update is not made: the error says
 * which gradient, before which update.  Squares that overflow though all
 * gradients are finite are none: the norm is then taken again from gradients
 * that were scaled by a power of two (beside such gradients the smallest
 * numbers lose digits).
 *
 * Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural
 * networks", 2013.
 *
 * Other libraries: PyTorch and Lasagne divide by n + 1e-6 and n + 1e-7, and
 * Lasagne also shrinks what is below the limit a little; both make NaN of
 * everything if the norm is not finite, unless told otherwise. */
#include <nn/describe.h>
#include <nn/training.h>

static const nn_param limit =
    NN_REAL_PARAM("limit",
                  NN_PARAM_REQUIRED | NN_PARAM_MAIN | NN_PARAM_RANGED |
                      NN_PARAM_ABOVE_MINIMUM,
                  NULL, 0, INFINITY, "largest norm of all gradients together");

static const nn_param *const params[] = {&limit};

static const nn_modified *modified_at(const nn_modifier_context *context,
                                      uint32_t index)
{
    return (const nn_modified *)(const void *)((const char *)context->modified +
                                               (size_t)index *
                                                   context->modified_size);
}

static void scale(const nn_modifier_context *context, double factor)
{
    uint32_t i;

    for (i = 0; i < context->n_modified; ++i) {
        nn_array gradient = modified_at(context, i)->gradient;

        gradient.mode = NN_WRITE;
        nn_mult_ts(context->ops, &gradient, factor, &gradient);
    }
}

/* The sum of all squares.  Element 1 + i of `scratch` keeps that of gradient
 * i, element 0 the total. */
static double sum_of_squares(const nn_modifier_context *context)
{
    nn_array total = nn_slice(&context->scratch, 0, 1);
    nn_array parts = nn_slice(&context->scratch, 1, context->n_modified);
    uint32_t i;

    total.mode = NN_WRITE;
    for (i = 0; i < context->n_modified; ++i) {
        nn_array part = nn_slice(&context->scratch, 1 + (int64_t)i, 1);

        part.mode = NN_WRITE;
        nn_sum_squares_t(context->ops, &modified_at(context, i)->gradient,
                         NN_AXIS_ALL, &part);
    }
    nn_sum_t(context->ops, &parts, NN_AXIS_ALL, &total);
    return context->read(context, &context->scratch, 0);
}

/* The message names the first gradient whose own sum is not finite. */
static int32_t not_finite(const nn_modifier_context *context, double norm)
{
    const char *where = modified_at(context, 0)->name;
    uint32_t i;

    for (i = 0; i < context->n_modified; ++i)
        if (!isfinite(
                context->read(context, &context->scratch, 1 + (int64_t)i))) {
            where = modified_at(context, i)->name;
            break;
        }
    return nn_fail(context->host, NN_NOT_FINITE,
                   "clip-gradient-norm.not-finite",
                   "gradient norm is %s before update %lld (first in the "
                   "gradient of %s)",
                   isnan(norm) ? "nan" : "inf", (long long)context->update,
                   where);
}

static int32_t modify(const nn_modifier_context *context)
{
    const double most = nn_param_real(context->params, 0);
    /* Brings the largest finite number near enough to 1 that the sum of 2^63
     * squares is finite. */
    const double down = context->ops->real == NN_FLOAT32 ? ldexp(1, -100)
                                                         : ldexp(1, -600);
    double above = 1.0; /* what the gradients were divided by */
    double norm;

    if (context->n_modified == 0)
        return NN_OK;
    norm = sqrt(sum_of_squares(context));
    if (isinf(norm)) {
        scale(context, down);
        above = 1.0 / down;
        norm = sqrt(sum_of_squares(context));
    }
    if (!isfinite(norm))
        return not_finite(context, norm);
    if (norm * above > most)
        scale(context, most / norm);
    else if (above > 1.0)
        scale(context, above);
    return NN_OK;
}

static const nn_modifier_interface interface = {
    .size = NN_SIZEOF(nn_modifier_interface, modify),
    .when = NN_MODIFY_GRADIENT,
    .modify = modify,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_MODIFIER,
    .n_params = sizeof params / sizeof *params,
    .name = "clip_gradient_norm",
    .summary = "Scales all gradients together if their norm exceeds a limit",
    .doc = "n = sqrt(sum of g g over all gradients); g = g limit / n if n > "
           "limit, else nothing is changed. A norm that is not finite is an "
           "error and the update is not made. Pascanu, Mikolov, Bengio, \"On "
           "the difficulty of training recurrent neural networks\", 2013.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(modifier_clip_gradient_norm) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.modifier.clip_gradient_norm",
    .name = "clip_gradient_norm",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Scales all gradients together if their norm exceeds a limit",
    .n_components = 1,
    .components = components,
};
