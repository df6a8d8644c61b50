/* SPDX-License-Identifier: MIT */
/* stream.h - an iterator that is read, with room for its batches, and what was
 * read from it. */
#ifndef NN_CONFORMANCE_DATA_STREAM_H
#define NN_CONFORMANCE_DATA_STREAM_H

#include <nn/iterator.h>

#include "conformance/data/files.h"
#include "conformance/data/host.h"

#define STREAM_GUARD 64 /* bytes on each side of a field's room */

/* Room for one field of a batch, between guard bytes. */
typedef struct stream_room {
    unsigned char *block;
    size_t bytes; /* of the room itself */
} stream_room;

typedef struct stream {
    trial *t;
    const char *text;
    int other; /* 1: `text` names another component than the trial's */
    check_host host;
    nn_part *part;
    nn_iterator_interface f; /* what the iterator lacks is NULL */
    nn_iterator *iterator;
    nn_iterator_info info;
    stream_room *rooms;
    void **data;
    int64_t room; /* samples that the rooms hold */
    nn_batch batch;
    unsigned char poison; /* what the room is filled with before a batch */
    const char *message;  /* of a refusal */
} stream;

/* A batch that was read. */
typedef struct read_batch {
    int64_t T;
    int64_t B;
    int64_t *ids;
    uint8_t *begins;
    unsigned char **data; /* one a field */
} read_batch;

typedef struct recording {
    read_batch *batches;
    int64_t count;
} recording;

/* Makes the iterator with parameters TEXT and the request (NULL: of no names,
 * with float32).  Returns 0, or a code with the message in `message`; nothing
 * is to be closed then. */
int32_t stream_try(trial *t, const char *text,
                   const nn_iterator_request *request, stream *out);

/* The same for another iterator, as a config would write it. */
int32_t stream_try_other(trial *t, const char *text, stream *out);

/* The functions of the part, up to the size that it has. */
void stream_take_functions(stream *s);

/* The same, but a refusal is a failure if SURE, and a code without a message
 * always.  Returns 0 or -1. */
int stream_open(trial *t, const char *text, int sure, stream *out);
void stream_close(stream *s);

/* Reads what the iterator says of itself anew. */
void stream_describe(stream *s);

/* Makes room for its batches; -1 after saying that what it says makes no
 * sense. */
int stream_equip(stream *s);

/* Makes the rooms hold SAMPLES each. */
void stream_make_room(stream *s, int64_t samples);

/* Starts epoch EPOCH of a run with SEED.  Returns the code. */
int32_t stream_start(stream *s, uint64_t seed, uint64_t epoch, uint32_t shard,
                     uint32_t n_shards);

/* The next batch, which is judged only as far as that it can be read.
 * Returns the code, or NN_INTERNAL after a failure was said. */
int32_t stream_next(stream *s);

/* 0 if the guard bytes are whole, else -1 after saying where not. */
int stream_guards(stream *s);

/* Bytes of one sample at one time step of field INDEX. */
size_t stream_sample_bytes(const stream *s, uint32_t index);

/* Name of field INDEX. */
const char *stream_field(const stream *s, uint32_t index);

/* Reads what is left of the epoch; NULL after saying what failed. */
recording *stream_rest(stream *s);

/* Starts an epoch of one shard and reads it. */
recording *stream_record(stream *s, uint64_t seed, uint64_t epoch);

/* Compares what follows batch FROM of WANTED with GOT; -1 after saying where
 * they differ first. */
int recording_compare(stream *s, const char *where, const recording *wanted,
                      int64_t from, const recording *got);

/* 1 if all is equal. */
int recording_same(const stream *s, const recording *a, const recording *b);

/* The numbers of all samples, a sequence that goes on counted once; *COUNT of
 * them. */
int64_t *recording_ids(trial *t, const recording *r, int64_t *count);

/* Element INDEX of numbers of DTYPE. */
double stream_number(uint32_t dtype, const void *data, int64_t index);

/* The usual texts of the iterator. */
const text_set *stream_texts(trial *t);

/* The plain text for N samples. */
const char *stream_plain(trial *t, int64_t n);

/* Runs RUN on the streams of the level (stream_texts), opened. */
typedef void (*stream_run)(stream *s, int plain);
void stream_each(trial *t, stream_run run);

#endif
