/* SPDX-License-Identifier: MIT */
/* alone.c - sets a layer up and gives its buffers memory; see alone.h. */
#include "tests/plugins/layers/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util/error.h"

static int32_t declare(nn_setup *setup, uint32_t what, const nn_buffer *buffer)
{
    alone *a = (alone *)(void *)setup;
    alone_buffers *all = what == NN_DECLARE_OUTPUT      ? &a->outputs
                         : what == NN_DECLARE_PARAMETER ? &a->parameters
                         : what == NN_DECLARE_INTERNAL  ? &a->internals
                                                        : &a->state;
    alone_buffer *made = &all->list[all->n];

    assert_true(all->n < ALONE_MAX);
    assert_int_equal(buffer->size, NN_SIZEOF(nn_buffer, value));
    assert_int_equal(buffer->shape.size, NN_SIZEOF(nn_shape, dims));
    assert_true(buffer->shape.ndim >= 1 && buffer->shape.ndim <= NN_MAX_DIMS);
    made->declared = *buffer;
    snprintf(made->name, sizeof made->name, "%s", buffer->name);
    if (buffer->group)
        snprintf(made->group, sizeof made->group, "%s", buffer->group);
    return (int32_t)all->n++;
}

static int32_t reference(nn_setup *setup, const char *path, nn_shape *shape)
{
    alone *a = (alone *)(void *)setup;
    uint32_t i;

    for (i = 0; i < a->n_references; ++i)
        if (strcmp(a->paths[i], path) == 0) {
            if (shape)
                *shape = a->reference_shapes[i];
            return (int32_t)i;
        }
    return nn_fail(&alone_host, NN_NOT_FOUND, "layer.reference", "no buffer %s",
                   path);
}

nn_child *alone_child(uint32_t n, alone *const *layers)
{
    nn_child *child = calloc(1, sizeof *child);
    uint32_t i;

    child->n = n;
    for (i = 0; i < n; ++i)
        child->layers[i] = layers[i];
    return child;
}

static int32_t setup_child(nn_setup *setup, nn_child *child,
                           const nn_shape *inputs, uint32_t n_inputs,
                           int64_t frames)
{
    alone *a = (alone *)(void *)setup;
    uint32_t i;

    a->children[a->n_children++] = child;
    child->frames = frames;
    for (i = 0; i < child->n; ++i) {
        alone *layer = child->layers[i];
        int32_t code;

        if (i == 0)
            memcpy(layer->input_shapes, inputs, n_inputs * sizeof *inputs);
        else
            layer->input_shapes[0] =
                child->layers[i - 1]->outputs.list[0].declared.shape;
        layer->input_shapes[0].dtype = a->real;
        layer->n_inputs = i == 0 ? n_inputs : 1;
        code = alone_setup(layer);
        if (code)
            return code;
    }
    return NN_OK;
}

static int32_t setup_child_output(nn_setup *setup, nn_child *child,
                                  uint32_t index, nn_shape *shape)
{
    (void)setup;
    *shape = child->layers[child->n - 1]->outputs.list[index].declared.shape;
    return NN_OK;
}

alone *alone_create(const nn_component *component, const nn_params *params,
                    uint32_t real, int64_t T, int64_t B)
{
    alone *a = calloc(1, sizeof *a);

    a->component = component;
    a->interface = component->interface;
    a->real = real;
    a->T = T;
    a->B = B;
    a->setup.size = NN_SIZEOF(nn_setup, reference);
    a->setup.host = &alone_host;
    a->setup.params = params;
    a->setup.layer = component->name;
    a->setup.real = real;
    a->setup.declare = declare;
    a->setup.child = setup_child;
    a->setup.child_output = setup_child_output;
    a->setup.reference = reference;
    assert_int_equal(nn_completed_create(&alone_handler, NULL, real,
                                         &a->completed),
                     0);
    return a;
}

static nn_shape read_shape(uint32_t dtype, uint32_t ndim, va_list sizes)
{
    nn_shape shape = {NN_SIZEOF(nn_shape, dims), dtype, ndim, 0, {0}};
    uint32_t i;

    for (i = 0; i < ndim; ++i)
        shape.dims[i] = va_arg(sizes, int);
    return shape;
}

void alone_input(alone *a, uint32_t dtype, uint32_t ndim, ...)
{
    va_list sizes;

    va_start(sizes, ndim);
    a->input_shapes[a->n_inputs++] = read_shape(dtype, ndim, sizes);
    va_end(sizes);
}

void alone_reference(alone *a, const char *path, uint32_t dtype, uint32_t ndim,
                     ...)
{
    uint32_t i = a->n_references++;
    va_list sizes;

    va_start(sizes, ndim);
    a->paths[i] = path;
    a->reference_shapes[i] = read_shape(dtype, ndim, sizes);
    va_end(sizes);
    a->references[i] = alone_make(a, &a->reference_shapes[i], 0, 0, 0);
    a->reference_deltas[i] = alone_make(a, &a->reference_shapes[i], 0, 0, 0);
    a->reference_deltas[i].mode = dtype == NN_UINT8 ? NN_DISCARD : NN_ADD;
}

/* The port of input or output INDEX: the last one is variadic if need be. */
static const nn_port *port_of(const nn_port *const *ports, uint32_t n,
                              uint32_t index)
{
    return ports[index < n ? index : n - 1];
}

static int64_t padding(const nn_port *port)
{
    return port->flags & NN_PORT_DENSE ? 0 : 3;
}

static void allocate_all(alone *a, alone_buffers *all, uint32_t what)
{
    uint32_t i;

    for (i = 0; i < all->n; ++i) {
        alone_buffer *b = &all->list[i];
        int64_t before = b->declared.context_before;
        int64_t after = b->declared.context_after;
        int64_t pad = 0;

        if (what == NN_DECLARE_PARAMETER && b->group[0])
            continue;
        if (what == NN_DECLARE_OUTPUT)
            pad = padding(
                port_of(a->component->outputs, a->component->n_outputs, i));
        b->array = alone_make(a, &b->declared.shape, before, after, pad);
        if (what == NN_DECLARE_PARAMETER || what == NN_DECLARE_OUTPUT)
            b->delta = alone_make(a, &b->declared.shape, before, after, pad);
        if (what == NN_DECLARE_OUTPUT &&
            (b->declared.flags & NN_BUFFER_NO_DELTA))
            b->delta.mode = NN_DISCARD;
    }
}

/* Stacks the members of each group. */
static void allocate_groups(alone *a)
{
    alone_buffers *all = &a->parameters;
    uint32_t i;
    uint32_t j;

    for (i = 0; i < all->n; ++i) {
        nn_shape shape = all->list[i].declared.shape;
        nn_array *group = &a->groups[a->n_groups];
        nn_array *gradient = &a->group_gradients[a->n_groups];
        int64_t first = 0;

        if (!all->list[i].group[0] || all->list[i].array.memory)
            continue;
        shape.dims[0] = 0;
        for (j = i; j < all->n; ++j)
            if (strcmp(all->list[j].group, all->list[i].group) == 0)
                shape.dims[0] += all->list[j].declared.shape.dims[0];
        *group = alone_make(a, &shape, 0, 0, 0);
        *gradient = alone_make(a, &shape, 0, 0, 0);
        for (j = i; j < all->n; ++j) {
            int64_t count = all->list[j].declared.shape.dims[0];

            if (strcmp(all->list[j].group, all->list[i].group) != 0)
                continue;
            all->list[j].array = nn_slice(group, first, count);
            all->list[j].delta = nn_slice(gradient, first, count);
            first += count;
        }
        ++a->n_groups;
    }
}

int32_t alone_setup(alone *a)
{
    int32_t code;
    uint32_t i;

    nn_error_clear();
    a->setup.n_inputs = a->n_inputs;
    a->setup.inputs = a->input_shapes;
    if (a->interface->instance_bytes)
        a->setup.instance = calloc(1, a->interface->instance_bytes);
    code = a->interface->setup(&a->setup);
    if (code)
        return code;
    for (i = 0; i < a->n_inputs; ++i) {
        const nn_port *port = port_of(a->component->inputs,
                                      a->component->n_inputs, i);

        a->inputs[i] = alone_make(a, &a->input_shapes[i], 0, 0, padding(port));
        a->input_deltas[i] = alone_make(a, &a->input_shapes[i], 0, 0,
                                        padding(port));
        if (port->flags & NN_PORT_NO_DELTA)
            a->input_deltas[i].mode = NN_DISCARD;
    }
    allocate_all(a, &a->outputs, NN_DECLARE_OUTPUT);
    allocate_all(a, &a->parameters, NN_DECLARE_PARAMETER);
    allocate_all(a, &a->internals, NN_DECLARE_INTERNAL);
    allocate_all(a, &a->state, NN_DECLARE_STATE);
    allocate_groups(a);
    alone_reset(a);
    return NN_OK;
}

void alone_reset(alone *a)
{
    uint32_t i;

    for (i = 0; i < a->state.n; ++i)
        alone_fill(&a->state.list[i].array, a->state.list[i].declared.value);
}

static void drop_all(alone_buffers *all)
{
    uint32_t i;

    for (i = 0; i < all->n; ++i) {
        if (all->list[i].group[0])
            continue;
        alone_drop(&all->list[i].array);
        alone_drop(&all->list[i].delta);
    }
}

static void destroy(alone *a, int is_child)
{
    uint32_t i;
    uint32_t j;

    for (i = 0; i < a->n_children; ++i) {
        for (j = 0; j < a->children[i]->n; ++j)
            destroy(a->children[i]->layers[j],
                    a->children[i]->layers[j]->completed == a->completed);
        free(a->children[i]);
    }
    alone_drop_plans(a);
    for (i = 0; i < a->n_inputs; ++i) {
        alone_drop(&a->inputs[i]);
        alone_drop(&a->input_deltas[i]);
    }
    for (i = 0; i < a->n_groups; ++i) {
        alone_drop(&a->groups[i]);
        alone_drop(&a->group_gradients[i]);
    }
    for (i = 0; i < a->n_references; ++i) {
        alone_drop(&a->references[i]);
        alone_drop(&a->reference_deltas[i]);
    }
    drop_all(&a->outputs);
    drop_all(&a->parameters);
    drop_all(&a->internals);
    drop_all(&a->state);
    if (!is_child)
        nn_completed_destroy(a->completed);
    free(a->setup.instance);
    free(a);
}

void alone_destroy(alone *a)
{
    if (a)
        destroy(a, 0);
}
