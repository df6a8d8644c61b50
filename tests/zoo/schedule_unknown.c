/* SPDX-License-Identifier: MIT */
/* expect: schedule.unknown
 * A run of unknown length is an error, and nobody hears why. */
#include "schedule.h"

static int32_t value(const nn_host *host, const nn_params *given,
                     const nn_progress *progress, double *result)
{
    return progress->total_updates < 0
               ? NN_STATE
               : good_value(host, given, progress, result);
}

ZOO_SCHEDULE(schedule_unknown, .value = value);
