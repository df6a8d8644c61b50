/* SPDX-License-Identifier: MIT */
/* schedule.h - a good schedule, to be spoiled: from / (1 + update). */
#ifndef ZOO_SCHEDULE_H
#define ZOO_SCHEDULE_H

#include <nn/describe.h>
#include <nn/training.h>

static inline double first_of(const nn_params *params)
{
    return nn_param_real(params, 0);
}

static inline int32_t good_value(const nn_host *host, const nn_params *params,
                                 const nn_progress *progress, double *value)
{
    (void)host;
    *value = first_of(params) / (double)(1 + progress->update);
    return NN_OK;
}

/* The entry; what follows NAME replaces functions: `.value = value`. */
#define ZOO_SCHEDULE(NAME, ...)                                                \
    static const nn_param from_param = NN_REAL_PARAM("from", NN_PARAM_MAIN,    \
                                                     "0.5", 0, 0,              \
                                                     "the first number");      \
    static const nn_param *const params[] = {&from_param};                     \
    static const nn_schedule_interface interface = {                           \
        .size = NN_SIZEOF(nn_schedule_interface, value),                       \
        .value = good_value,                                                   \
        __VA_ARGS__};                                                          \
    ZOO_ENTRY(NAME, NN_KIND_SCHEDULE, params, 1)

#include "entry.h"

#endif
