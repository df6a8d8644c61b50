/* SPDX-License-Identifier: MIT */
/* loss.c - makes what it is given a loss of the network.
 *
 * Letters: x (T, B, ..., F) the input, R = T B ... its rows; m the mask, one
 * number a row, or absent; M = sum over rows of m, or R; i the importance; d.
 * the derivative of the loss by what follows.
 *
 * Forward:   loss = i sum over r of m[r] (sum over f of x[r,f]) / M
 * Backward:  dx[r,f] = dloss i m[r] / M
 *
 * If M is 0, loss and derivatives are 0.  Where m is 0 they are 0 whatever x
 * is. */
#include <nn/loss.h>

enum { IMPORTANCE };                 /* parameters */
enum { INPUT, MASK };                /* inputs */
enum { LOSS, WEIGHT };               /* outputs */
enum { ROW, SCALE, TOTAL, DIVISOR }; /* internals, as in nn/loss.h */

static int32_t declare_one(nn_setup *setup, uint32_t what, const char *name,
                           uint32_t flags)
{
    nn_buffer buffer = nn_buffer_named(name);

    buffer.flags = flags;
    buffer.shape.ndim = 1;
    buffer.shape.dims[0] = 1;
    return setup->declare(setup, what, &buffer);
}

static int32_t setup_loss(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[INPUT];
    const nn_shape *mask = &setup->inputs[MASK];
    nn_shape rows;
    int32_t code = nn_shape_need_features(setup, "default", x);

    if (!code && mask->ndim)
        code = nn_mask_check(setup, x, mask);
    if (code)
        return code;
    rows = nn_shape_rows(x);
    code = declare_one(setup, NN_DECLARE_OUTPUT, "loss", 0);
    if (code >= 0)
        code = declare_one(setup, NN_DECLARE_OUTPUT, "weight",
                           NN_BUFFER_NO_DELTA);
    if (code >= 0)
        code = nn_loss_scratch(setup, "row", &rows, 0);
    if (code >= 0)
        code = nn_loss_scratch(setup, "scale", &rows, 0);
    if (code >= 0)
        code = declare_one(setup, NN_DECLARE_INTERNAL, "total", 0);
    if (code >= 0)
        code = declare_one(setup, NN_DECLARE_INTERNAL, "divisor", 0);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *mask = &context->inputs[MASK];
    const nn_array *row = &context->internals[ROW];
    const nn_array *scale = &context->internals[SCALE];
    const nn_array *total = &context->internals[TOTAL];

    nn_loss_scale(ops, mask, nn_param_real(context->params, IMPORTANCE), scale,
                  total, &context->internals[DIVISOR]);
    nn_copy(ops, total, &context->outputs[WEIGHT]);
    nn_loss_row_sum(ops, &context->inputs[INPUT], row);
    nn_mult_tt(ops, row, scale, row);
    if (nn_present(mask))
        nn_select_ttt(ops, scale, row, scale, row);
    nn_sum_t(ops, row, NN_AXIS_ALL, &context->outputs[LOSS]);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *row = &context->internals[ROW];
    const nn_array *delta = &context->output_deltas[LOSS];
    const nn_array *dx = &context->input_deltas[INPUT];

    if (!nn_wanted(delta)) {
        nn_fill(context->ops, dx, 0.0);
        return;
    }
    nn_mult_mv(context->ops, &context->internals[SCALE], delta, row);
    nn_broadcast_t(context->ops, row, dx);
}

static const nn_param importance = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_MAIN,
    .name = "importance",
    .doc = "factor i of this loss in the loss of the network",
    .default_text = "1",
};

static const nn_param *const params[] = {[IMPORTANCE] = &importance};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, ..., F), what is to become small",
};

static const nn_port loss = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_LOSS,
    .dtypes = 1u << NN_REAL,
    .name = "loss",
    .doc = "(1)",
};

static const nn_port *const inputs[] = {
    [INPUT] = &input, [MASK] = &nn_loss_mask};
static const nn_port *const outputs[] = {
    [LOSS] = &loss, [WEIGHT] = &nn_loss_weight};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_loss,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "loss",
    .summary = "Makes what it is given a loss of the network",
    .doc = "Forward: loss = i sum over r of m[r] (sum over f of x[r,f]) / M.  "
           "Backward: dx[r,f] = dloss i m[r] / M.  x (T, B, ..., F) is the "
           "input, r counts its rows and f its columns; m is the mask, 1 if "
           "absent; M the sum of the mask, or the number of rows; i the "
           "importance.  If M is 0, loss and derivatives are 0; rows with mask "
           "0 change nothing, whatever is in them.",
    .params = params,
    .interface = &interface,
    .n_inputs = 2,
    .n_outputs = 2,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_loss) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.loss",
    .name = "loss",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Makes what it is given a loss of the network",
    .n_components = 1,
    .components = components,
};
