/* SPDX-License-Identifier: MIT */
/* exits.c - its constructor ends the process as if all were well. */
#include <stdlib.h>

#include "fixture.h"

__attribute__((constructor)) static void when_opened(void)
{
    exit(0);
}

FIXTURE_PLUGIN(exits, "exits", 0);
