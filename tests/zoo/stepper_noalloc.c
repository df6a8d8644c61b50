/* SPDX-License-Identifier: MIT */
/* expect: stepper.noalloc
 * It takes a block for the time of a step. */
#include "stepper.h"

static void step(const nn_stepper_context *c)
{
    void *block = c->host->alloc(c->host, 64);

    good_step(c);
    c->host->free(c->host, block);
}

ZOO_STEPPER(stepper_noalloc, .step = step);
