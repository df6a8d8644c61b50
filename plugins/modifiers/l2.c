/* SPDX-License-Identifier: MIT */
/* l2.c - adds the derivative of an L2 penalty to the gradients.
 *
 *     g += factor w
 *
 * w a parameter, g its gradient: the derivative of factor / 2 sum(w w).
 * Biases and parameters whose layer says that weight decay passes them by
 * (NN_TAG_BIAS, NN_TAG_NOT_REGULARIZED) are left alone.  A factor of 0 changes
 * nothing, to the bit.
 *
 * Hoerl, Kennard, "Ridge Regression: Biased Estimation for Nonorthogonal
 * Problems", 1970; Krogh, Hertz, "A Simple Weight Decay Can Improve
 * Generalization", 1992.
 *
 * Other libraries: the penalty of Lasagne and Keras is factor sum(w w), without
 * the half, so their factor is half of this one.  PyTorch's weight_decay of
 * SGD and Adam is this, but in biases as well.  In an adaptive stepper such as
 * adam the term is divided like the rest of the gradient; a decay that is not
 * is the stepper's own parameter `decay`. */
#include <nn/describe.h>
#include <nn/training.h>

static const nn_param factor =
    NN_REAL_PARAM("factor", NN_PARAM_REQUIRED | NN_PARAM_MAIN | NN_PARAM_RANGED,
                  NULL, 0, INFINITY, "what g gains for each unit of w");

static const nn_param *const params[] = {&factor};

static const nn_modified *modified_at(const nn_modifier_context *context,
                                      uint32_t index)
{
    return (const nn_modified *)(const void *)((const char *)context->modified +
                                               (size_t)index *
                                                   context->modified_size);
}

static int32_t modify(const nn_modifier_context *context)
{
    const double strength = nn_param_real(context->params, 0);
    uint32_t i;

    if (strength == 0.0)
        return NN_OK;
    for (i = 0; i < context->n_modified; ++i) {
        const nn_modified *one = modified_at(context, i);
        nn_array gradient = one->gradient;

        if (one->tags & (NN_TAG_BIAS | NN_TAG_NOT_REGULARIZED))
            continue;
        gradient.mode = NN_WRITE;
        nn_axpby_tt(context->ops, strength, &one->parameter, 1.0, &gradient,
                    &gradient);
    }
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
    .name = "l2",
    .summary = "L2 penalty: adds a share of each weight to its gradient",
    .doc = "g += factor w, with w a parameter and g its gradient: the "
           "derivative of factor / 2 sum(w w). Not for biases and parameters "
           "that their layer takes out of weight decay. Krogh, Hertz, \"A "
           "Simple Weight Decay Can Improve Generalization\", 1992.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(modifier_l2) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.modifier.l2",
    .name = "l2",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "L2 penalty: adds a share of each weight to its gradient",
    .n_components = 1,
    .components = components,
};
