/* SPDX-License-Identifier: MIT */
/* layer.h - a good layer, to be spoiled.
 *
 * Letters: x (..., K) the input, y the output of the same shape; w, b (K) the
 * parameters; g the gain of the config.
 *
 *     Forward:   y = g w x^2 + b
 *     Backward:  dx = 2 g w x dy,  dw = sum over rows of g x^2 dy,
 *                db = sum over rows of dy
 *
 * An animal replaces functions: ZOO_LAYER(NAME, .forward = forward); or also
 * ports and flags: ZOO_LAYER_WITH(NAME, FLAGS, INPUTS, OUTPUTS, ...). */
#ifndef ZOO_LAYER_H
#define ZOO_LAYER_H

#include <math.h>

#include <nn/describe.h>
#include <nn/shape.h>

#define GAIN 0u    /* parameter of the config */
#define FACTOR 0u  /* w */
#define OFFSET 1u  /* b */
#define PRODUCT 0u /* internal: scratch of the shape of x */

/* Declares NAME (K) as WHAT. */
static inline int32_t declare_row(nn_setup *setup, uint32_t what,
                                  const char *name, double value)
{
    nn_buffer row = nn_buffer_named(name);

    row.shape.ndim = 1;
    row.shape.dims[0] = nn_shape_columns(&setup->inputs[0]);
    row.value = value;
    return setup->declare(setup, what, &row);
}

/* Declares NAME with the shape of the input as WHAT. */
static inline int32_t declare_like(nn_setup *setup, uint32_t what,
                                   const char *name, uint32_t flags)
{
    nn_buffer buffer = nn_buffer_like(name, &setup->inputs[0]);

    buffer.flags = flags;
    return setup->declare(setup, what, &buffer);
}

static inline int32_t good_setup(nn_setup *setup)
{
    int32_t code = nn_shape_need_features(setup, "default", &setup->inputs[0]);

    if (!code)
        code = declare_like(setup, NN_DECLARE_OUTPUT, "default", 0);
    if (code >= 0)
        code = declare_row(setup, NN_DECLARE_PARAMETER, "w", 1);
    if (code >= 0)
        code = declare_row(setup, NN_DECLARE_PARAMETER, "b", 0);
    if (code >= 0)
        code = declare_like(setup, NN_DECLARE_INTERNAL, "product",
                            NN_BUFFER_BACKWARD_ONLY);
    return code < 0 ? code : NN_OK;
}

static inline void forward_to(const nn_layer_context *c, const nn_array *x,
                              const nn_array *y)
{
    if (!nn_wanted(y))
        return;
    nn_square_t(c->ops, x, y);
    nn_mult_mv(c->ops, y, &c->parameters[FACTOR], y);
    nn_mult_ts(c->ops, y, nn_param_real(c->params, GAIN), y);
    nn_add_mv(c->ops, y, &c->parameters[OFFSET], y);
}

static inline void good_forward(const nn_layer_context *c)
{
    forward_to(c, &c->inputs[0], &c->outputs[0]);
}

/* FACTOR is 2 in a good layer. */
static inline void input_delta(const nn_layer_context *c, double factor,
                               const nn_array *dx)
{
    const nn_array *product = &c->internals[PRODUCT];

    nn_mult_tt(c->ops, &c->inputs[0], &c->output_deltas[0], product);
    nn_mult_mv(c->ops, product, &c->parameters[FACTOR], product);
    nn_mult_ts(c->ops, product, factor * nn_param_real(c->params, GAIN), dx);
}

static inline void factor_gradient(const nn_layer_context *c,
                                   const nn_array *dw)
{
    const nn_array *product = &c->internals[PRODUCT];

    nn_mult_tt(c->ops, &c->inputs[0], &c->output_deltas[0], product);
    nn_mult_tt(c->ops, &c->inputs[0], product, product);
    nn_mult_ts(c->ops, product, nn_param_real(c->params, GAIN), product);
    nn_sum_t(c->ops, product, NN_AXIS_ROWS, dw);
}

static inline void offset_gradient(const nn_layer_context *c,
                                   const nn_array *db)
{
    nn_sum_t(c->ops, &c->output_deltas[0], NN_AXIS_ROWS, db);
}

/* 1 if the output has no delta, after setting everything to 0. */
static inline int no_delta(const nn_layer_context *c)
{
    uint32_t i;

    if (nn_wanted(&c->output_deltas[0]))
        return 0;
    nn_fill(c->ops, &c->input_deltas[0], 0.0);
    for (i = 0; i < c->n_parameters; ++i)
        nn_fill(c->ops, &c->gradients[i], 0.0);
    return 1;
}

static inline void good_backward(const nn_layer_context *c)
{
    if (no_delta(c))
        return;
    input_delta(c, 2, &c->input_deltas[0]);
    factor_gradient(c, &c->gradients[FACTOR]);
    offset_gradient(c, &c->gradients[OFFSET]);
}

static const nn_param gain_param = NN_REAL_PARAM("gain", NN_PARAM_RANGED, "1",
                                                 0, 2, "factor of the square");
static const nn_param *const good_params[] = {&gain_param};

/* A port; FLAGS are NN_PORT_..., CONTENT is NN_CONTENT_... */
#define ZOO_PORT(variable, NAME, FLAGS, CONTENT)                               \
    static const nn_port variable = {.size = NN_SIZEOF(nn_port, doc),          \
                                     .flags = FLAGS,                           \
                                     .dtypes = 1u << NN_REAL,                  \
                                     .content = CONTENT,                       \
                                     .name = NAME,                             \
                                     .doc = "(T, B, features...)"}

ZOO_PORT(good_port, "default", 0, NN_CONTENT_ANY);
static const nn_port *const good_ports[] = {&good_port};

/* The entry; what follows replaces functions. */
#define ZOO_LAYER_WITH(NAME, FLAGS, INPUTS, OUTPUTS, ...)                      \
    static const nn_layer_interface interface = {                              \
        .size = NN_SIZEOF(nn_layer_interface, backward),                       \
        .setup = good_setup,                                                   \
        .forward = good_forward,                                               \
        .backward = good_backward,                                             \
        __VA_ARGS__};                                                          \
    static const nn_component component = {                                    \
        .size = NN_SIZEOF(nn_component, outputs),                              \
        .kind = NN_KIND_LAYER,                                                 \
        .flags = FLAGS,                                                        \
        .n_params = 1,                                                         \
        .name = #NAME,                                                         \
        .summary = "An animal of the zoo",                                     \
        .doc = "It is there to be examined.",                                  \
        .params = good_params,                                                 \
        .interface = &interface,                                               \
        .n_inputs = sizeof INPUTS / sizeof *INPUTS,                            \
        .n_outputs = sizeof OUTPUTS / sizeof *OUTPUTS,                         \
        .inputs = INPUTS,                                                      \
        .outputs = OUTPUTS,                                                    \
    };                                                                         \
    static const nn_component *const components[] = {&component};              \
    NN_PLUGIN_ENTRY(NAME) = {                                                  \
        NN_PLUGIN_HEAD,                                                        \
        .id = "org.nervenet.zoo." #NAME,                                       \
        .name = #NAME,                                                         \
        .version = "1.0.0",                                                    \
        .license = "MIT",                                                      \
        .author = "Nervenet contributors",                                     \
        .summary = "An animal of the zoo",                                     \
        .n_components = 1,                                                     \
        .components = components,                                              \
    }

#define ZOO_LAYER(NAME, ...)                                                   \
    ZOO_LAYER_WITH(NAME, 0, good_ports, good_ports, __VA_ARGS__)

#endif
