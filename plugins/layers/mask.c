/* SPDX-License-Identifier: MIT */
/* mask.c - multiplies every row by its mask, and lets nothing else through.
 *
 * Letters: x (T, B, ..., F) the input, y the output of the same shape; m the
 * mask, one number a row, usually 0 or 1: (T, B, 1), repeated over further axes
 * of x, or of the shape of x with a last axis of 1; d. the derivative of the
 * loss by what follows.
 *
 * Forward:   y = m x where m is not 0, else 0
 * Backward:  dx = m dy where m is not 0, else 0; the mask has no derivative
 *
 * Rows with mask 0 are chosen away and not multiplied away: NaN and infinity in
 * them become 0. */
#include <nn/loss.h>

enum { INPUT, MASK };      /* inputs */
enum { ROWS, KEPT_DELTA }; /* internals */

static int32_t setup_mask(nn_setup *setup)
{
    const nn_shape *x = &setup->inputs[INPUT];
    nn_buffer y = nn_buffer_like("default", x);
    nn_buffer rows = nn_buffer_named("rows");
    nn_buffer kept = nn_buffer_like("kept_delta", x);
    int32_t code = nn_shape_need_features(setup, "default", x);

    if (!code)
        code = nn_mask_check(setup, x, &setup->inputs[MASK]);
    if (code)
        return code;
    rows.shape = nn_shape_rows(&y.shape);
    kept.flags = NN_BUFFER_BACKWARD_ONLY;
    code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &rows);
    if (code >= 0)
        code = setup->declare(setup, NN_DECLARE_INTERNAL, &kept);
    return code < 0 ? code : NN_OK;
}

static void forward(const nn_layer_context *context)
{
    const nn_array *rows = &context->internals[ROWS];
    const nn_array *y = &context->outputs[0];

    nn_mask_spread(context->ops, &context->inputs[MASK], rows);
    if (!nn_wanted(y))
        return;
    nn_mask_rows(context->ops, rows, &context->inputs[INPUT], y);
    nn_mult_mv(context->ops, y, rows, y);
}

static void backward(const nn_layer_context *context)
{
    const nn_array *rows = &context->internals[ROWS];
    const nn_array *kept = &context->internals[KEPT_DELTA];
    const nn_array *dy = &context->output_deltas[0];
    const nn_array *dx = &context->input_deltas[INPUT];

    if (!nn_wanted(dy)) {
        nn_fill(context->ops, dx, 0.0);
        return;
    }
    if (!nn_wanted(dx))
        return;
    nn_mask_rows(context->ops, rows, dy, kept);
    nn_mult_mv(context->ops, kept, rows, dx);
}

static const nn_port input = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "x: (T, B, features...)",
};

static const nn_port mask = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_NO_DELTA,
    .dtypes = 1u << NN_REAL,
    .content = NN_CONTENT_MASK,
    .name = "mask",
    .doc = "m: (T, B, 1), or the shape of x with a last axis of 1",
};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .dtypes = 1u << NN_REAL,
    .name = "default",
    .doc = "y: the shape of x",
};

static const nn_port *const inputs[] = {[INPUT] = &input, [MASK] = &mask};
static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_mask,
    .forward = forward,
    .backward = backward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .name = "mask",
    .summary = "Multiplies every row by its mask",
    .doc =
        "Forward: y = m x where the mask m is not 0, else 0.  Backward: dx = "
        "m dy where m is not 0, else 0.  x (T, B, ..., F) is the input, y "
        "the output of the same shape, m one number a row.  NaN and "
        "infinity in rows with mask 0 become 0.  The mask has no "
        "derivative.",
    .interface = &interface,
    .n_inputs = 2,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_mask) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.mask",
    .name = "mask",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Multiplies every row by its mask",
    .n_components = 1,
    .components = components,
};
