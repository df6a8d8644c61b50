/* SPDX-License-Identifier: MIT */
/* describe.c - what an iterator says of itself, and whether an epoch is so. */
#include "conformance/data/checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/data/stream.h"

/* ---- iterator.describe ------------------------------------------------- */

static void judge_field(stream *s, const nn_field *field, uint32_t index)
{
    const char *where = trial_text(s->t, "describe: field %u", index);
    uint32_t i;

    trial_tested(s->t, 1);
    if (!field || !field->name || !*field->name) {
        trial_fail(s->t, where, "a field with a name", "none");
        return;
    }
    if (!nn_dtype_bytes(field->dtype) || field->dtype > NN_UINT8)
        trial_fail(s->t, where, "float32, float64, int32 or uint8",
                   trial_text(s->t, "type %u", field->dtype));
    if (field->ndim < 1 || field->ndim > NN_MAX_DIMS - 2)
        trial_fail(s->t, where, "1 to 6 axes",
                   trial_text(s->t, "%u", field->ndim));
    for (i = 0; i < field->ndim && i < NN_MAX_DIMS; ++i)
        if (field->shape[i] < 1)
            trial_fail(s->t, where, "axes of 1 and more",
                       trial_text(s->t, "%" PRId64, field->shape[i]));
    for (i = 0; i < index; ++i)
        if (s->info.fields[i] && s->info.fields[i]->name &&
            !strcmp(s->info.fields[i]->name, field->name))
            trial_fail(s->t, where, "a name of its own", field->name);
}

/* An older program has a shorter struct: what lies behind it is its own. */
static void judge_short_info(stream *s)
{
    unsigned char bytes[sizeof(nn_iterator_info)];
    uint32_t size = NN_SIZEOF(nn_iterator_info, n_samples);
    size_t i;

    memset(bytes, 0xA7, sizeof bytes);
    memcpy(bytes, &size, sizeof size);
    s->f.describe(s->iterator, (nn_iterator_info *)(void *)bytes);
    trial_tested(s->t, 1);
    for (i = size; i < sizeof bytes; ++i)
        if (bytes[i] != 0xA7) {
            trial_fail(s->t, "describe", "writes up to info->size alone",
                       trial_text(s->t, "a write at byte %zu of %u", i, size));
            return;
        }
}

static void judge_info(stream *s)
{
    uint32_t i;

    for (i = 0; i < s->info.n_fields; ++i)
        judge_field(s, s->info.fields[i], i);
    if (s->info.can_seek > 1)
        trial_fail(s->t, "describe: can_seek", "0 or 1",
                   trial_text(s->t, "%u", s->info.can_seek));
    if (s->info.n_samples < -1 || s->info.n_batches < -1)
        trial_fail(s->t, "describe: n_samples and n_batches", "-1 and more",
                   trial_text(s->t, "%" PRId64 " and %" PRId64,
                              s->info.n_samples, s->info.n_batches));
    judge_short_info(s);
}

/* Whether the iterator still describes itself as in BEFORE, but for the number
 * of batches, which an epoch's shard decides. */
static void judge_steady(stream *s, const nn_iterator_info *before,
                         const char *when)
{
    nn_iterator_info now = *before;

    trial_tested(s->t, 1);
    memset(&now, 0, sizeof now);
    now.size = before->size;
    s->f.describe(s->iterator, &now);
    now.n_batches = before->n_batches;
    if (memcmp(&now, before, sizeof now))
        trial_fail(s->t, trial_text(s->t, "describe %s", when),
                   "the same as before the epoch", "something else");
}

static void describe_one(stream *s, int plain)
{
    nn_iterator_info before = s->info;
    int64_t largest_T = 0;
    int64_t largest_B = 0;
    const recording *r;
    int64_t i;

    (void)plain;
    judge_info(s);
    r = stream_record(s, 1, 0);
    judge_steady(s, &before, "after an epoch");
    for (i = 0; r && i < r->count; ++i) {
        const read_batch *batch = &r->batches[i];
        int64_t b;

        largest_T = batch->T > largest_T ? batch->T : largest_T;
        largest_B = batch->B > largest_B ? batch->B : largest_B;
        for (b = 0; b < batch->B; ++b)
            if (batch->begins[b] > 1)
                trial_fail(s->t, "begins", "0 or 1",
                           trial_text(s->t, "%u", batch->begins[b]));
    }
    if (r && (largest_T < before.max_T || largest_B < before.max_B))
        trial_note(s->t,
                   "max_T %" PRId64 " and max_B %" PRId64
                   " are larger than any batch of %s",
                   before.max_T, before.max_B, s->text);
}

static void run_describe(trial *t)
{
    stream_each(t, describe_one);
}

const check iterator_describe = {
    "iterator.describe",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "describe tells names, types, shapes and limits that every batch keeps",
    "the network's buffers are made from the description; a describe that "
    "writes past info->size, a type or an axis that does not exist, or a batch "
    "beyond max_T and max_B overruns them",
    0,
    run_describe,
};

/* ---- iterator.epoch ---------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* Every number at most once, none below 0; all of 0 to COUNT - 1 if ALL. */
static void judge_ids(stream *s, const recording *r, uint64_t epoch, int all)
{
    int64_t count = 0;
    int64_t *ids = recording_ids(s->t, r, &count);
    const char *where = trial_text(s->t, "ids of epoch %" PRIu64 " with %s",
                                   epoch, s->text);
    int64_t i;

    trial_tested(s->t, 1);
    qsort(ids, (size_t)count, sizeof *ids, compare_ids);
    for (i = 0; i < count; ++i) {
        if (ids[i] >= 0 && (i == 0 || ids[i] != ids[i - 1]) &&
            (!all || ids[i] == i))
            continue;
        trial_fail(s->t, where,
                   trial_text(s->t,
                              "every sample once, from 0: %" PRId64 " is next",
                              i),
                   trial_text(s->t, "%" PRId64, ids[i]));
        return;
    }
    if (all && s->info.n_samples >= 0 && count != s->info.n_samples)
        trial_fail(s->t, where,
                   trial_text(s->t, "%" PRId64 " samples", s->info.n_samples),
                   trial_text(s->t, "%" PRId64, count));
}

/* Numbers of a file arrive unchanged, each under its sample's id. */
static void judge_values(stream *s, const recording *r)
{
    uint32_t x = 0;
    int64_t i;
    int64_t b;
    int64_t j;

    while (x < s->info.n_fields && strcmp(stream_field(s, x), "x"))
        ++x;
    if (x == s->info.n_fields || s->info.fields[x]->ndim != 1 ||
        s->info.fields[x]->shape[0] != FILES_COLUMNS)
        return;
    for (i = 0; i < r->count; ++i)
        for (b = 0; b < r->batches[i].B; ++b)
            for (j = 0; j < FILES_COLUMNS; ++j) {
                const read_batch *batch = &r->batches[i];
                double got = stream_number(s->info.fields[x]->dtype,
                                           batch->data[x],
                                           b * FILES_COLUMNS + j);

                trial_tested(s->t, 1);
                if (got == files_x(batch->ids[b], j))
                    continue;
                trial_fail(s->t,
                           trial_text(s->t, "x[%" PRId64 "] of sample %" PRId64,
                                      j, batch->ids[b]),
                           trial_text(s->t, "%g, as in the file",
                                      files_x(batch->ids[b], j)),
                           trial_text(s->t, "%g", got));
                return;
            }
}

/* 1 if a parameter of the component is of TYPE, or holds values of it. */
static int takes(trial *t, uint32_t type)
{
    const nn_component *component = t->component->component;
    uint32_t i;

    for (i = 0; i < component->n_params; ++i) {
        const nn_param *param = component->params[i];

        if (param->type == type ||
            (param->element && param->element->type == type))
            return 1;
    }
    return 0;
}

static void epoch_one(stream *s, int plain)
{
    /* The samples of an inner iterator are its own affair. */
    const int source = plain && !takes(s->t, NN_PARAM_COMPONENT);
    uint64_t epoch;

    for (epoch = 0; epoch < 3; ++epoch) {
        const recording *r = stream_record(s, 7, epoch);
        int32_t code;

        if (!r)
            return;
        judge_ids(s, r, epoch, source && s->info.n_samples >= 0);
        if (source && epoch == 0 && takes(s->t, NN_PARAM_FILE))
            judge_values(s, r);
        code = stream_next(s);
        if (code != NN_END)
            trial_fail(s->t, "next after the last batch", "NN_END again",
                       trial_text(s->t, "%d", code));
    }
}

static void run_epoch(trial *t)
{
    stream_each(t, epoch_one);
}

const check iterator_epoch = {
    "iterator.epoch",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "an epoch has every sample once, under its number, and then ends",
    "a sample that comes twice weighs twice, one that is lost teaches nothing; "
    "the usual causes are a last short batch that is filled up or dropped, and "
    "a counter that is not reset between epochs",
    0,
    run_epoch,
};

/* ---- iterator.length --------------------------------------------------- */

static void length_one(stream *s, int plain)
{
    const recording *r = stream_record(s, 3, 0);
    int64_t samples = 0;

    (void)plain;
    if (!r)
        return;
    recording_ids(s->t, r, &samples);
    stream_describe(s);
    trial_tested(s->t, 1);
    if (s->info.n_batches >= 0 && s->info.n_batches != r->count)
        trial_fail(s->t, trial_text(s->t, "n_batches with %s", s->text),
                   trial_text(s->t, "the %" PRId64 " that came", r->count),
                   trial_text(s->t, "%" PRId64, s->info.n_batches));
    if (s->info.n_samples >= 0 && s->info.n_samples != samples)
        trial_fail(s->t, trial_text(s->t, "n_samples with %s", s->text),
                   trial_text(s->t, "the %" PRId64 " that came", samples),
                   trial_text(s->t, "%" PRId64, s->info.n_samples));
    if (s->info.n_batches < 0)
        trial_note(s->t, "the number of batches is not known: %s", s->text);
}

static void run_length(trial *t)
{
    stream_each(t, length_one);
}

const check iterator_length = {
    "iterator.length",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "n_batches and n_samples are what an epoch delivers, or -1",
    "schedules and progress count with them, and training ends after them; a "
    "division that rounds the wrong way is the usual cause",
    0,
    run_length,
};
