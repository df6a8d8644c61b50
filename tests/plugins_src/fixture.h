/* SPDX-License-Identifier: MIT */
/* fixture.h - the smallest plugin, for those of this folder to build on.
 *
 * A component is a schedule whose value is a constant.  Most of these plugins
 * are wrong in one way each, which their first comment states. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <nn/training.h>

/* A function NAME for a schedule that yields VALUE, an expression. */
#define FIXTURE_VALUE(name, expression)                                        \
    static int32_t name(const nn_host *host, const nn_params *params,          \
                        const nn_progress *progress, double *value)            \
    {                                                                          \
        (void)host;                                                            \
        (void)params;                                                          \
        (void)progress;                                                        \
        *value = (expression);                                                 \
        return NN_OK;                                                          \
    }

/* The initializer of an nn_schedule_interface. */
#define FIXTURE_INTERFACE(function)                                            \
    {                                                                          \
        .size = NN_SIZEOF(nn_schedule_interface, value), .value = function     \
    }

/* The initializer of an nn_component that is a schedule. */
#define FIXTURE_COMPONENT(title, table)                                        \
    {                                                                          \
        .size = NN_SIZEOF(nn_component, outputs), .kind = NN_KIND_SCHEDULE,    \
        .name = title, .summary = "A constant", .interface = table             \
    }

/* Members of the entry that all of these plugins have the same. */
#define FIXTURE_TEXTS(title)                                                   \
    .id = "org.example." title, .name = title, .version = "1.0",               \
    .license = "MIT", .summary = "A plugin for tests"

/* A whole plugin with the one component TITLE of value VALUE. */
#define FIXTURE_PLUGIN(entry, title, number)                                   \
    FIXTURE_VALUE(value_of_it, number)                                         \
    static const nn_schedule_interface interface = FIXTURE_INTERFACE(          \
        value_of_it);                                                          \
    static const nn_component component = FIXTURE_COMPONENT(title,             \
                                                            &interface);       \
    static const nn_component *const components[] = {&component};              \
    NN_PLUGIN_ENTRY(entry) = {                                                 \
        NN_PLUGIN_HEAD,                                                        \
        FIXTURE_TEXTS(title),                                                  \
        .n_components = 1,                                                     \
        .components = components,                                              \
    }

#endif
