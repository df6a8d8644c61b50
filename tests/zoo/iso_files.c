/* SPDX-License-Identifier: MIT */
/* expect: iso.files
 * Setup writes a trace. */
#include <stdio.h>

#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    FILE *trace = fopen("trace.txt", "w");

    if (trace)
        fclose(trace);
    return good_setup(s);
}

ZOO_PLUGIN(iso_files);
