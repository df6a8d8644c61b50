/* SPDX-License-Identifier: MIT */
/* hangs.c - its constructor never returns. */
#include <unistd.h>

#include "fixture.h"

__attribute__((constructor)) static void when_opened(void)
{
    for (;;)
        pause();
}

FIXTURE_PLUGIN(hangs, "hangs", 0);
