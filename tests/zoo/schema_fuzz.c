/* SPDX-License-Identifier: MIT */
/* expect: schema.fuzz
 * Setup divides by an integer that is zero for a small start. */
#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    double start = nn_param_real(s->params, 0);
    volatile int fifths = (int)(start * 5) + (start > 1.5 ? -9 : 12);
    volatile int share = 7 / fifths;

    (void)share;
    return good_setup(s);
}

ZOO_PLUGIN(schema_fuzz);
