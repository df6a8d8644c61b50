/* SPDX-License-Identifier: MIT */
/* expect: iso.output
 * Setup prints. */
#include <stdio.h>

#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    printf("setting up %s\n", s->layer);
    return good_setup(s);
}

ZOO_PLUGIN(iso_output);
