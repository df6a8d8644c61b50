/* SPDX-License-Identifier: MIT */
/* plugin.h - a good layer with all that a plugin has, to be spoiled.
 *
 * y = a x with a trained factor a that starts at the parameter `start`.
 * An animal defines what it has of its own before it includes this:
 * `#define FORWARD forward`, `#define DOC ""`. */
#ifndef ZOO_PLUGIN_H
#define ZOO_PLUGIN_H

#include <string.h>

#include <nn/describe.h>
#include <nn/shape.h>

#ifndef SETUP
#define SETUP good_setup
#endif
#ifndef PREPARE
#define PREPARE NULL
#endif
#ifndef FORWARD
#define FORWARD good_forward
#endif
#ifndef BACKWARD
#define BACKWARD good_backward
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef DOC
#define DOC                                                                    \
    "y = a x: x the input, y the output, a the factor, which is trained."
#endif
#ifndef START_DOC
#define START_DOC "value of the factor before training"
#endif
#ifndef START_DEFAULT
#define START_DEFAULT "1"
#endif
#ifndef VERSION
#define VERSION "1.0.0"
#endif
#ifndef RESERVED
#define RESERVED 0
#endif
#ifndef CASES
#define CASES NULL
#endif
#ifndef INIT
#define INIT NULL
#endif
#ifndef DEINIT
#define DEINIT NULL
#endif

static inline int32_t good_setup(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    nn_buffer y = nn_buffer_like("default", x);
    nn_buffer factor = nn_buffer_named("factor");
    nn_buffer product = nn_buffer_like("product", x);
    int32_t code = nn_shape_need_features(setup, "default", x);

    if (code)
        return code;
    factor.shape.ndim = 1;
    factor.shape.dims[0] = 1;
    factor.value = nn_param_real(setup->params, 0);
    product.flags = NN_BUFFER_BACKWARD_ONLY;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_PARAMETER, &factor);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &product);
    return code < 0 ? code : NN_OK;
}

static inline void good_forward(const nn_layer_context *context)
{
    if (nn_wanted(&context->outputs[0]))
        nn_mult_mv(context->ops, &context->inputs[0], &context->parameters[0],
                   &context->outputs[0]);
}

static inline void good_backward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *dy = &context->output_deltas[0];

    if (!nn_wanted(dy)) {
        nn_fill(ops, &context->input_deltas[0], 0.0);
        nn_fill(ops, &context->gradients[0], 0.0);
        return;
    }
    nn_mult_mv(ops, dy, &context->parameters[0], &context->input_deltas[0]);
    nn_mult_tt(ops, &context->inputs[0], dy, &context->internals[0]);
    nn_sum_t(ops, &context->internals[0], NN_AXIS_ALL, &context->gradients[0]);
}

/* y = FACTOR a x, and its derivatives. */
static inline void scaled_forward(const nn_layer_context *context,
                                  double factor)
{
    good_forward(context);
    if (nn_wanted(&context->outputs[0]) && factor != 1)
        nn_mult_ts(context->ops, &context->outputs[0], factor,
                   &context->outputs[0]);
}

/* The entry. */
#define ZOO_PLUGIN(NAME)                                                       \
    static const nn_param start =                                              \
        NN_REAL_PARAM("start", NN_PARAM_MAIN | NN_PARAM_RANGED, START_DEFAULT, \
                      -2, 2, START_DOC);                                       \
    static const nn_param *const params[] = {&start};                          \
    static const nn_port input = {.size = NN_SIZEOF(nn_port, doc),             \
                                  .dtypes = 1u << NN_REAL,                     \
                                  .name = "default",                           \
                                  .doc = "x: (T, B, features...)"};            \
    static const nn_port output = {.size = NN_SIZEOF(nn_port, doc),            \
                                   .dtypes = 1u << NN_REAL,                    \
                                   .name = "default",                          \
                                   .doc = "y: like x"};                        \
    static const nn_port *const inputs[] = {&input};                           \
    static const nn_port *const outputs[] = {&output};                         \
    static const nn_layer_interface interface = {                              \
        .size = NN_SIZEOF(nn_layer_interface, backward),                       \
        .setup = SETUP,                                                        \
        .prepare = PREPARE,                                                    \
        .forward = FORWARD,                                                    \
        .backward = BACKWARD,                                                  \
    };                                                                         \
    static const nn_component component = {                                    \
        .size = NN_SIZEOF(nn_component, cases),                                \
        .kind = NN_KIND_LAYER,                                                 \
        .flags = FLAGS,                                                        \
        .n_params = 1,                                                         \
        .name = #NAME,                                                         \
        .summary = "An animal of the zoo",                                     \
        .doc = DOC,                                                            \
        .params = params,                                                      \
        .interface = &interface,                                               \
        .n_inputs = 1,                                                         \
        .n_outputs = 1,                                                        \
        .inputs = inputs,                                                      \
        .outputs = outputs,                                                    \
        .cases = CASES,                                                        \
    };                                                                         \
    static const nn_component *const components[] = {&component};              \
    NN_PLUGIN_ENTRY(NAME) = {                                                  \
        NN_PLUGIN_HEAD,                                                        \
        .id = "org.nervenet.zoo." #NAME,                                       \
        .name = #NAME,                                                         \
        .version = VERSION,                                                    \
        .license = "MIT",                                                      \
        .author = "Nervenet contributors",                                     \
        .summary = "An animal of the zoo",                                     \
        .n_components = 1,                                                     \
        .reserved = RESERVED,                                                  \
        .components = components,                                              \
        .init = INIT,                                                          \
        .deinit = DEINIT,                                                      \
    }

#endif
