/* SPDX-License-Identifier: MIT */
/* request.c - what the network asks of an iterator, what it does with files
 * that are no data, and with an inner iterator. */
#include "conformance/data/checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/data/stream.h"

/* ---- iterator.request -------------------------------------------------- */

static const char *type_name(uint32_t dtype)
{
    static const char *const names[] = {"real", "float32", "float64", "int32",
                                        "uint8"};

    return dtype < 5 ? names[dtype] : "an unknown type";
}

/* Opens the text of S with one wanted FIELD and real type REAL. */
static int32_t open_with(const stream *s, const nn_field *field, uint32_t real,
                         stream *out)
{
    const nn_field *fields[] = {field};
    nn_iterator_request request = {NN_SIZEOF(nn_iterator_request, fields), real,
                                   field ? 1 : 0, 0, fields};

    return stream_try(s->t, s->text, &request, out);
}

/* Field NAME of S; n_fields if it has none. */
static uint32_t index_of(const stream *s, const char *name)
{
    uint32_t i = 0;

    while (i < s->info.n_fields && strcmp(stream_field(s, i), name))
        ++i;
    return i;
}

static int64_t features(const nn_field *field)
{
    int64_t product = 1;
    uint32_t i;

    for (i = 0; i < field->ndim && i < NN_MAX_DIMS; ++i)
        product *= field->shape[i];
    return product;
}

/* NUMBER as it is after a journey through DTYPE, if that can hold it. */
static double through(uint32_t dtype, double number)
{
    return dtype == NN_FLOAT32 ? (double)(float)number : number;
}

/* The same numbers in another type, where next does not refuse them. */
static void judge_numbers(const stream *s, uint32_t index, stream *got,
                          uint32_t there)
{
    uint32_t from = s->info.fields[index]->dtype;
    uint32_t to = got->info.fields[there]->dtype;
    int64_t count = features(s->info.fields[index]) * s->batch.T * s->batch.B;
    int64_t i;

    if (s->batch.B != got->batch.B || s->batch.T != got->batch.T ||
        memcmp(s->batch.ids, got->batch.ids,
               (size_t)s->batch.B * sizeof *s->batch.ids))
        return;
    for (i = 0; i < count; ++i) {
        double a = stream_number(from, s->data[index], i);
        double b = stream_number(to, got->data[there], i);

        trial_tested(s->t, 1);
        if (through(from, b) == through(to, a) || (a != a && b != b))
            continue;
        trial_fail(s->t,
                   trial_text(s->t, "number %" PRId64 " of field %s as %s", i,
                              stream_field(s, index), type_name(to)),
                   trial_text(s->t, "%.9g, as in %s", a, type_name(from)),
                   trial_text(s->t, "%.9g", b));
        return;
    }
}

static void judge_type(stream *s, uint32_t index, uint32_t dtype)
{
    nn_field field = *s->info.fields[index];
    const char *where = trial_text(s->t, "field %s wanted as %s with %s",
                                   field.name, type_name(dtype), s->text);
    stream got;
    uint32_t there;
    int32_t code;

    field.dtype = dtype;
    code = open_with(s, &field, NN_FLOAT32, &got);
    trial_tested(s->t, 1);
    if (code) {
        if (!strstr(got.message, field.name))
            trial_fail(s->t, where, "a refusal that names the field",
                       trial_text(s->t, "code %d: %s", code, got.message));
        return;
    }
    there = index_of(&got, field.name);
    if (there == got.info.n_fields || got.info.fields[there]->dtype != dtype)
        trial_fail(s->t, where, type_name(dtype),
                   there == got.info.n_fields
                       ? "no such field"
                       : type_name(got.info.fields[there]->dtype));
    else if (features(got.info.fields[there]) == features(&field) &&
             !stream_start(s, 1, 0, 0, 1) && !stream_next(s) &&
             !stream_start(&got, 1, 0, 0, 1) && !stream_next(&got))
        judge_numbers(s, index, &got, there);
    stream_close(&got);
}

/* Real fields follow the network's type. */
static void judge_real(const stream *s)
{
    stream got;
    uint32_t i;

    trial_tested(s->t, 1);
    if (open_with(s, NULL, NN_FLOAT64, &got)) {
        trial_fail(s->t, "a request with float64", "an iterator", got.message);
        return;
    }
    for (i = 0; i < got.info.n_fields && i < s->info.n_fields; ++i)
        if (got.info.fields[i]->dtype == NN_FLOAT32 &&
            s->info.fields[i]->dtype == NN_FLOAT32)
            trial_fail(s->t,
                       trial_text(s->t, "field %s in a request with float64",
                                  stream_field(s, i)),
                       "float64", "float32");
    stream_close(&got);
}

/* A shape that does not fit is refused, or left to the network to refuse. */
static void judge_shape(const stream *s, uint32_t index)
{
    nn_field field = *s->info.fields[index];
    stream got;
    uint32_t there;
    int32_t code;

    field.shape[field.ndim - 1] += 2;
    code = open_with(s, &field, NN_FLOAT32, &got);
    trial_tested(s->t, 1);
    if (code) {
        if (!*got.message)
            trial_fail(s->t, "a shape that does not fit",
                       "a code together with a message",
                       trial_text(s->t, "code %d", code));
        return;
    }
    there = index_of(&got, field.name);
    if (there < got.info.n_fields &&
        features(got.info.fields[there]) == features(&field))
        trial_note(s->t, "field %s comes in every shape that is wanted",
                   field.name);
    stream_close(&got);
}

/* A name that is not known is refused by name, or not there. */
static void judge_unknown(const stream *s)
{
    nn_field field = *s->info.fields[0];
    stream got;
    int32_t code;

    field.name = "no_such_field";
    code = open_with(s, &field, NN_FLOAT32, &got);
    trial_tested(s->t, 1);
    if (!code)
        stream_close(&got);
    else if (!strstr(got.message, field.name))
        trial_fail(s->t, "a field that does not exist",
                   "a refusal that names it",
                   trial_text(s->t, "code %d: %s", code, got.message));
}

static void request_one(stream *s, int plain)
{
    uint32_t i;
    uint32_t dtype;

    (void)plain;
    for (i = 0; i < s->info.n_fields; ++i) {
        for (dtype = NN_FLOAT32; dtype <= NN_UINT8; ++dtype)
            judge_type(s, i, dtype);
        judge_shape(s, i);
    }
    judge_real(s);
    judge_unknown(s);
}

static void run_request(trial *t)
{
    stream_each(t, request_one);
}

const check iterator_request = {
    "iterator.request",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "fields come in the types that are asked for, or are refused by name",
    "the core copies a batch into the network's inputs as it stands; a field "
    "that keeps its own type is read as numbers that it does not hold",
    0,
    run_request,
};

/* ---- iterator.errors --------------------------------------------------- */

/* Creates and reads with what cannot be read. */
static void judge_damage(trial *t, enum damage damage, const char *word)
{
    const char *where = trial_text(t, "files that are %s", word);
    file_set *set = trial_alloc(t, sizeof *set);
    const char *message = NULL;
    const char *text;
    stream s;
    int32_t code;

    set->n = FILES_SAMPLES;
    set->damage = damage;
    text = texts_plain(t, files_value, set);
    if (!text || !set->made)
        return;
    trial_tested(t, 1);
    code = stream_try(t, text, NULL, &s);
    message = s.message;
    if (!code) {
        code = stream_start(&s, 1, 0, 0, 1);
        while (!code)
            code = stream_next(&s);
        message = trial_text(t, "%s", check_host_message(&s.host));
        stream_close(&s);
    }
    if (code >= 0)
        trial_fail(t, where, "a negative code", trial_text(t, "%d", code));
    else if (!strstr(message, word))
        trial_fail(t, where, "a message with the name of the file",
                   trial_text(t, "code %d: %s", code, message));
}

static void judge_too_early(trial *t, const char *text)
{
    stream s;
    int32_t code;

    if (stream_open(t, text, 1, &s))
        return;
    code = stream_next(&s);
    check_host_code(t, &s.host, "next before an epoch began",
                    code == NN_END ? 0 : code);
    if (code == NN_OK)
        trial_fail(t, "next before an epoch began",
                   "a negative code with a message", "a batch");
    stream_close(&s);
}

static void run_errors(trial *t)
{
    const text_set *set = stream_texts(t);

    if (set->missing) {
        trial_skip(t, "%s", set->missing);
        return;
    }
    judge_too_early(t, set->items[0]);
    judge_damage(t, MISSING, "missing");
    judge_damage(t, TRUNCATED, "truncated");
    judge_damage(t, GARBAGE, "garbage");
    judge_damage(t, EMPTY, "empty");
}

const check iterator_errors = {
    "iterator.errors",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "files that cannot be read, and calls at the wrong time, are errors by "
    "name",
    "a download that broke off is the most common data there is; a header that "
    "is believed without its data reads memory that is not there",
    0,
    run_errors,
};

/* ---- iterator.composition ---------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

/* Opens the component around INNER. */
static int32_t open_around(trial *t, const char *inner, stream *out)
{
    file_set *set = trial_alloc(t, sizeof *set);

    set->n = FILES_SAMPLES;
    set->inner_text = inner;
    return stream_try(t, texts_plain(t, files_value, set), NULL, out);
}

/* 1 if all N_A sorted numbers A are among the N_B sorted B. */
static int among(const int64_t *a, int64_t n_a, const int64_t *b, int64_t n_b)
{
    int64_t i = 0;
    int64_t k;

    for (k = 0; i < n_a && k < n_b; ++k)
        i += a[i] == b[k];
    return i == n_a;
}

/* The samples that come out are those that went in, or as many of them as the
 * outer iterator says. */
static void judge_through(trial *t, const char *inner, stream *outer,
                          stream *alone)
{
    uint64_t epoch;

    for (epoch = 0; epoch < 2; ++epoch) {
        const recording *in = stream_record(alone, 8, epoch);
        const recording *out = stream_record(outer, 8, epoch);
        int64_t n_in = 0;
        int64_t n_out = 0;
        int64_t *a;
        int64_t *b;

        if (!in || !out)
            return;
        a = recording_ids(t, in, &n_in);
        b = recording_ids(t, out, &n_out);
        qsort(a, (size_t)n_in, sizeof *a, compare_numbers);
        qsort(b, (size_t)n_out, sizeof *b, compare_numbers);
        trial_tested(t, 1);
        if (among(b, n_out, a, n_in) &&
            (outer->info.n_samples < 0 ? n_in == n_out
                                       : n_out == outer->info.n_samples))
            continue;
        trial_fail(t,
                   trial_text(t, "epoch %" PRIu64 " around %s", epoch, inner),
                   trial_text(t,
                              "the %" PRId64 " samples of the inner iterator",
                              n_in),
                   n_in == n_out ? "others" : trial_text(t, "%" PRId64, n_out));
        return;
    }
}

static void judge_around(trial *t, const char *inner)
{
    stream outer;
    stream alone;
    int32_t code = open_around(t, inner, &outer);

    trial_tested(t, 1);
    if (code) {
        if (!*outer.message)
            trial_fail(t, trial_text(t, "create around %s", inner),
                       "an iterator, or a message",
                       trial_text(t, "code %d", code));
        return;
    }
    if (stream_try_other(t, inner, &alone) == NN_OK) {
        judge_through(t, inner, &outer, &alone);
        stream_close(&alone);
    }
    stream_close(&outer);
}

static void run_composition(trial *t)
{
    static const char *const inners[] = {
        "%s",
        "{minibatches: {size: 2, inner: %s}}",
        "{minibatches: {size: 3, shuffle: true, inner: %s}}",
        "{minibatches: {size: 3, limit: 4, inner: %s}}",
        "{undivided: {inner: %s}}",
    };
    const nn_component *component = t->component->component;
    file_set probe = {FILES_SAMPLES, INTACT, NULL, 0, NULL};
    size_t i;

    for (i = 0; i < component->n_params; ++i)
        files_value(t, component->params[i], &probe);
    if (!probe.inner) {
        trial_skip(t, "it has no inner iterator");
        return;
    }
    for (i = 0; i < sizeof inners / sizeof *inners; ++i) {
        const char *data = files_npy(t, FILES_SAMPLES);
        const char *rest = strstr(inners[i], "%s");

        judge_around(t, trial_text(t, "%.*s%s%s", (int)(rest - inners[i]),
                                   inners[i], data, rest + 2));
    }
}

const check iterator_composition = {
    "iterator.composition",
    NN_KIND_ITERATOR,
    LEVEL_BASIC,
    "around any inner iterator come the samples that it delivers, and its end",
    "an inner iterator may have batches of its own size and an end of its own; "
    "a wrapper that counts for itself loses the last batch or asks for more",
    0,
    run_composition,
};
