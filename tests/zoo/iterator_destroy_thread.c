/* SPDX-License-Identifier: MIT */
/* expect: iterator.destroy
 * A thread that was to read ahead goes on after destroy. */
#include <pthread.h>
#include <unistd.h>

#include "iterator.h"

static void *read_ahead(void *self)
{
    (void)self;
    for (;;)
        pause();
}

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    pthread_t thread;

    if (!self->more && pthread_create(&thread, NULL, read_ahead, NULL) == 0)
        self->more = self;
    return good_start(self, epoch);
}

ZOO_ITERATOR(iterator_destroy_thread, .start = start);
