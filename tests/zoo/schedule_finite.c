/* SPDX-License-Identifier: MIT */
/* expect: schedule.finite
 * It divides by the updates that are left: none at the end. */
#include "schedule.h"

static int32_t value(const nn_host *host, const nn_params *given,
                     const nn_progress *progress, double *result)
{
    if (progress->total_updates < 0)
        return nn_fail(host, NN_STATE, "zoo.length",
                       "the length of the run is not known");
    *result = first_of(given) /
              (double)(progress->total_updates - progress->update);
    return NN_OK;
}

ZOO_SCHEDULE(schedule_finite, .value = value);
