/* SPDX-License-Identifier: MIT */
/* stream.c - see stream.h.
 *
 * A batch that claims more than the room cannot be read at all: every check
 * that meets one says so. */
#include "conformance/data/stream.h"

#include <inttypes.h>
#include <string.h>

#define MOST_BATCHES 400
#define GUARD_BYTE 0xA7
#define LARGEST_ROOM (INT64_C(1) << 26)

const char *stream_field(const stream *s, uint32_t index)
{
    const nn_field *field = s->info.fields ? s->info.fields[index] : NULL;

    return field && field->name ? field->name : "(unnamed)";
}

size_t stream_sample_bytes(const stream *s, uint32_t index)
{
    const nn_field *field = s->info.fields[index];
    int64_t bytes = nn_dtype_bytes(field->dtype);
    uint32_t i;

    for (i = 0; i < field->ndim && i < NN_MAX_DIMS; ++i)
        bytes *= field->shape[i];
    return bytes > 0 && bytes < LARGEST_ROOM ? (size_t)bytes : 1;
}

void stream_make_room(stream *s, int64_t samples)
{
    int64_t T = s->info.max_T > 0 ? s->info.max_T : 1;
    uint32_t i;

    if (samples < 1)
        samples = 1;
    s->room = samples;
    for (i = 0; i < s->info.n_fields; ++i) {
        stream_room *room = &s->rooms[i];

        room->bytes = (size_t)(samples * T) * stream_sample_bytes(s, i);
        room->block = trial_alloc(s->t, room->bytes + 2 * STREAM_GUARD);
        s->data[i] = room->block + STREAM_GUARD;
    }
    s->batch.ids = trial_alloc(s->t, (size_t)(samples + 2) * sizeof(int64_t));
    s->batch.ids += 1;
    s->batch.begins = trial_alloc(s->t, (size_t)samples + 2);
    s->batch.begins += 1;
}

void stream_describe(stream *s)
{
    memset(&s->info, 0, sizeof s->info);
    s->info.size = NN_SIZEOF(nn_iterator_info, reserved);
    s->f.describe(s->iterator, &s->info);
}

int stream_equip(stream *s)
{
    if (!s->info.n_fields || !s->info.fields || s->info.max_T < 1 ||
        s->info.max_B < 1 || s->info.max_T > LARGEST_ROOM / s->info.max_B) {
        trial_fail(s->t, "describe", "a field or more, max_T and max_B >= 1",
                   trial_text(s->t,
                              "%u fields, max_T %" PRId64 ", max_B %" PRId64,
                              s->info.n_fields, s->info.max_T, s->info.max_B));
        return -1;
    }
    s->rooms = trial_alloc(s->t, s->info.n_fields * sizeof *s->rooms);
    s->data = trial_alloc(s->t, s->info.n_fields * sizeof *s->data);
    s->batch.size = NN_SIZEOF(nn_batch, begins);
    s->batch.n_fields = s->info.n_fields;
    s->batch.data = s->data;
    stream_make_room(s, s->info.max_B);
    return 0;
}

void stream_take_functions(stream *s)
{
    const nn_iterator_interface *theirs = nn_part_component(s->part)->interface;

    memcpy(&s->f, theirs,
           theirs->size < sizeof s->f ? theirs->size : sizeof s->f);
}

static int32_t make(stream *s, const nn_iterator_request *request)
{
    nn_iterator_request plain = {NN_SIZEOF(nn_iterator_request, fields),
                                 NN_FLOAT32, 0, 0, NULL};
    int32_t code;

    s->part = s->other
                  ? check_host_other(s->t, &s->host, NN_KIND_ITERATOR, s->text)
                  : check_host_part(s->t, &s->host, s->text);
    if (!s->part)
        return NN_INVALID_ARGUMENT;
    stream_take_functions(s);
    check_host_clear(&s->host);
    trial_enter(s->t, "create");
    code = s->f.create(&s->host.host, nn_part_params(s->part),
                       request ? request : &plain, &s->iterator);
    trial_leave(s->t);
    return code;
}

static int32_t try(trial *t, const char *text, int other,
                   const nn_iterator_request *request, stream *out)
{
    int32_t code;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->text = text;
    out->other = other;
    out->poison = 0x5A;
    if (check_host_init(t, &out->host))
        return NN_INTERNAL;
    code = make(out, request);
    if (!code && !out->iterator)
        code = NN_INTERNAL;
    if (!code) {
        stream_describe(out);
        if (!stream_equip(out))
            return NN_OK;
        out->f.destroy(out->iterator);
        code = NN_INTERNAL;
    }
    out->message = trial_text(t, "%s", check_host_message(&out->host));
    nn_part_destroy(out->part);
    return code;
}

int32_t stream_try(trial *t, const char *text,
                   const nn_iterator_request *request, stream *out)
{
    return try(t, text, 0, request, out);
}

int32_t stream_try_other(trial *t, const char *text, stream *out)
{
    return try(t, text, 1, NULL, out);
}

int stream_open(trial *t, const char *text, int sure, stream *out)
{
    int32_t code = stream_try(t, text, NULL, out);

    if (!code)
        return 0;
    if (sure || !*out->message)
        trial_fail(t, trial_text(t, "create with %s", text),
                   sure ? "an iterator" : "an iterator, or a message",
                   trial_text(t, "code %d: %s", code, out->message));
    return -1;
}

void stream_close(stream *s)
{
    trial_enter(s->t, "destroy");
    s->f.destroy(s->iterator);
    trial_leave(s->t);
    nn_part_destroy(s->part);
    s->iterator = NULL;
    s->part = NULL;
}

/* ---- reading ----------------------------------------------------------- */

int32_t stream_start(stream *s, uint64_t seed, uint64_t epoch, uint32_t shard,
                     uint32_t n_shards)
{
    nn_epoch e = {
        NN_SIZEOF(nn_epoch, n_shards), 0, seed, epoch, shard, n_shards};
    int32_t code;

    check_host_clear(&s->host);
    trial_enter(s->t, "start");
    code = s->f.start(s->iterator, &e);
    trial_leave(s->t);
    return code;
}

static void poison(stream *s)
{
    uint32_t i;

    for (i = 0; i < s->info.n_fields; ++i) {
        stream_room *room = &s->rooms[i];

        memset(room->block, GUARD_BYTE, room->bytes + 2 * STREAM_GUARD);
        memset(room->block + STREAM_GUARD, s->poison, room->bytes);
    }
    for (i = 0; i <= s->room + 1; ++i) {
        s->batch.ids[(int64_t)i - 1] = INT64_MIN + s->poison;
        s->batch.begins[(int64_t)i - 1] = s->poison;
    }
    s->batch.T = 0;
    s->batch.B = 0;
}

int32_t stream_next(stream *s)
{
    int32_t code;

    poison(s);
    check_host_clear(&s->host);
    trial_enter(s->t, "next");
    code = s->f.next(s->iterator, &s->batch);
    trial_leave(s->t);
    if (code || (s->batch.T >= 1 && s->batch.T <= s->info.max_T &&
                 s->batch.B >= 1 && s->batch.B <= s->room))
        return code;
    trial_fail(s->t, "T and B of a batch",
               trial_text(s->t, "1 to max_T %" PRId64 " and max_B %" PRId64,
                          s->info.max_T, s->room),
               trial_text(s->t, "%" PRId64 " and %" PRId64, s->batch.T,
                          s->batch.B));
    return NN_INTERNAL;
}

/* First of COUNT bytes that is not BYTE; COUNT if none. */
static size_t first_other(const unsigned char *bytes, size_t count, int byte)
{
    size_t i = 0;

    while (i < count && bytes[i] == byte)
        ++i;
    return i;
}

int stream_guards(stream *s)
{
    uint32_t i;

    for (i = 0; i < s->info.n_fields; ++i) {
        const stream_room *room = &s->rooms[i];
        const unsigned char *end = room->block + STREAM_GUARD + room->bytes;

        if (first_other(room->block, STREAM_GUARD, GUARD_BYTE) ==
                STREAM_GUARD &&
            first_other(end, STREAM_GUARD, GUARD_BYTE) == STREAM_GUARD)
            continue;
        trial_fail(s->t, trial_text(s->t, "field %s", stream_field(s, i)),
                   trial_text(s->t, "writes within its %zu bytes", room->bytes),
                   "a write beside them");
        return -1;
    }
    if (s->batch.ids[-1] == s->batch.ids[s->room] &&
        s->batch.begins[-1] == s->poison &&
        s->batch.begins[s->room] == s->poison)
        return 0;
    trial_fail(s->t, "ids and begins", "room for max_B of them",
               "a write beside it");
    return -1;
}

/* ---- recordings -------------------------------------------------------- */

static void keep_batch(stream *s, read_batch *out)
{
    const nn_batch *batch = &s->batch;
    size_t B = (size_t)batch->B;
    uint32_t i;

    out->T = batch->T;
    out->B = batch->B;
    out->ids = trial_alloc(s->t, B * sizeof *out->ids);
    out->begins = trial_alloc(s->t, B);
    memcpy(out->ids, batch->ids, B * sizeof *out->ids);
    memcpy(out->begins, batch->begins, B);
    out->data = trial_alloc(s->t, s->info.n_fields * sizeof *out->data);
    for (i = 0; i < s->info.n_fields; ++i) {
        size_t bytes = (size_t)batch->T * B * stream_sample_bytes(s, i);

        out->data[i] = trial_alloc(s->t, bytes);
        memcpy(out->data[i], s->data[i], bytes);
    }
}

recording *stream_rest(stream *s)
{
    recording *r = trial_alloc(s->t, sizeof *r);
    int32_t code;

    r->batches = trial_alloc(s->t, MOST_BATCHES * sizeof *r->batches);
    while ((code = stream_next(s)) == NN_OK && r->count < MOST_BATCHES)
        keep_batch(s, &r->batches[r->count++]);
    if (code == NN_END)
        return r;
    if (r->count == MOST_BATCHES)
        trial_fail(s->t, "next", "NN_END after the last batch",
                   "no end of 400 batches");
    else if (code != NN_INTERNAL || !s->batch.T)
        trial_fail(s->t, trial_text(s->t, "batch %" PRId64, r->count),
                   "0 or NN_END",
                   trial_text(s->t, "%d: %s", code,
                              check_host_message(&s->host)));
    return NULL;
}

recording *stream_record(stream *s, uint64_t seed, uint64_t epoch)
{
    int32_t code = stream_start(s, seed, epoch, 0, 1);

    if (!code)
        return stream_rest(s);
    trial_fail(s->t, trial_text(s->t, "start of epoch %" PRIu64, epoch), "0",
               trial_text(s->t, "%d: %s", code, check_host_message(&s->host)));
    return NULL;
}

/* What differs first between two batches, or NULL. */
static const char *difference(const stream *s, const read_batch *a,
                              const read_batch *b)
{
    uint32_t i;

    if (a->T != b->T || a->B != b->B)
        return "T and B";
    if (memcmp(a->ids, b->ids, (size_t)a->B * sizeof *a->ids))
        return "ids";
    if (memcmp(a->begins, b->begins, (size_t)a->B))
        return "begins";
    for (i = 0; i < s->info.n_fields; ++i)
        if (memcmp(a->data[i], b->data[i],
                   (size_t)(a->T * a->B) * stream_sample_bytes(s, i)))
            return stream_field(s, i);
    return NULL;
}

int recording_compare(stream *s, const char *where, const recording *wanted,
                      int64_t from, const recording *got)
{
    int64_t i;

    if (!wanted || !got)
        return -1;
    trial_tested(s->t, 1);
    for (i = 0; from + i < wanted->count && i < got->count; ++i) {
        const char *what = difference(s, &wanted->batches[from + i],
                                      &got->batches[i]);

        if (!what)
            continue;
        trial_fail(s->t,
                   trial_text(s->t, "%s: %s of batch %" PRId64 " with %s",
                              where, what, from + i, s->text),
                   "what came before", "something else");
        return -1;
    }
    if (from + i == wanted->count && i == got->count)
        return 0;
    trial_fail(s->t, trial_text(s->t, "%s with %s", where, s->text),
               trial_text(s->t, "%" PRId64 " batches", wanted->count - from),
               trial_text(s->t, "%" PRId64, got->count));
    return -1;
}

int recording_same(const stream *s, const recording *a, const recording *b)
{
    int64_t i;

    for (i = 0; i < a->count && i < b->count; ++i)
        if (difference(s, &a->batches[i], &b->batches[i]))
            return 0;
    return a->count == b->count;
}

int64_t *recording_ids(trial *t, const recording *r, int64_t *count)
{
    int64_t total = 0;
    int64_t *ids;
    int64_t i;
    int64_t b;

    for (i = 0; i < r->count; ++i)
        total += r->batches[i].B;
    ids = trial_alloc(t, (size_t)(total + 1) * sizeof *ids);
    *count = 0;
    for (i = 0; i < r->count; ++i)
        for (b = 0; b < r->batches[i].B; ++b)
            if (r->batches[i].begins[b])
                ids[(*count)++] = r->batches[i].ids[b];
    return ids;
}

double stream_number(uint32_t dtype, const void *data, int64_t index)
{
    switch (dtype) {
    case NN_FLOAT32:
        return ((const float *)data)[index];
    case NN_FLOAT64:
        return ((const double *)data)[index];
    case NN_INT32:
        return ((const int32_t *)data)[index];
    default:
        return ((const uint8_t *)data)[index];
    }
}

/* ---- texts ------------------------------------------------------------- */

const text_set *stream_texts(trial *t)
{
    file_set *set = trial_alloc(t, sizeof *set);

    set->n = FILES_SAMPLES;
    return texts_make(t, files_value, set);
}

const char *stream_plain(trial *t, int64_t n)
{
    file_set *set = trial_alloc(t, sizeof *set);

    set->n = n;
    return texts_plain(t, files_value, set);
}

void stream_each(trial *t, stream_run run)
{
    const text_set *set = stream_texts(t);
    uint32_t count = t->level >= LEVEL_STANDARD ? set->count : set->sure;
    uint32_t i;

    if (set->missing)
        trial_skip(t, "%s", set->missing);
    for (i = 0; i < count && trial_failures(t) < 4; ++i) {
        stream s;

        if (stream_open(t, set->items[i], i < set->sure, &s))
            continue;
        run(&s, i == 0);
        stream_close(&s);
    }
}
