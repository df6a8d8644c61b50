/* SPDX-License-Identifier: MIT */
/* activation.h - the two parameters of a layer with an activation function:
 * which one, and its alpha.
 *
 * Each layer describes them itself, so that its documentation can say what
 * the function is applied to; names, default and checks are here. */
#ifndef NN_ACTIVATION_H
#define NN_ACTIVATION_H

#include <nn/layer.h>

NN_BEGIN_DECLS

/* The choices of a parameter, in the order of the NN_ACTIVATION codes: the
 * value of the CHOICE is the code. */
#define NN_ACTIVATION_CHOICES                                                  \
    {                                                                          \
        "linear", "relu", "tanh", "sigmoid", "elu", "softplus", "leaky_relu",  \
            NULL                                                               \
    }

/* True if KIND uses alpha.  [any] */
static inline int nn_activation_has_alpha(uint32_t kind)
{
    return kind == NN_ACTIVATION_ELU || kind == NN_ACTIVATION_LEAKY_RELU;
}

/* The value of alpha for KIND: that of parameter ALPHA, or, if that is none,
 * 1 for elu and 0.01 for leaky_relu.  [any] */
static inline double nn_activation_alpha(const nn_params *params, uint32_t kind,
                                         uint32_t alpha)
{
    if (!nn_activation_has_alpha(kind))
        return 0.0;
    if (nn_param_value(params, alpha)->type != 0)
        return nn_param_real(params, alpha);
    return kind == NN_ACTIVATION_ELU ? 1.0 : 0.01;
}

/* Refuses an alpha that was given for a KIND without one, rather than ignore
 * it.  Returns 0 or NN_UNSUPPORTED with the message set.  [setup] */
static inline int32_t nn_activation_check(const nn_setup *setup, uint32_t kind,
                                          uint32_t alpha)
{
    static const char *const names[] = NN_ACTIVATION_CHOICES;

    if (kind >= NN_ACTIVATION_COUNT)
        return nn_fail(setup->host, NN_UNSUPPORTED, "layer.activation",
                       "layer '%s': unknown activation %u", setup->layer,
                       (unsigned)kind);
    if (nn_activation_has_alpha(kind) ||
        nn_param_value(setup->params, alpha)->type == 0)
        return NN_OK;
    return nn_fail(setup->host, NN_UNSUPPORTED, "layer.alpha",
                   "layer '%s': alpha is for elu and leaky_relu, and the "
                   "activation is %s",
                   setup->layer, names[kind]);
}

NN_END_DECLS

#endif
