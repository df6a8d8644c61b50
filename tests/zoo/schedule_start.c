/* SPDX-License-Identifier: MIT */
/* expect: schedule.start
 * It divides by the updates after the first, of which there may be none. */
#include "schedule.h"

static int32_t value(const nn_host *host, const nn_params *given,
                     const nn_progress *progress, double *result)
{
    (void)host;
    *result = first_of(given) / (double)(progress->total_updates - 1);
    return NN_OK;
}

ZOO_SCHEDULE(schedule_start, .value = value);
