/* SPDX-License-Identifier: MIT */
/* crashes.c - its constructor writes to where nothing is. */

#include "fixture.h"

__attribute__((constructor)) static void when_opened(void)
{
    volatile int *nowhere = (volatile int *)8;

    *nowhere = 1;
}

FIXTURE_PLUGIN(crashes, "crashes", 0);
