/* SPDX-License-Identifier: MIT */
/* subject.c - a right layer, y = x, that first does what MISDEED says.
 *
 * Compiled with -DMISDEED='exit(0)' or the like; AT_LOAD does it in a
 * constructor, BACKWARD is the factor of its derivative. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <nn/shape.h>

#ifndef MISDEED
#define MISDEED (void)0
#endif
#ifndef AT_LOAD
#define AT_LOAD (void)0
#endif
#ifndef BACKWARD
#define BACKWARD 1.0
#endif

static void *begun(void *self)
{
    return self;
}

__attribute__((constructor)) static void when_opened(void)
{
    (void)begun; /* for a thread, if a misdeed is to start one */
    AT_LOAD;
}

static int32_t setup_layer(nn_setup *setup)
{
    nn_buffer y = nn_buffer_like("default", &setup->inputs[0]);

    return setup->declare(setup, NN_DECLARE_OUTPUT, &y);
}

static void forward(const nn_layer_context *context)
{
    MISDEED;
    nn_copy(context->ops, &context->inputs[0], &context->outputs[0]);
}

static void backward(const nn_layer_context *context)
{
    if (nn_wanted(&context->output_deltas[0]))
        nn_mult_ts(context->ops, &context->output_deltas[0], BACKWARD,
                   &context->input_deltas[0]);
    else
        nn_fill(context->ops, &context->input_deltas[0], 0.0);
}

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
    .doc = "y: the same",
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
    .name = "subject",
    .summary = "Hands its input on",
    .doc = "Hands its input on, whatever else it does.",
    .interface = &interface,
    .n_inputs = 1,
    .n_outputs = 1,
    .inputs = inputs,
    .outputs = outputs,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(test_subject) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.test.subject",
    .name = "subject",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A layer for tests of nn-conformance",
    .n_components = 1,
    .components = components,
};
