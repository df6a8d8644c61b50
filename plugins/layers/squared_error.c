/* SPDX-License-Identifier: MIT */
/* squared_error.c - the squared distance of predictions and targets.
 *
 * Letters: x (F) one row of the input; t (F) its targets; c = 1/2, or 1 without
 * `half`; L the loss of the row; s the row's share in the loss, from the
 * importance and the mask (see nn/loss.h); p the predictions; d. the derivative
 * of the loss by what follows.
 *
 * Forward:   p = x,  L = c sum over f of (x_f - t_f)^2,  loss = s L
 * Backward:  dx_f = 2 c s dloss (x_f - t_f), plus dp_f if someone reads p
 *
 * Targets of masked rows are not looked at.  Source: Bishop, "Neural Networks
 * for Pattern Recognition", 1995, section 6.1; the half makes the derivative
 * the plain difference. */
#include <nn/loss.h>

enum { IMPORTANCE, HALF }; /* parameters */

/* Internals after those of nn/loss.h: x - t, and with a mask scratch of the
 * shape of x. */
enum { DIFFERENCE = NN_LOSS_INTERNALS, KEPT };

static int32_t setup_squared_error(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[NN_LOSS_INPUT];
    int32_t code = nn_loss_setup(setup);

    if (!code)
        code = nn_shape_need(setup, "targets", x,
                             &setup->inputs[NN_LOSS_TARGETS]);
    if (!code)
        code = nn_loss_scratch(setup, "difference", x, 0);
    if (!code && setup->inputs[NN_LOSS_MASK].ndim)
        code = nn_loss_scratch(setup, "kept", x, NN_BUFFER_BACKWARD_ONLY);
    return code;
}

static double factor(const nn_layer_context *context)
{
    return nn_param_int(context->params, HALF) ? 0.5 : 1.0;
}

static void forward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *x = &context->inputs[NN_LOSS_INPUT];
    const nn_array *difference = &context->internals[DIFFERENCE];
    const nn_array *loss = &context->outputs[NN_LOSS_LOSS];

    nn_loss_begin(context, nn_param_real(context->params, IMPORTANCE));
    nn_copy(ops, x, &context->outputs[NN_LOSS_PREDICTIONS]);
    nn_subtract_tt(ops, x, &context->inputs[NN_LOSS_TARGETS], difference);
    if (!nn_wanted(loss))
        return;
    nn_sum_squares_t(ops, difference, (int64_t)x->ndim - 1, loss);
    nn_mult_ts(ops, loss, factor(context), loss);
    nn_loss_end(context);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *dp = &context->output_deltas[NN_LOSS_PREDICTIONS];
    const nn_array *dx = &context->input_deltas[NN_LOSS_INPUT];
    const nn_array adding = nn_adding(dx);
    const nn_array *kept = NULL;
    const nn_array *row;

    if (!nn_wanted(dx))
        return;
    if (nn_present(&context->inputs[NN_LOSS_MASK]))
        kept = &context->internals[KEPT];
    row = nn_loss_row_delta(context);
    if (row) {
        nn_mult_ts(context->ops, row, 2.0 * factor(context), row);
        nn_loss_mult_rows(context, &context->internals[DIFFERENCE], row, kept,
                          dx);
    }
    if (nn_wanted(dp))
        nn_copy(context->ops, dp, row ? &adding : dx);
    else if (!row)
        nn_fill(context->ops, dx, 0.0);
}

static const nn_param half = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_BOOL,
    .name = "half",
    .doc = "whether c is 1/2, so that the derivative is x - t, or 1",
    .default_text = "true",
};

static const nn_param *const params[] = {
    [IMPORTANCE] = &nn_loss_importance, [HALF] = &half};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, ..., F)",
};

static const nn_port targets = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_NO_DELTA,
    .dtypes = 1u << NN_REAL,
    .name = "targets",
    .doc = "t: the shape of x",
};

static const nn_port *const inputs[] = {[NN_LOSS_INPUT] = &input,
                                        [NN_LOSS_TARGETS] = &targets,
                                        [NN_LOSS_MASK] = &nn_loss_mask};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_squared_error,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "squared_error",
    .summary = "The squared distance of predictions and targets",
    .doc = "Forward: p = x; L = c sum over f of (x_f - t_f)^2.  Backward: dx_f "
           "= 2 c g (x_f - t_f), plus dp_f if the predictions are read.  x is "
           "one row of the input, f counts its F features, t are the targets, "
           "p the predictions, L the loss of the row, g its delta; c is 1/2, "
           "or 1 without `half`.  The layer's loss is importance * sum of L m "
           "/ sum of m over all rows with their mask m, or importance * the "
           "mean of L without a mask; 0 if the mask is all 0.  Inputs and "
           "targets of masked rows change nothing, whatever they are.  Source: "
           "Bishop, \"Neural Networks for Pattern Recognition\", 1995, section "
           "6.1.",
    .params = params,
    .interface = &interface,
    .n_inputs = 3,
    .n_outputs = 3,
    .inputs = inputs,
    .outputs = nn_loss_outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_squared_error) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.squared_error",
    .name = "squared_error",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "The squared distance of predictions and targets",
    .n_components = 1,
    .components = components,
};
