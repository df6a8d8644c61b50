/* SPDX-License-Identifier: MIT */
/* grouped.c - four matrices that are one, to show a group of parameters.
 *
 * Forward:   z = x W',  y = sum over g of (1 + g) z_g + x W_1'
 * Backward:  dz_g = (1 + g) dy,  dW = dz' x,  dW_1 += dy' x,
 *            dx = dz W + dy W_1
 *
 * Letters: x (T, B, K) the input; W_0 ... W_3 (N, K) four matrices and W
 * (4 N, K) the group of them; z (T, B, 4 N) with z_g (T, B, N) its columns g N
 * and on; y (T, B, N) the output. */
#include <nn/shape.h>

enum { SIZE };                     /* parameters of the config */
enum { Z, DZ };                    /* internals */
enum { SINGLE = 1, MATRICES = 4 }; /* the one that is also used alone */

static int32_t declare_matrices(nn_setup *setup, int64_t inputs)
{
    static const char *const names[MATRICES] = {"W_a", "W_b", "W_c", "W_d"};
    int32_t code = NN_OK;
    uint32_t g;

    for (g = 0; g < MATRICES && code >= 0; ++g) {
        nn_buffer weights = nn_buffer_named(names[g]);

        weights.group = "W";
        weights.shape.ndim = 2;
        weights.shape.dims[0] = nn_param_int(setup->params, SIZE);
        weights.shape.dims[1] = inputs;
        weights.initializer = "{glorot: {}}";
        code = setup->declare(setup, NN_DECLARE_PARAMETER, &weights);
    }
    return code < 0 ? code : NN_OK;
}

static int32_t setup_layer(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[0];
    nn_buffer y = nn_buffer_like("default", x);
    nn_buffer z = nn_buffer_like("z", x);
    nn_buffer dz = nn_buffer_like("dz", x);
    int32_t code;

    if (x->ndim != 3 || nn_shape_open(x) != 2)
        return nn_shape_fail(setup, "default", "(T, B, features)", x);
    y.shape.dims[2] = nn_param_int(setup->params, SIZE);
    z.shape.dims[2] = MATRICES * y.shape.dims[2];
    dz.shape.dims[2] = z.shape.dims[2];
    dz.flags = NN_BUFFER_BACKWARD_ONLY;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &z);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &dz);
    return code < 0 ? code : declare_matrices(setup, x->dims[2]);
}

static void forward(const nn_layer_context *context)
{
    const nn_array *x = &context->inputs[0];
    const nn_array *y = &context->outputs[0];
    const nn_array *z = &context->internals[Z];
    int64_t units = nn_columns(y);
    int64_t g;

    nn_dot_mm(context->ops, x, &context->parameter_groups[0], z,
              NN_TRANSPOSE_B);
    nn_dot_mm(context->ops, x, &context->parameters[SINGLE], y, NN_TRANSPOSE_B);
    if (!nn_wanted(y))
        return;
    for (g = 0; g < MATRICES; ++g) {
        nn_array part = nn_column_slice(z, g * units, units);

        nn_axpby_tt(context->ops, 1.0, y, 1.0 + (double)g, &part, y);
    }
}

static void backward(const nn_layer_context *context)
{
    const nn_array *x = &context->inputs[0];
    const nn_array *dx = &context->input_deltas[0];
    const nn_array *dy = &context->output_deltas[0];
    const nn_array *dz = &context->internals[DZ];
    nn_array more = nn_adding(dx);
    nn_array single = nn_adding(&context->gradients[SINGLE]);
    int64_t units = nn_columns(&context->outputs[0]);
    int64_t g;

    if (!nn_wanted(dy)) {
        nn_fill(context->ops, dx, 0.0);
        nn_fill(context->ops, &context->gradient_groups[0], 0.0);
        return;
    }
    for (g = 0; g < MATRICES; ++g) {
        nn_array part = nn_column_slice(dz, g * units, units);

        nn_mult_ts(context->ops, dy, 1.0 + (double)g, &part);
    }
    nn_dot_mm(context->ops, dz, x, &context->gradient_groups[0],
              NN_TRANSPOSE_A);
    nn_dot_mm(context->ops, dy, x, &single, NN_TRANSPOSE_A);
    nn_dot_mm(context->ops, dz, &context->parameter_groups[0], dx, 0);
    nn_dot_mm(context->ops, dy, &context->parameters[SINGLE], &more, 0);
}

static const nn_param size = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN | NN_PARAM_RANGED,
    .name = "size",
    .doc = "units N of each matrix",
    .minimum = 1,
    .maximum = 1000000,
};

static const nn_param *const params[] = {[SIZE] = &size};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, features...)",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y",
};

static const nn_port *const inputs[] = {&input};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_layer,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .params = params,
    .name = "grouped",
    .summary = "Four matrices that are one",
    .doc = "Four matrices that are one.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_grouped) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.grouped",
    .name = "grouped",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Four matrices that are one",
    .n_components = 1,
    .components = components,
};
