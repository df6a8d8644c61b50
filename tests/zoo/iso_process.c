/* SPDX-License-Identifier: MIT */
/* expect: iso.process
 * Setup sets the locale. */
#include <locale.h>

#define SETUP setup
#include "plugin.h"

static int32_t setup(nn_setup *s)
{
    int32_t code = good_setup(s);

    setlocale(LC_NUMERIC, "C");
    return code;
}

ZOO_PLUGIN(iso_process);
