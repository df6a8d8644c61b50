/* SPDX-License-Identifier: MIT */
/* expect: schedule.order
 * It never rises again, as if progress did not begin anew. */
#include "schedule.h"

static int64_t farthest;

static int32_t value(const nn_host *host, const nn_params *given,
                     const nn_progress *progress, double *result)
{
    (void)host;
    if (progress->update > farthest)
        farthest = progress->update;
    *result = first_of(given) / (double)(1 + farthest);
    return NN_OK;
}

ZOO_SCHEDULE(schedule_order, .value = value);
