/* SPDX-License-Identifier: MIT */
/* expect: iso.threads
 * Setup starts a thread. */
#include <pthread.h>

#define SETUP setup
#include "plugin.h"

static void *work(void *self)
{
    return self;
}

static int32_t setup(nn_setup *s)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_join(thread, NULL);
    return good_setup(s);
}

ZOO_PLUGIN(iso_threads);
