/* SPDX-License-Identifier: MIT */
/* expect: iso.fenv
 * Setup makes the processor round towards zero. */
#define SETUP setup
#include "plugin.h"
#include "processor.h"

static int32_t setup(nn_setup *s)
{
    round_towards_zero();
    return good_setup(s);
}

ZOO_PLUGIN(iso_fenv);
