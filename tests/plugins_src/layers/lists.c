/* SPDX-License-Identifier: MIT */
/* lists.c - a factor and an offset from lists, maps and records, to show
 * structured parameters.
 *
 * Forward:   y = a x + b
 * Backward:  dx = a dy
 *
 * Letters: x, y input and output of one shape; a the sum of `factors` times
 * `scale.value`, to the power `scale.power`; b the sum of the values in
 * `offsets`. */
#include <math.h>

#include <nn/shape.h>

enum { FACTORS, OFFSETS, SCALE }; /* parameters */
enum { VALUE, POWER };            /* fields of SCALE */

static int32_t setup_layer(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);
    int32_t code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);

    return code < 0 ? code : NN_OK;
}

static double sum_of_items(const nn_value *value)
{
    double total = 0;
    uint32_t i;

    for (i = 0; i < value->count; ++i)
        total += value->items[i]->real;
    return total;
}

static double factor(const nn_layer_context *context)
{
    const nn_value *scale = nn_param_value(context->params, SCALE);
    double base = sum_of_items(nn_param_value(context->params, FACTORS)) *
                  scale->items[VALUE]->real;

    return pow(base, (double)scale->items[POWER]->integer);
}

static void forward(const nn_layer_context *context)
{
    const nn_array *y = &context->outputs[0];

    nn_mult_ts(context->ops, &context->inputs[0], factor(context), y);
    if (nn_wanted(y))
        nn_add_ts(context->ops, y,
                  sum_of_items(nn_param_value(context->params, OFFSETS)), y);
}

static void backward(const nn_layer_context *context)
{
    if (nn_wanted(&context->output_deltas[0]))
        nn_mult_ts(context->ops, &context->output_deltas[0], factor(context),
                   &context->input_deltas[0]);
    else
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
}

static const nn_param number = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .name = "number",
    .doc = "one number",
};

static const nn_param factors = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_LIST,
    .flags = NN_PARAM_MAIN,
    .name = "factors",
    .doc = "numbers whose sum is the factor",
    .default_text = "[1]",
    .element = &number,
};

static const nn_param offsets = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_MAP,
    .name = "offsets",
    .doc = "numbers by name whose sum is the offset b",
    .default_text = "{}",
    .element = &number,
};

static const nn_param value = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_MAIN,
    .name = "value",
    .doc = "multiplies the factor",
    .default_text = "1",
};

static const nn_param power = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED,
    .name = "power",
    .doc = "exponent of the product",
    .default_text = "1",
    .minimum = 0,
    .maximum = 8,
};

static const nn_param *const fields[] = {
    [VALUE] = &value, [POWER] = &power, NULL};

static const nn_param scale = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_RECORD,
    .name = "scale",
    .doc = "what is done to the sum of the factors",
    .default_text = "1",
    .fields = fields,
};

static const nn_param *const params[] = {
    [FACTORS] = &factors, [OFFSETS] = &offsets, [SCALE] = &scale};

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
    .name = "lists",
    .summary = "A factor and an offset from lists, maps and records",
    .doc = "A factor and an offset from lists, maps and records.",
    .interface = &interface,
    .n_inputs = sizeof inputs / sizeof *inputs,
    .n_outputs = sizeof outputs / sizeof *outputs,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_lists) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.lists",
    .name = "lists",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A factor and an offset from lists, maps and records",
    .n_components = 1,
    .components = components,
};
