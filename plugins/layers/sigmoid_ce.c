/* SPDX-License-Identifier: MIT */
/* sigmoid_ce.c - sigmoid and cross entropy in one, for independent yes and no.
 *
 * Letters: x (F) one row of the input; p its sigmoid; t (F) the targets, from 0
 * to 1; L the cross entropy; s the row's share in the loss, from the importance
 * and the mask (see nn/loss.h); softplus(z) = log(1 + exp(z)); d. the
 * derivative of the loss by what follows.
 *
 * Forward:   p_f = 1 / (1 + exp(-x_f))
 *            L = -sum over f of (t_f log p_f + (1 - t_f) log(1 - p_f))
 *              = sum over f of (t_f softplus(-x_f) + (1 - t_f) softplus(x_f))
 *            loss = s L
 * Backward:  dx_f = s dloss (p_f - t_f), plus dp_f p_f (1 - p_f) if someone
 *            reads p
 *
 * The second form of L has no logarithm of 0 and no difference of large
 * numbers.  Targets of masked rows are not looked at.  Source: Bishop, "Neural
 * Networks for Pattern Recognition", 1995, section 6.7. */
#include <nn/loss.h>

enum { IMPORTANCE }; /* parameters */

/* Internals after those of nn/loss.h: two scratch arrays of the shape of x. */
enum { PART = NN_LOSS_INTERNALS, FACTOR };

static int32_t setup_sigmoid_ce(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[NN_LOSS_INPUT];
    int32_t code = nn_loss_setup(setup);

    if (!code)
        code = nn_shape_need(setup, "targets", x,
                             &setup->inputs[NN_LOSS_TARGETS]);
    if (!code)
        code = nn_loss_scratch(setup, "part", x, 0);
    if (!code)
        code = nn_loss_scratch(setup, "factor", x, 0);
    return code;
}

static void forward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *x = &context->inputs[NN_LOSS_INPUT];
    const nn_array *t = &context->inputs[NN_LOSS_TARGETS];
    const nn_array *part = &context->internals[PART];
    const nn_array *factor = &context->internals[FACTOR];
    const nn_array *loss = &context->outputs[NN_LOSS_LOSS];
    const nn_array adding = nn_adding(loss);

    nn_loss_begin(context, nn_param_real(context->params, IMPORTANCE));
    nn_activation_t(ops, NN_ACTIVATION_SIGMOID, 0.0, x,
                    &context->outputs[NN_LOSS_PREDICTIONS]);
    if (!nn_wanted(loss))
        return;
    nn_mult_ts(ops, x, -1.0, factor);
    nn_activation_t(ops, NN_ACTIVATION_SOFTPLUS, 0.0, factor, factor);
    nn_mult_tt(ops, factor, t, part);
    nn_mult_ts(ops, t, -1.0, factor);
    nn_add_ts(ops, factor, 1.0, factor);
    nn_loss_row_sum(ops, part, loss);
    nn_activation_t(ops, NN_ACTIVATION_SOFTPLUS, 0.0, x, part);
    nn_mult_tt(ops, part, factor, part);
    nn_loss_row_sum(ops, part, &adding);
    nn_loss_end(context);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *p = &context->outputs[NN_LOSS_PREDICTIONS];
    const nn_array *dp = &context->output_deltas[NN_LOSS_PREDICTIONS];
    const nn_array *dx = &context->input_deltas[NN_LOSS_INPUT];
    const nn_array *scratch = &context->internals[PART];
    const nn_array adding = nn_adding(dx);
    const nn_array *row;

    if (!nn_wanted(dx))
        return;
    row = nn_loss_row_delta(context);
    if (row) {
        nn_loss_mult_rows(context, p, row, scratch, dx);
        nn_mult_ts(context->ops, row, -1.0, row);
        nn_loss_mult_rows(context, &context->inputs[NN_LOSS_TARGETS], row,
                          scratch, &adding);
    }
    if (nn_wanted(dp))
        nn_activation_backward_t(context->ops, NN_ACTIVATION_SIGMOID, 0.0, NULL,
                                 p, dp, row ? &adding : dx);
    else if (!row)
        nn_fill(context->ops, dx, 0.0);
}

static const nn_param *const params[] = {[IMPORTANCE] = &nn_loss_importance};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, ..., F), any numbers",
};

static const nn_port targets = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_NO_DELTA,
    .dtypes = 1u << NN_REAL,
    .content = NN_CONTENT_PROBABILITY,
    .name = "targets",
    .doc = "t: the shape of x, from 0 to 1",
};

static const nn_port *const inputs[] = {[NN_LOSS_INPUT] = &input,
                                        [NN_LOSS_TARGETS] = &targets,
                                        [NN_LOSS_MASK] = &nn_loss_mask};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_sigmoid_ce,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "sigmoid_ce",
    .summary = "Sigmoid and cross entropy, for independent yes and no",
    .doc = "Forward: p_f = 1 / (1 + exp(-x_f)); L = sum over f of (t_f "
           "softplus(-x_f) + (1 - t_f) softplus(x_f)), which is the cross "
           "entropy of t and p without a logarithm of 0.  Backward: dx_f = g "
           "(p_f - t_f), plus dp_f p_f (1 - p_f) if the predictions are read.  "
           "x is one row of the input, f counts its F features, p are the "
           "predictions, t the targets, L the loss of the row, g its delta, "
           "softplus(z) = log(1 + exp(z)).  The layer's loss is importance * "
           "sum of L m / sum of m over all rows with their mask m, or "
           "importance * the mean of L without a mask; 0 if the mask is all 0. "
           " Inputs and targets of masked rows change nothing, whatever they "
           "are.  Source: Bishop, \"Neural Networks for Pattern Recognition\", "
           "1995, section 6.7.",
    .params = params,
    .interface = &interface,
    .n_inputs = 3,
    .n_outputs = 3,
    .inputs = inputs,
    .outputs = nn_loss_outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_sigmoid_ce) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.sigmoid_ce",
    .name = "sigmoid_ce",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Sigmoid and cross entropy, for independent yes and no",
    .n_components = 1,
    .components = components,
};
