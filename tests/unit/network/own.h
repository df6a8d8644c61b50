/* SPDX-License-Identifier: MIT */
/* own.h - to write a layer in a test with few lines. */
#ifndef TESTS_UNIT_NETWORK_OWN_H
#define TESTS_UNIT_NETWORK_OWN_H

#include <nn/shape.h>

/* A port called NAME. */
#define OWN_PORT(id, port_name, port_flags)                                    \
    static const nn_port id = {                                                \
        .size = NN_SIZEOF(nn_port, doc),                                       \
        .flags = (port_flags),                                                 \
        .dtypes = 1u << NN_REAL,                                               \
        .name = port_name,                                                     \
        .doc = port_name,                                                      \
    }

/* A layer without parameters called ID.  PORTS_IN and PORTS_OUT are arrays of
 * ports; functions that are not needed are NULL. */
#define OWN_LAYER(id, ports_in, ports_out, prepare_fn, forward_fn,             \
                  backward_fn)                                                 \
    static const nn_layer_interface id##_interface = {                         \
        .size = NN_SIZEOF(nn_layer_interface, backward),                       \
        .setup = setup_##id,                                                   \
        .prepare = prepare_fn,                                                 \
        .forward = forward_fn,                                                 \
        .backward = backward_fn,                                               \
    };                                                                         \
    static const nn_component id = {                                           \
        .size = NN_SIZEOF(nn_component, outputs),                              \
        .kind = NN_KIND_LAYER,                                                 \
        .name = #id,                                                           \
        .summary = #id,                                                        \
        .doc = #id,                                                            \
        .interface = &id##_interface,                                          \
        .n_inputs = sizeof ports_in / sizeof *ports_in,                        \
        .n_outputs = sizeof ports_out / sizeof *ports_out,                     \
        .inputs = ports_in,                                                    \
        .outputs = ports_out,                                                  \
    }

/* Declares output NAME like input 0.  Returns its code. */
static inline int32_t own_output(nn_setup *setup, const char *name)
{
    nn_buffer y = nn_buffer_like(name, &setup->inputs[0]);
    int32_t code = setup->declare(setup, NN_DECLARE_OUTPUT, &y);

    return code < 0 ? code : NN_OK;
}

#endif
