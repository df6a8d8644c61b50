/* SPDX-License-Identifier: MIT */
/* order.c - the order of the batches is a function of seed and epoch, and every
 * place in it can be had again. */
#include "conformance/data/checks.h"

#include <inttypes.h>

#include "conformance/data/stream.h"
#include "conformance/watch.h"

/* ---- iterator.seed ----------------------------------------------------- */

/* Begins an epoch, reads a batch of it, and begins another: nothing of the
 * first may be left. */
static const recording *restart(stream *s, uint64_t seed, uint64_t epoch)
{
    if (stream_start(s, seed + 1, epoch + 1, 0, 1) == NN_OK)
        stream_next(s);
    return stream_record(s, seed, epoch);
}

/* 1 if the ids of R rise from 0 on. */
static int in_order(stream *s, const recording *r)
{
    int64_t count = 0;
    const int64_t *ids = recording_ids(s->t, r, &count);
    int64_t i;

    for (i = 0; i < count; ++i)
        if (ids[i] != i)
            return 0;
    return 1;
}

/* 1 if some of five other epochs, or with SEEDS the first epoch of five other
 * seeds, have another order than FIRST, or cannot be read. */
static int varies(stream *s, const recording *first, int seeds)
{
    uint64_t k;

    for (k = 1; k < 6; ++k) {
        const recording *r = seeds ? stream_record(s, 5 + k, 0)
                                   : stream_record(s, 5, k);

        if (!r || !recording_same(s, first, r))
            return 1;
    }
    return 0;
}

/* What mixes once mixes anew in later epochs, and with other seeds. */
static void judge_mixing(stream *s, const recording *first)
{
    if (s->info.n_samples < 4 || first->count < 2 || in_order(s, first))
        return;
    trial_tested(s->t, 1);
    if (!varies(s, first, 0))
        trial_fail(s->t, trial_text(s->t, "epochs 0 to 5 with %s", s->text),
                   "another order in some of them, since it is not that of "
                   "the source",
                   "six times the same");
    if (!varies(s, first, 1))
        trial_fail(s->t, trial_text(s->t, "six seeds with %s", s->text),
                   "another order with some of them, since it is not that of "
                   "the source",
                   "six times the same");
}

/* Two instances that are read in turn do not know of each other. */
static void judge_apart(stream *s, const recording *first)
{
    recording *apart = trial_alloc(s->t, sizeof *apart);
    stream other;
    int32_t code;

    if (stream_open(s->t, s->text, 0, &other))
        return;
    if (stream_start(s, 5, 0, 0, 1) || stream_start(&other, 6, 3, 0, 1)) {
        stream_close(&other);
        return;
    }
    apart->batches = trial_alloc(s->t, sizeof *apart->batches);
    do {
        stream_next(&other);
        code = stream_next(s);
        apart->count += code == NN_OK;
    } while (code == NN_OK);
    trial_tested(s->t, 1);
    if (apart->count != first->count)
        trial_fail(s->t, "two instances read in turn",
                   trial_text(s->t, "%" PRId64 " batches each", first->count),
                   trial_text(s->t, "%" PRId64, apart->count));
    recording_compare(s, "an instance beside another", first, 0,
                      stream_record(s, 5, 0));
    stream_close(&other);
}

static void seed_one(stream *s, int plain)
{
    const recording *first = stream_record(s, 5, 0);
    stream fresh;

    (void)plain;
    if (!first)
        return;
    recording_compare(s, "the same epoch again", first, 0,
                      stream_record(s, 5, 0));
    recording_compare(s, "an epoch begun in the middle of another", first, 0,
                      restart(s, 5, 0));
    if (!stream_open(s->t, s->text, 0, &fresh)) {
        recording_compare(&fresh, "the same epoch of another instance", first,
                          0, restart(&fresh, 5, 0));
        stream_close(&fresh);
    }
    judge_mixing(s, first);
    judge_apart(s, first);
}

/* What the seed does not know of. */
static void judge_sources(trial *t)
{
    static const char *const names[] = {"create", "start", "next"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; ++i)
        if (watch_group_count(WATCH_RANDOM, names[i]) ||
            watch_count("time", names[i]))
            trial_fail(t, names[i], "a function of seed and epoch",
                       "it asks for random numbers, or for the time");
}

static void run_seed(trial *t)
{
    stream_each(t, seed_one);
    judge_sources(t);
}

const check iterator_seed = {
    "iterator.seed",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "the batches of an epoch are a function of seed and epoch alone",
    "a run is repeated and resumed by its seed; time, addresses, rand() or a "
    "state that outlives the epoch make every run another one",
    0,
    run_seed,
};

/* ---- iterator.seek ----------------------------------------------------- */

static void judge_refused(stream *s, int64_t batch, const char *what)
{
    int32_t code;

    check_host_clear(&s->host);
    code = s->f.seek(s->iterator, batch);
    check_host_code(s->t, &s->host, what, code);
    if (code == NN_OK)
        trial_fail(s->t, what, "a negative code with a message", "0");
}

static void judge_places(stream *s, const recording *all)
{
    int64_t k;

    for (k = 0; k <= all->count; ++k) {
        int64_t place = k * 3 % (all->count + 1);
        int32_t code = s->f.seek(s->iterator, place);

        if (code) {
            trial_fail(s->t, trial_text(s->t, "seek to batch %" PRId64, place),
                       "0", trial_text(s->t, "%d", code));
            return;
        }
        if (recording_compare(s,
                              trial_text(s->t, "after a seek to batch %" PRId64,
                                         place),
                              all, place, stream_rest(s)))
            return;
    }
}

/* In the middle of an epoch, back and forth. */
static void judge_back(stream *s, const recording *all)
{
    if (all->count < 2 || stream_start(s, 9, 2, 0, 1) || stream_next(s) ||
        s->f.seek(s->iterator, all->count - 1) || stream_next(s) ||
        s->f.seek(s->iterator, 1))
        return;
    recording_compare(s, "after a seek back to batch 1", all, 1,
                      stream_rest(s));
}

static void seek_one(stream *s, int plain)
{
    const recording *all = stream_record(s, 9, 2);

    (void)plain;
    if (!all || stream_start(s, 9, 2, 0, 1))
        return;
    if (!s->f.seek) {
        trial_fail(s->t, "the interface", "a function seek", "none");
        return;
    }
    if (!s->info.can_seek) {
        judge_refused(s, 1, "seek although can_seek is 0");
        recording_compare(s, "after a seek that is refused", all, 0,
                          stream_rest(s));
        return;
    }
    judge_places(s, all);
    judge_back(s, all);
    judge_refused(s, -1, "seek to batch -1");
    judge_refused(s, all->count + 1, "seek behind the end");
    recording_compare(s, "an epoch after refused seeks", all, 0,
                      stream_record(s, 9, 2));
}

static void run_seek(trial *t)
{
    stream_each(t, seek_one);
}

const check iterator_seek = {
    "iterator.seek",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "seek makes exactly the wanted batch the next one, or is refused",
    "a resumed run seeks to where it stopped; one batch off, and it trains on "
    "other data than the run that was not stopped",
    0,
    run_seek,
};

/* ---- iterator.state ---------------------------------------------------- */

/* The first COUNT batches are read and forgotten. */
static int pass_by(stream *s, int64_t count)
{
    while (count-- > 0)
        if (stream_next(s))
            return -1;
    return 0;
}

static void state_one(stream *s, int plain)
{
    const uint64_t epoch = 3;
    const recording *all;
    int64_t k;

    (void)plain;
    /* A past, which the fresh instance lacks. */
    if (!stream_record(s, 11, 0) || !stream_record(s, 11, 1))
        return;
    all = stream_record(s, 11, epoch);
    if (!all)
        return;
    for (k = 0; k <= all->count; k += all->count > 4 ? 2 : 1) {
        stream fresh;

        if (stream_open(s->t, s->text, 1, &fresh))
            return;
        if (stream_start(&fresh, 11, epoch, 0, 1) ||
            (fresh.info.can_seek ? fresh.f.seek(fresh.iterator, k)
                                 : pass_by(&fresh, k)))
            trial_fail(s->t, "a fresh instance", "it goes to any batch",
                       check_host_message(&fresh.host));
        else
            recording_compare(&fresh,
                              trial_text(s->t,
                                         "a run resumed at batch %" PRId64, k),
                              all, k, stream_rest(&fresh));
        stream_close(&fresh);
    }
}

static void run_state(trial *t)
{
    stream_each(t, state_one);
}

const check iterator_state = {
    "iterator.state",
    NN_KIND_ITERATOR,
    LEVEL_STANDARD,
    "a fresh instance goes on exactly where another one stopped",
    "a checkpoint keeps seed, epoch and batch, nothing else; what an iterator "
    "remembers of earlier epochs is lost on a resume",
    0,
    run_state,
};
