/* SPDX-License-Identifier: MIT */
/* softmax_ce.c - softmax and cross entropy in one, for one class of K.
 *
 * Letters: x (K) one row of the input; p its softmax; t the targets of the row,
 * either a label, the number of the right class from 0, or a distribution over
 * the K classes; L the cross entropy; s the row's share in the loss, from the
 * importance and the mask (see nn/loss.h); d. the derivative of the loss by
 * what follows.
 *
 * Forward:   p_k = exp(x_k) / sum over j of exp(x_j)
 *            L = -log p_t, or -sum over k of t_k log p_k, where 0 log 0 = 0
 *            loss = s L
 * Backward:  dx_k = s dloss (p_k - (1 if k is the label, else 0)), or
 *            dx_k = s dloss (p_k sum over j of t_j - t_k),
 *            plus p_k (dp_k - sum over j of p_j dp_j) if someone reads p
 *
 * log p is computed as x - max x - log sum exp(x - max x), so large inputs
 * neither overflow nor lose the loss.  Targets of masked rows are not looked
 * at.  Source: Bridle, "Probabilistic Interpretation of Feedforward
 * Classification Network Outputs, with Relationships to Statistical Pattern
 * Recognition", 1990. */
#include <nn/loss.h>

enum { IMPORTANCE }; /* parameters */

/* Internals after those of nn/loss.h: scratch of the shape of x; then, with
 * labels and a mask, labels that are 0 in masked rows, or, with distributions,
 * the sum of each row's targets. */
enum { LOG = NN_LOSS_INTERNALS, LABELS, MASS = LABELS };

static int32_t setup_labels(nn_setup *setup)
{
    const nn_shape rows = nn_shape_rows(&setup->inputs[NN_LOSS_INPUT]);
    const nn_shape *targets = &setup->inputs[NN_LOSS_TARGETS];
    nn_buffer labels = nn_buffer_like("labels", &rows);
    int32_t code = nn_shape_need(setup, "targets", &rows, targets);

    if (code || setup->inputs[NN_LOSS_MASK].ndim == 0)
        return code;
    labels.shape.dtype = NN_INT32;
    code = setup->declare(setup, NN_DECLARE_INTERNAL, &labels);
    return code < 0 ? code : NN_OK;
}

static int32_t setup_distributions(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[NN_LOSS_INPUT];
    const nn_shape *targets = &setup->inputs[NN_LOSS_TARGETS];
    const nn_shape rows = nn_shape_rows(x);
    char expected[NN_SHAPE_ROOM + 64];
    char text[NN_SHAPE_ROOM];

    if (!nn_shape_equal(x, targets)) {
        snprintf(expected, sizeof expected,
                 "int32 labels, or distributions of shape %s",
                 nn_shape_text(x, text));
        return nn_shape_fail(setup, "targets", expected, targets);
    }
    return nn_loss_scratch(setup, "mass", &rows, 0);
}

static int32_t setup_softmax_ce(nn_setup *setup)
{
    int32_t code = nn_loss_setup(setup);

    if (!code)
        code = nn_loss_scratch(setup, "log_predictions",
                               &setup->inputs[NN_LOSS_INPUT], 0);
    if (code)
        return code;
    return setup->inputs[NN_LOSS_TARGETS].dtype == NN_INT32
               ? setup_labels(setup)
               : setup_distributions(setup);
}

static int has_labels(const nn_layer_context *context)
{
    return context->inputs[NN_LOSS_TARGETS].dtype == NN_INT32;
}

/* The labels with 0 in masked rows.  Reals of the scratch column hold a label
 * exactly up to 2^24, which is far beyond any K. */
static const nn_array *valid_labels(const nn_layer_context *context)
{
    const nn_array *scale = &context->internals[NN_LOSS_SCALE];
    const nn_array *row = &context->internals[NN_LOSS_ROW];
    const nn_array *targets = &context->inputs[NN_LOSS_TARGETS];

    if (!nn_present(&context->inputs[NN_LOSS_MASK]))
        return targets;
    nn_cast(context->ops, targets, row);
    nn_select_ttt(context->ops, scale, row, scale, row);
    nn_cast(context->ops, row, &context->internals[LABELS]);
    return &context->internals[LABELS];
}

static void forward(const nn_layer_context *context)
{
    const nn_operations *ops = context->ops;
    const nn_array *x = &context->inputs[NN_LOSS_INPUT];
    const nn_array *t = &context->inputs[NN_LOSS_TARGETS];
    const nn_array *log_p = &context->internals[LOG];
    const nn_array *loss = &context->outputs[NN_LOSS_LOSS];

    nn_loss_begin(context, nn_param_real(context->params, IMPORTANCE));
    nn_softmax_m(ops, x, &context->outputs[NN_LOSS_PREDICTIONS]);
    nn_log_softmax_m(ops, x, log_p);
    if (has_labels(context)) {
        nn_index_m_by_v(ops, log_p, valid_labels(context), loss);
    } else {
        nn_mult_tt(ops, log_p, t, log_p);
        nn_select_ttt(ops, t, log_p, t, log_p);
        nn_loss_row_sum(ops, log_p, loss);
    }
    if (!nn_wanted(loss))
        return;
    nn_mult_ts(ops, loss, -1.0, loss);
    nn_loss_end(context);
}

/* dx = g (p - one hot of the label), g the deltas of L in ROW. */
static void backward_labels(const nn_layer_context *context,
                            const nn_array *row)
{
    const nn_array *dx = &context->input_deltas[NN_LOSS_INPUT];
    const nn_array adding = nn_adding(dx);
    const nn_array *labels = &context->inputs[NN_LOSS_TARGETS];

    if (nn_present(&context->inputs[NN_LOSS_MASK]))
        labels = &context->internals[LABELS];
    nn_loss_mult_rows(context, &context->outputs[NN_LOSS_PREDICTIONS], row,
                      &context->internals[LOG], dx);
    nn_mult_ts(context->ops, row, -1.0, row);
    nn_scatter_v_by_v(context->ops, row, labels, &adding);
}

/* dx = g (p sum of t - t), g the deltas of L in ROW. */
static void backward_distributions(const nn_layer_context *context,
                                   const nn_array *row)
{
    const nn_operations *ops = context->ops;
    const nn_array *scratch = &context->internals[LOG];
    const nn_array *mass = &context->internals[MASS];
    const nn_array *t = &context->inputs[NN_LOSS_TARGETS];
    const nn_array *dx = &context->input_deltas[NN_LOSS_INPUT];
    const nn_array adding = nn_adding(dx);

    nn_loss_row_sum(ops, t, mass);
    if (nn_present(&context->inputs[NN_LOSS_MASK]))
        nn_select_ttt(ops, &context->internals[NN_LOSS_SCALE], mass,
                      &context->internals[NN_LOSS_SCALE], mass);
    nn_mult_tt(ops, mass, row, mass);
    nn_loss_mult_rows(context, &context->outputs[NN_LOSS_PREDICTIONS], mass,
                      scratch, dx);
    nn_mult_ts(ops, row, -1.0, row);
    nn_loss_mult_rows(context, t, row, scratch, &adding);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *dp = &context->output_deltas[NN_LOSS_PREDICTIONS];
    const nn_array *dx = &context->input_deltas[NN_LOSS_INPUT];
    const nn_array *row;
    nn_array rest = *dx;

    if (!nn_wanted(dx))
        return;
    row = nn_loss_row_delta(context);
    if (row && has_labels(context))
        backward_labels(context, row);
    else if (row)
        backward_distributions(context, row);
    if (row)
        rest = nn_adding(dx);
    if (nn_wanted(dp))
        nn_softmax_backward_m(context->ops,
                              &context->outputs[NN_LOSS_PREDICTIONS], dp,
                              &rest);
    else if (!row)
        nn_fill(context->ops, dx, 0.0);
}

static const nn_param *const params[] = {[IMPORTANCE] = &nn_loss_importance};

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, ..., K), any numbers",
};

static const nn_port targets = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_NO_DELTA,
    .dtypes = 1u << NN_INT32 | 1u << NN_REAL,
    .content = NN_CONTENT_LABELS,
    .name = "targets",
    .doc = "t: int32 labels from 0 to K - 1, (T, B, ..., 1), or real "
           "distributions, the shape of x",
};

static const nn_port *const inputs[] = {[NN_LOSS_INPUT] = &input,
                                        [NN_LOSS_TARGETS] = &targets,
                                        [NN_LOSS_MASK] = &nn_loss_mask};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_softmax_ce,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .n_params = sizeof params / sizeof *params,
    .name = "softmax_ce",
    .summary = "Softmax and cross entropy, for one class of many",
    .doc =
        "Forward: p_k = exp(x_k) / sum over j of exp(x_j); L = -log p_t for "
        "a label t, or -sum over k of t_k log p_k for a distribution t, "
        "where 0 log 0 = 0.  Backward: dx_k = g (p_k - (1 if k is the label, "
        "else 0)), or g (p_k sum over j of t_j - t_k), plus p_k (dp_k - sum "
        "over j of p_j dp_j) if the predictions are read.  x is one row of "
        "the input, k and j count its K classes, p are the predictions, t "
        "the targets, L the loss of the row, g its delta.  The layer's loss "
        "is importance * sum of L m / sum of m over all rows with their "
        "mask m, or importance * the mean of L without a mask; 0 if the "
        "mask is all 0.  Inputs and targets of masked rows change nothing, "
        "whatever they are.  Source: Bridle, \"Probabilistic Interpretation "
        "of Feedforward Classification Network Outputs, with Relationships "
        "to Statistical Pattern Recognition\", 1990.",
    .params = params,
    .interface = &interface,
    .n_inputs = 3,
    .n_outputs = 3,
    .inputs = inputs,
    .outputs = nn_loss_outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_softmax_ce) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.softmax_ce",
    .name = "softmax_ce",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Softmax and cross entropy, for one class of many",
    .n_components = 1,
    .components = components,
};
