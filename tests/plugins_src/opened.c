/* SPDX-License-Identifier: MIT */
/* opened.c - counts in the file NN_TEST_RECORD how often it is opened. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"

__attribute__((constructor)) static void when_opened(void)
{
    const char *path = getenv("NN_TEST_RECORD");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

    if (file < 0)
        return;
    if (write(file, "x", 1) != 1)
        _exit(1);
    close(file);
}

FIXTURE_PLUGIN(opened, "opened", 0);
