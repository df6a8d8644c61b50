/* SPDX-License-Identifier: MIT */
/* threads.c - instances of an iterator in several threads at once.
 *
 * The threads call the iterator and nothing else of the suite; what they read
 * is summed up, and the sums are compared with those of one thread. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "conformance/data/checks.h"
#include "conformance/data/stream.h"

#define THREADS 2
#define EPOCHS 30

typedef struct reader {
    stream stream;
    pthread_barrier_t *together; /* where the threads begin; NULL: alone */
    uint64_t seed;
    uint64_t sum;
    int32_t code; /* of the first call that failed */
} reader;

static uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    while (count-- > 0)
        sum = (sum ^ *at++) * 1099511628211u;
    return sum;
}

static uint64_t sum_batch(const stream *s, uint64_t sum)
{
    size_t samples = (size_t)(s->batch.T * s->batch.B);
    uint32_t i;

    sum = sum_bytes(sum, s->batch.ids, (size_t)s->batch.B * sizeof(int64_t));
    for (i = 0; i < s->info.n_fields; ++i)
        sum = sum_bytes(sum, s->data[i], samples * stream_sample_bytes(s, i));
    return sum;
}

/* Reads a few epochs; the body of a thread. */
static void *read_all(void *self)
{
    reader *r = self;
    stream *s = &r->stream;
    nn_epoch epoch = {NN_SIZEOF(nn_epoch, n_shards), 0, r->seed, 0, 0, 1};
    int32_t code = NN_OK;

    if (r->together)
        pthread_barrier_wait(r->together);
    r->sum = 0;
    for (; epoch.epoch < EPOCHS && code >= 0; ++epoch.epoch) {
        code = s->f.start(s->iterator, &epoch);
        while (code == NN_OK) {
            code = s->f.next(s->iterator, &s->batch);
            if (code == NN_OK && s->batch.B > s->room)
                code = NN_INTERNAL;
            if (code == NN_OK)
                r->sum = sum_batch(s, r->sum);
            sched_yield();
        }
    }
    r->code = code < 0 ? code : NN_OK;
    return NULL;
}

/* Reads with both READERS at once, one of them in this thread. */
static void read_at_once(trial *t, reader *readers)
{
    pthread_barrier_t together;
    pthread_t thread;

    pthread_barrier_init(&together, NULL, THREADS);
    readers[0].together = readers[1].together = &together;
    if (pthread_create(&thread, NULL, read_all, &readers[1])) {
        trial_broken(t, "a thread cannot be started");
    } else {
        read_all(&readers[0]);
        pthread_join(thread, NULL);
    }
    pthread_barrier_destroy(&together);
}

static void compare(trial *t, const char *text, reader *readers)
{
    uint64_t alone[THREADS];
    int i;

    for (i = 0; i < THREADS; ++i) {
        readers[i].seed = (uint64_t)i + 3;
        read_all(&readers[i]);
        alone[i] = readers[i].sum;
    }
    read_at_once(t, readers);
    for (i = 0; i < THREADS; ++i) {
        trial_tested(t, 1);
        if (readers[i].code || readers[i].sum != alone[i])
            trial_fail(t,
                       trial_text(t, "instance %d of %d in threads with %s",
                                  i + 1, THREADS, text),
                       "the batches that it reads alone",
                       readers[i].code
                           ? trial_text(t, "code %d", readers[i].code)
                           : "others");
    }
}

static void run_threads(trial *t)
{
    const text_set *set = stream_texts(t);
    reader *readers = trial_alloc(t, THREADS * sizeof *readers);

    if (set->missing) {
        trial_skip(t, "%s", set->missing);
        return;
    }
    if (stream_open(t, set->items[0], 1, &readers[0].stream))
        return;
    if (!stream_open(t, set->items[0], 1, &readers[1].stream)) {
        compare(t, set->items[0], readers);
        stream_close(&readers[1].stream);
    }
    stream_close(&readers[0].stream);
}

const check iterator_threads = {
    "iterator.threads",
    NN_KIND_ITERATOR,
    LEVEL_STANDARD,
    "instances in several threads do not disturb each other",
    "training and validation data are read at once; a static buffer, or a "
    "position of a file that both share, mixes them up",
    0,
    run_threads,
};
