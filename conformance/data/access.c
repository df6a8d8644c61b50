/* SPDX-License-Identifier: MIT */
/* access.c - samples by number, shares of an epoch, and unusual sizes. */
#include "conformance/data/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conformance/data/stream.h"

/* ---- iterator.gather --------------------------------------------------- */

/* Where sample ID lies in R: batch *I and place *B in it; 0 if nowhere. */
static int find(const recording *r, int64_t id, int64_t *i, int64_t *b)
{
    for (*i = 0; *i < r->count; ++*i)
        for (*b = 0; *b < r->batches[*i].B; ++*b)
            if (r->batches[*i].ids[*b] == id)
                return 1;
    return 0;
}

/* Whether sample PLACE of the gathered batch is sample B of BATCH. */
static int same_sample(const stream *s, int64_t place, const read_batch *batch,
                       int64_t b)
{
    uint32_t i;
    int64_t t;

    if (batch->T != s->batch.T)
        return 1;
    for (i = 0; i < s->info.n_fields; ++i) {
        size_t bytes = stream_sample_bytes(s, i);
        const unsigned char *data = s->data[i];

        for (t = 0; t < batch->T; ++t)
            if (memcmp(data + (size_t)(t * s->batch.B + place) * bytes,
                       batch->data[i] + (size_t)(t * batch->B + b) * bytes,
                       bytes))
                return 0;
    }
    return 1;
}

static int32_t gather(stream *s, const int64_t *ids, int64_t count)
{
    nn_epoch epoch = {NN_SIZEOF(nn_epoch, n_shards), 0, 5, 1, 0, 1};

    s->batch.T = s->info.max_T;
    s->batch.B = count;
    check_host_clear(&s->host);
    return s->f.gather(s->iterator, &epoch, ids, &s->batch);
}

static void judge_gathered(stream *s, const int64_t *ids, int64_t count,
                           const recording *all)
{
    int64_t place;

    for (place = 0; place < count; ++place) {
        const char *where = trial_text(s->t,
                                       "sample %" PRId64 " of %" PRId64
                                       " gathered",
                                       place, count);
        int64_t i;
        int64_t b;

        trial_tested(s->t, 1);
        if (s->batch.ids[place] != ids[place]) {
            trial_fail(s->t, where, trial_text(s->t, "id %" PRId64, ids[place]),
                       trial_text(s->t, "%" PRId64, s->batch.ids[place]));
            return;
        }
        if (find(all, ids[place], &i, &b) &&
            !same_sample(s, place, &all->batches[i], b)) {
            trial_fail(s->t, where,
                       trial_text(s->t, "what next gave as sample %" PRId64,
                                  ids[place]),
                       "something else");
            return;
        }
    }
}

static void judge_out_of_range(stream *s, int64_t id)
{
    const char *where = trial_text(s->t, "gather of sample %" PRId64, id);
    int32_t code = gather(s, &id, 1);

    check_host_code(s->t, &s->host, where, code);
    if (code == NN_OK)
        trial_fail(s->t, where,
                   trial_text(s->t, "a refusal: there are %" PRId64,
                              s->info.n_samples),
                   "0");
}

static void gather_one(stream *s, int plain)
{
    const recording *all;
    int64_t n = s->info.n_samples;
    int64_t count = n + 2;
    int64_t *ids;
    int64_t i;
    int32_t code;

    (void)plain;
    if (!s->f.gather || n < 1)
        return;
    all = stream_record(s, 5, 1);
    if (!all || stream_start(s, 5, 1, 0, 1) || stream_next(s))
        return;
    ids = trial_alloc(s->t, (size_t)count * sizeof *ids);
    /* All of them from some place on backwards, and two once more. */
    ids[0] = trial_integer(s->t, 0, n - 1);
    for (i = 1; i < count; ++i)
        ids[i] = i < n ? (ids[i - 1] + n - 1) % n
                       : trial_integer(s->t, 0, n - 1);
    stream_make_room(s, count);
    code = gather(s, ids, count);
    if (code)
        trial_fail(s->t, "gather", "0",
                   trial_text(s->t, "%d: %s", code,
                              check_host_message(&s->host)));
    else
        judge_gathered(s, ids, count, all);
    recording_compare(s, "next after a gather", all, 1, stream_rest(s));
    judge_out_of_range(s, n);
    judge_out_of_range(s, -1);
}

static void run_gather(trial *t)
{
    int64_t before = trial_failures(t);
    stream s;
    const text_set *set = stream_texts(t);

    stream_each(t, gather_one);
    if (!set->count || trial_failures(t) > before ||
        stream_open(t, set->items[0], 0, &s))
        return;
    if (!s.f.gather || s.info.n_samples < 1)
        trial_skip(t, "it offers no samples by number");
    stream_close(&s);
}

const check iterator_gather = {
    "iterator.gather",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "gather gives the wanted samples, the same as next, and disturbs nothing",
    "whoever shuffles reads its inner iterator by gather; an id that is taken "
    "for a place, or a position that gather moves, mixes up samples and labels",
    0,
    run_gather,
};

/* ---- iterator.shards --------------------------------------------------- */

/* What shard SHARD of N delivers of ALL: batch k is k * N + SHARD. */
static recording *share(stream *s, const recording *all, uint32_t shard,
                        uint32_t n)
{
    recording *r = trial_alloc(s->t, sizeof *r);
    int64_t k;

    r->batches = trial_alloc(s->t,
                             (size_t)(all->count + 1) * sizeof *r->batches);
    for (k = 0; (k + 1) * n <= all->count; ++k)
        r->batches[r->count++] = all->batches[k * n + shard];
    return r;
}

static void judge_shares(stream *s, const recording *all, uint32_t n)
{
    uint32_t shard;

    for (shard = 0; shard < n; ++shard) {
        int32_t code = stream_start(s, 4, 1, shard, n);

        if (code < 0 && all->count < (int64_t)n) {
            check_host_code(s->t, &s->host,
                            "start of an epoch that is too "
                            "short for its shards",
                            code);
            continue;
        }
        if (code) {
            trial_fail(s->t,
                       trial_text(s->t, "start of shard %u of %u", shard, n),
                       "0", trial_text(s->t, "%d", code));
            return;
        }
        stream_describe(s);
        if (recording_compare(s, trial_text(s->t, "shard %u of %u", shard, n),
                              share(s, all, shard, n), 0, stream_rest(s)))
            return;
        if (s->info.n_batches >= 0 &&
            s->info.n_batches != all->count / (int64_t)n)
            trial_fail(s->t,
                       trial_text(s->t, "n_batches of shard %u of %u", shard,
                                  n),
                       trial_text(s->t, "%" PRId64, all->count / (int64_t)n),
                       trial_text(s->t, "%" PRId64, s->info.n_batches));
    }
}

static void shards_one(stream *s, int plain)
{
    const recording *all = stream_record(s, 4, 1);
    int32_t code;

    (void)plain;
    if (!all)
        return;
    judge_shares(s, all, 2);
    judge_shares(s, all, 3);
    code = stream_start(s, 4, 1, 2, 2);
    check_host_code(s->t, &s->host, "start of shard 2 of 2", code);
    if (code == NN_OK)
        trial_fail(s->t, "start of shard 2 of 2", "a refusal", "0");
    recording_compare(s, "an epoch after shards", all, 0,
                      stream_record(s, 4, 1));
}

static void run_shards(trial *t)
{
    stream_each(t, shards_one);
}

const check iterator_shards = {
    "iterator.shards",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "shard s of n gets every n-th batch from s on, all shards as many",
    "processes that share an epoch wait for each other after every batch: one "
    "that gets a batch more waits for ever, and batches that overlap are "
    "learned twice",
    0,
    run_shards,
};

/* ---- iterator.sizes ---------------------------------------------------- */

/* A parameter that is given a value of its own. */
typedef struct chosen {
    file_set files;
    const nn_param *param;
    const char *value;
} chosen;

static const char *chosen_value(trial *t, const nn_param *param, void *self)
{
    chosen *c = self;

    if (c->param && !strcmp(param->name, c->param->name))
        return c->value;
    return files_value(t, param, &c->files);
}

/* Every sample once, whatever the sizes: the ids are those of an epoch. */
static void judge_size(trial *t, const char *text, int sure)
{
    const recording *r;
    int64_t count = 0;
    stream s;

    if (stream_open(t, text, sure, &s))
        return;
    r = stream_record(&s, 1, 0);
    if (r)
        recording_ids(t, r, &count);
    trial_tested(t, 1);
    if (r && s.info.n_samples >= 0 && count != s.info.n_samples)
        trial_fail(t, trial_text(t, "an epoch with %s", text),
                   trial_text(t, "%" PRId64 " samples", s.info.n_samples),
                   trial_text(t, "%" PRId64, count));
    stream_close(&s);
}

/* Each whole number of the component small and large. */
static void judge_numbers(trial *t)
{
    static const char *const values[] = {"1", "2", "100"};
    const nn_component *component = t->component->component;
    uint32_t i;
    uint32_t v;
    uint32_t k;

    for (i = 0; i < component->n_params; ++i)
        for (v = 0; v < 3 && component->params[i]->type == NN_PARAM_INT; ++v) {
            chosen *c = trial_alloc(t, sizeof *c);
            const text_set *set;

            c->files.n = FILES_SAMPLES;
            c->param = component->params[i];
            c->value = values[v];
            set = texts_make(t, chosen_value, c);
            for (k = 0; k < set->count; ++k)
                if (strstr(set->items[k],
                           trial_text(t, "%s: %s", c->param->name, values[v])))
                    judge_size(t, set->items[k], 0);
        }
}

/* No samples at all. */
static void judge_empty(trial *t)
{
    const char *text = stream_plain(t, 0);
    stream s;
    int32_t code = text ? stream_try(t, text, NULL, &s) : NN_INTERNAL;

    if (!text)
        return;
    trial_tested(t, 1);
    if (code == NN_OK) {
        trial_fail(t, "create with files without samples",
                   "a refusal with a message", "0");
        stream_close(&s);
    } else if (!*s.message) {
        trial_fail(t, "create with files without samples",
                   "a code together with a message",
                   trial_text(t, "code %d", code));
    }
}

/* 1 if the data come from files or an inner iterator that the suite makes. */
static int has_data(trial *t)
{
    const nn_component *component = t->component->component;
    file_set set = {FILES_SAMPLES, INTACT, NULL, 0, NULL};
    uint32_t i;

    for (i = 0; i < component->n_params; ++i)
        files_value(t, component->params[i], &set);
    return set.made != NULL;
}

static void run_sizes(trial *t)
{
    const text_set *set = stream_texts(t);

    if (set->missing) {
        trial_skip(t, "%s", set->missing);
        return;
    }
    judge_size(t, set->items[0], 1);
    judge_numbers(t);
    if (!has_data(t))
        return;
    judge_size(t, stream_plain(t, 1), 1);
    judge_size(t, stream_plain(t, 2), 1);
    judge_empty(t);
}

const check iterator_sizes = {
    "iterator.sizes",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "one sample, batches of 1 and batches beyond the data work; none is "
    "refused",
    "a batch larger than the data reads behind them unless it is cut, and a "
    "division by a number of batches that is 0 ends the program",
    0,
    run_sizes,
};
