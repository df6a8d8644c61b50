/* SPDX-License-Identifier: MIT */
/* prints.c - its constructor writes to stdout and stderr, and a lot of it. */
#include <stdio.h>

#include "fixture.h"

__attribute__((constructor)) static void when_opened(void)
{
    int i;

    for (i = 0; i < 10000; ++i) {
        printf("hello\\n");
        fprintf(stderr, "hello\\n");
    }
    fflush(stdout);
}

FIXTURE_PLUGIN(prints, "prints", 0);
