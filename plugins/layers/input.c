/* SPDX-License-Identifier: MIT */
/* input.c - the layer whose outputs are the network's inputs.
 *
 * Forward: nothing; before each pass the program or the iterator writes the
 * outputs.  Backward: nothing; the layer has no inputs and no parameters.
 *
 * `shapes` names the outputs and gives the shape of one sample at one time
 * step: `[28, 28, 1]` declares (T, B, 28, 28, 1), where T is the number of time
 * steps and B the number of samples of a batch.  Integer outputs (labels,
 * indices) have no derivative. */
#include <math.h>

#include <nn/shape.h>

enum { SHAPES };                     /* parameters */
enum { SHAPE, DTYPE };               /* fields of one entry of `shapes` */
enum { MAX_AXES = NN_MAX_DIMS - 2 }; /* T and B come first */

/* dtype codes in the order of the choices. */
static const uint32_t dtypes[] = {NN_REAL, NN_INT32, NN_UINT8};

static int32_t declare(nn_setup *setup, const char *name, const nn_value *entry)
{
    const nn_value *shape = entry->items[SHAPE];
    uint32_t dtype = dtypes[entry->items[DTYPE]->integer];
    nn_buffer buffer = nn_buffer_named(name);
    uint32_t i;

    if (shape->count < 1 || shape->count > MAX_AXES)
        return nn_fail(setup->host, NN_SHAPE, "layer.shape",
                       "layer '%s', output '%s': expected 1 to %d sizes in "
                       "`shape`, got %u",
                       setup->layer, name, MAX_AXES, (unsigned)shape->count);
    buffer.shape.dtype = dtype;
    buffer.shape.ndim = shape->count + 2;
    buffer.shape.dims[0] = NN_T;
    buffer.shape.dims[1] = NN_B;
    for (i = 0; i < shape->count; ++i)
        buffer.shape.dims[i + 2] = shape->items[i]->integer;
    if (dtype != NN_REAL)
        buffer.flags = NN_BUFFER_NO_DELTA;
    return setup->declare(setup, NN_DECLARE_OUTPUT, &buffer);
}

static int32_t setup_input(nn_setup *setup)
{
    const nn_value *shapes = nn_param_value(setup->params, SHAPES);
    uint32_t i;

    if (shapes->count == 0)
        return nn_fail(setup->host, NN_INVALID_ARGUMENT, "input.shapes",
                       "layer '%s': `shapes` names no output", setup->layer);
    for (i = 0; i < shapes->count; ++i) {
        int32_t code = declare(setup, shapes->keys[i], shapes->items[i]);

        if (code < 0)
            return code;
    }
    return NN_OK;
}

static void forward(const nn_layer_context *context)
{
    (void)context;
}

static const char *const dtype_names[] = {"real", "int32", "uint8", NULL};

static const nn_param size = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED,
    .name = "size",
    .doc = "elements on one axis",
    .minimum = 1,
    .maximum = INFINITY,
};

static const nn_param shape = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_LIST,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "shape",
    .doc = "sizes of one sample at one time step: [features], or [height, "
           "width, channels]",
    .element = &size,
};

static const nn_param dtype = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .name = "dtype",
    .doc = "type of the elements; real is the network's own",
    .default_text = "real",
    .choices = dtype_names,
};

static const nn_param *const fields[] = {&shape, &dtype, NULL};

static const nn_param entry = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_RECORD,
    .name = "entry",
    .doc = "one input of the network",
    .fields = fields,
};

static const nn_param shapes = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_MAP,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "shapes",
    .doc = "inputs of the network by name, each with its shape and dtype",
    .element = &entry,
};

static const nn_param *const params[] = {[SHAPES] = &shapes};

static const nn_port output = {
    .size = NN_SIZEOF(nn_port, doc),
    .flags = NN_PORT_VARIADIC,
    .dtypes = 1u << NN_REAL | 1u << NN_INT32 | 1u << NN_UINT8,
    .name = "outputs",
    .doc = "one for each entry of `shapes`: (T, B, sizes...)",
};

static const nn_port *const outputs[] = {&output};

static const nn_layer_interface interface = {
    .size = NN_SIZEOF(nn_layer_interface, backward),
    .setup = setup_input,
    .forward = forward,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_LAYER,
    .flags = NN_LAYER_INPUT,
    .n_params = sizeof params / sizeof *params,
    .name = "input",
    .summary = "The inputs of the network",
    .doc = "Its outputs are what the iterator delivers, by name: `{input: "
           "{shapes: {default: [28, 28, 1], targets: {shape: [1], dtype: "
           "int32}}}}`.  The sizes are those of one sample at one time step; "
           "the arrays are (T, B, sizes...), T time steps and B samples.  "
           "Integer inputs have no derivative.",
    .params = params,
    .interface = &interface,
    .n_outputs = 1,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(layer_input) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.layer.input",
    .name = "input",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "The inputs of the network",
    .n_components = 1,
    .components = components,
};
