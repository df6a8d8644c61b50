/* SPDX-License-Identifier: MIT */
/* care.c - what an iterator does with things that are not its own: the files,
 * the room of a batch, memory, descriptors and threads. */
#include "conformance/data/checks.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <nn/random.h>

#include "conformance/data/stream.h"

/* ---- iterator.source --------------------------------------------------- */

/* A number for the bytes of the file at PATH. */
static uint64_t sum_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint64_t sum = 14695981039346656037u;
    int byte;

    while (file && (byte = fgetc(file)) != EOF)
        sum = (sum ^ (uint64_t)byte) * 1099511628211u;
    if (file)
        fclose(file);
    return sum;
}

/* A number for the names and bytes of the files in FOLDER; *COUNT of them. */
static uint64_t sum_folder(trial *t, const char *folder, int64_t *count)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    uint64_t sum = 0;

    *count = 0;
    while (dir && (entry = readdir(dir))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        sum += nn_hash_name(entry->d_name) ^
               sum_file(trial_text(t, "%s/%s", folder, entry->d_name));
        ++*count;
    }
    if (dir)
        closedir(dir);
    return sum;
}

static void run_source(trial *t)
{
    const text_set *set = stream_texts(t);
    int64_t before = 0;
    int64_t after = 0;
    uint64_t sum;
    stream s;

    if (set->missing) {
        trial_skip(t, "%s", set->missing);
        return;
    }
    sum = sum_folder(t, t->folder, &before);
    if (stream_open(t, set->items[0], 1, &s))
        return;
    if (stream_record(&s, 1, 0))
        stream_record(&s, 1, 1);
    stream_close(&s);
    trial_tested(t, 1);
    if (sum == sum_folder(t, t->folder, &after) && before == after)
        return;
    trial_fail(t, "the folder of the data",
               trial_text(t, "the same %" PRId64 " files", before),
               trial_text(t, "%" PRId64 " files%s", after,
                          before == after ? ", one of them changed" : ""));
}

const check iterator_source = {
    "iterator.source",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "files are read only, and none appears beside them",
    "data are shared by many runs; a cache that is written beside them, or a "
    "file that is opened for writing, changes what others read",
    0,
    run_source,
};

/* ---- iterator.batch-memory --------------------------------------------- */

/* Reads an epoch and looks at the guard bytes after each batch. */
static recording *guarded(stream *s, unsigned char poison)
{
    int32_t code = stream_start(s, 2, 0, 0, 1);

    s->poison = poison;
    while (code == NN_OK) {
        code = stream_next(s);
        if (code == NN_OK && stream_guards(s))
            return NULL;
    }
    return stream_record(s, 2, 0);
}

/* The first byte that differs was not written, or is another each time. */
static void judge_written(stream *s, const recording *a, const recording *b)
{
    int64_t i;
    uint32_t k;

    for (i = 0; i < a->count && i < b->count; ++i)
        for (k = 0; k < s->info.n_fields; ++k) {
            const read_batch *one = &a->batches[i];
            size_t bytes = (size_t)(one->T * one->B) *
                           stream_sample_bytes(s, k);
            size_t at = 0;

            trial_tested(s->t, 1);
            while (at < bytes && one->data[k][at] == b->batches[i].data[k][at])
                ++at;
            if (at == bytes)
                continue;
            trial_fail(s->t,
                       trial_text(s->t,
                                  "field %s of batch %" PRId64 ", sample "
                                  "%" PRId64,
                                  stream_field(s, k), i,
                                  (int64_t)(at / stream_sample_bytes(s, k)) %
                                      one->B),
                       "every byte written",
                       trial_text(s->t, "byte %zu of %zu is not", at, bytes));
            return;
        }
}

static void batch_memory_one(stream *s, int plain)
{
    const recording *a = guarded(s, 0x5A);
    const recording *b = guarded(s, 0xC3);

    (void)plain;
    trial_tested(s->t, 1);
    if (a && b)
        judge_written(s, a, b);
}

static void run_batch_memory(trial *t)
{
    stream_each(t, batch_memory_one);
}

const check iterator_batch_memory = {
    "iterator.batch-memory",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "a batch fills all of its room and nothing beside it",
    "the memory is the caller's: what is not written holds the batch before, "
    "what is written beside it is somebody else's",
    0,
    run_batch_memory,
};

/* ---- iterator.destroy -------------------------------------------------- */

/* Entries of the folder PATH of /proc. */
static int64_t entries(const char *path)
{
    DIR *dir = opendir(path);
    int64_t count = 0;

    while (dir && readdir(dir))
        ++count;
    if (dir)
        closedir(dir);
    return count;
}

typedef struct held {
    int64_t threads;
    int64_t descriptors;
} held;

static held look(void)
{
    held now = {entries("/proc/self/task"), entries("/proc/self/fd")};

    return now;
}

/* A thread that was joined stays in /proc for a moment. */
static held look_after(held before)
{
    const struct timespec moment = {0, 1000000};
    held now = look();
    int tries;

    for (tries = 0; tries < 200 && now.threads > before.threads; ++tries) {
        nanosleep(&moment, NULL);
        now = look();
    }
    return now;
}

static void judge_held(trial *t, const char *when, held before, const stream *s)
{
    held now = look_after(before);

    trial_tested(t, 1);
    if (now.threads > before.threads)
        trial_fail(t, when, "threads are joined",
                   trial_text(t, "%" PRId64 " more than before",
                              now.threads - before.threads));
    if (now.descriptors > before.descriptors)
        trial_fail(t, when, "files are closed",
                   trial_text(t, "%" PRId64 " more are open",
                              now.descriptors - before.descriptors));
    if (s->host.blocks)
        trial_fail(t, when, "all memory of the host is returned",
                   trial_text(t, "%lld blocks are not",
                              (long long)s->host.blocks));
}

/* Makes an iterator, reads BATCHES of it and destroys it. */
static int live(trial *t, const char *text, int batches, const char *when)
{
    held before = look();
    stream s;
    int code = stream_open(t, text, 0, &s);

    if (code)
        return code;
    if (batches && stream_start(&s, 1, 0, 0, 1) == NN_OK)
        while (--batches > 0 && stream_next(&s) == NN_OK)
            ;
    stream_close(&s);
    judge_held(t, when, before, &s);
    return 0;
}

static void destroy_text(trial *t, const char *text, int sure)
{
    (void)sure;
    live(t, text, 0, "");
    if (live(t, text, 0, "destroy right after create"))
        return;
    live(t, text, 1, "destroy right after start");
    live(t, text, 2, "destroy in the middle of an epoch");
    live(t, text, 100, "destroy after an epoch");
}

static void destroy_nothing(stream *s, int plain)
{
    if (plain) {
        trial_tested(s->t, 1);
        s->f.destroy(NULL);
    }
}

static void run_destroy(trial *t)
{
    const text_set *set = stream_texts(t);

    texts_each(t, set, destroy_text);
    if (set->count)
        stream_each(t, destroy_nothing);
}

const check iterator_destroy = {
    "iterator.destroy",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "destroy at any moment joins threads, closes files and returns memory",
    "training ends in the middle of an epoch more often than at its end; a "
    "thread that goes on reading then writes to memory that is gone",
    0,
    run_destroy,
};

/* ---- iterator.leak ----------------------------------------------------- */

/* Reads an epoch; returns what ended it, 0 for its end. */
static int32_t read_epoch(stream *s)
{
    int32_t code;

    stream_describe(s);
    if (stream_equip(s))
        return NN_OK;
    code = stream_start(s, 1, 0, 0, 1);
    while (code == NN_OK)
        code = stream_next(s);
    return code == NN_END ? NN_OK : code;
}

/* Creates and reads while allocation number N fails.  Returns 1 if it was
 * reached. */
static int fail_at(trial *t, const char *text, int64_t n)
{
    const char *where = trial_text(t, "allocation %" PRId64 " fails", n);
    nn_iterator_request request = {NN_SIZEOF(nn_iterator_request, fields),
                                   NN_FLOAT32, 0, 0, NULL};
    held before = look();
    stream s;
    int32_t code;
    int reached;

    memset(&s, 0, sizeof s);
    s.t = t;
    if (check_host_init(t, &s.host))
        return 0;
    s.part = check_host_part(t, &s.host, text);
    if (!s.part)
        return 0;
    stream_take_functions(&s);
    check_host_clear(&s.host);
    check_host_fail_after(&s.host, n);
    code = s.f.create(&s.host.host, nn_part_params(s.part), &request,
                      &s.iterator);
    check_host_code(t, &s.host, where, code);
    if (code == NN_OK) {
        code = read_epoch(&s);
        s.f.destroy(s.iterator);
    }
    reached = s.host.allocations >= n;
    if (reached && code == NN_OK)
        trial_fail(t, where, "NN_NO_MEMORY", "0");
    nn_part_destroy(s.part);
    judge_held(t, where, before, &s);
    return reached;
}

static void leak_text(trial *t, const char *text, int sure)
{
    int64_t n;

    (void)sure;
    for (n = 1; n < 200 && fail_at(t, text, n); ++n)
        if (trial_failures(t) > 3)
            return;
}

static void run_leak(trial *t)
{
    texts_each(t, stream_texts(t), leak_text);
}

const check iterator_leak = {
    "iterator.leak",
    NN_KIND_ITERATOR,
    LEVEL_STANDARD,
    "create fails cleanly whichever allocation fails",
    "paths that are taken once in a year are never tested otherwise; they free "
    "twice, forget a block, or go on with NULL",
    0,
    run_leak,
};
