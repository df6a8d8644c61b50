/* SPDX-License-Identifier: MIT */
/* iterator.h - what a source of data, or something that changes data, does.
 *
 * An iterator yields batches of named fields, each (T, B, features...) on the
 * host, into memory that the core supplies.  Iterators nest: one with an inner
 * iterator drives it through nn_iterators and never changes its source.  There
 * are two ways to read one:
 *
 *   next    the next batch of the epoch, in the iterator's own order;
 *   gather  chosen samples by number: what a shuffling iterator needs.  A
 *           source with random access offers it and has n_samples >= 0.
 *
 * Everything random is drawn from (seed, epoch, sample id), so that the order
 * and every change of the data are functions of these alone. */
#ifndef NN_ITERATOR_H
#define NN_ITERATOR_H

#include <nn/array.h>
#include <nn/plugin.h>

NN_BEGIN_DECLS

/* An instance.  Defined by its plugin. */
typedef struct nn_iterator nn_iterator;

/* A field that an iterator yields, or that a network wants. */
typedef struct nn_field {
    uint32_t size;              /* NN_SIZEOF(nn_field, shape) */
    uint32_t dtype;             /* NN_FLOAT32, NN_FLOAT64, NN_INT32, NN_UINT8 */
    uint32_t ndim;              /* axes of `shape`, without T and B */
    uint32_t reserved;          /* zero */
    const char *name;           /* "images"; lives as long as its owner */
    int64_t shape[NN_MAX_DIMS]; /* of the features; -1: any */
} nn_field;

/* What the network reads: an iterator converts to these types by name.  Names
 * that the request lacks are the iterator's choice. */
typedef struct nn_iterator_request {
    uint32_t size;     /* NN_SIZEOF(nn_iterator_request, fields) */
    uint32_t real;     /* NN_FLOAT32 or NN_FLOAT64: for real fields */
    uint32_t n_fields; /* entries of `fields` */
    uint32_t reserved; /* zero */
    const nn_field *const *fields; /* in any order */
} nn_iterator_request;

/* What an iterator yields.  Strings and fields live as long as it. */
typedef struct nn_iterator_info {
    uint32_t size;     /* NN_SIZEOF(nn_iterator_info, reserved) */
    uint32_t n_fields; /* entries of `fields` */
    const nn_field *const *fields; /* in the order of nn_batch.data */
    int64_t n_samples; /* of an epoch; -1: unknown */
    int64_t n_batches; /* of an epoch (of this shard); -1: unknown */
    int64_t max_T;     /* largest T of a batch, >= 1 */
    int64_t max_B;     /* largest B of a batch, >= 1 */
    uint32_t can_seek; /* 1: seek is exact */
    uint32_t reserved; /* zero */
} nn_iterator_info;

/* An epoch to start. */
typedef struct nn_epoch {
    uint32_t size;     /* NN_SIZEOF(nn_epoch, n_shards) */
    uint32_t reserved; /* zero */
    uint64_t seed;     /* of the run */
    uint64_t epoch;    /* from 0 */
    uint32_t shard;    /* 0 to n_shards - 1: every n_shards-th batch */
    uint32_t n_shards; /* >= 1 */
} nn_epoch;

/* One batch.  The caller supplies `data` (dense (T, B, features...), room for
 * max_T and max_B), `ids` and `begins` (room for max_B); the iterator fills
 * them and sets T and B. */
typedef struct nn_batch {
    uint32_t size;     /* NN_SIZEOF(nn_batch, begins) */
    uint32_t n_fields; /* entries of `data`, as described */
    int64_t T;         /* in gather: given, 1 unless fields have time */
    int64_t B;         /* in gather: number of samples wanted */
    void *const *data; /* one a field, in the order described */
    int64_t *ids;      /* (B): number of each sample in its source, from 0 */
    uint8_t *begins;   /* (B): 1 where a sequence starts, 0 where it goes on
                          from the same row of the batch before */
} nn_batch;

/* The functions of an iterator.  Codes come with the message set. */
typedef struct nn_iterator_interface {
    uint32_t size;     /* NN_SIZEOF(nn_iterator_interface, gather) */
    uint32_t reserved; /* zero */

    /* Makes an iterator; opens files and checks all of their headers.  HOST,
     * PARAMS and its children live as long as it; REQUEST for the call.
     * Returns 0, or a code with a message that names the file.  [setup] */
    int32_t (*create)(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator);

    /* Releases it; NULL is fine.  [setup] */
    void (*destroy)(nn_iterator *iterator);

    /* Fills INFO up to info->size.  [setup] */
    void (*describe)(nn_iterator *iterator, nn_iterator_info *info);

    /* Begins an epoch; the next batch is its first.  EPOCH lives for the
     * call.  Returns 0 or a negative code.  [compute] */
    int32_t (*start)(nn_iterator *iterator, const nn_epoch *epoch);

    /* Fills the next batch.  Returns 0, NN_END, or a negative code.
     * [compute] */
    int32_t (*next)(nn_iterator *iterator, nn_batch *batch);

    /* Makes batch number BATCH of the epoch (from 0) the next one.  Returns
     * 0, or a negative code, NN_UNSUPPORTED if can_seek is 0.  [compute] */
    int32_t (*seek)(nn_iterator *iterator, int64_t batch);

    /* Fills BATCH with the samples IDS (batch->B of them, each from 0 to
     * below n_samples).  Returns 0 or a negative code.  Absent: no random
     * access.  [compute] */
    int32_t (*gather)(nn_iterator *iterator, const nn_epoch *epoch,
                      const int64_t *ids, nn_batch *batch);
} nn_iterator_interface;

#define NN_ITERATORS "nn.iterators/1"

/* How an iterator drives its inner one: from nn_host.get_extension.  CHILD is
 * the value of a COMPONENT parameter of kind iterator.  Each function is the
 * interface's of that name. */
typedef struct nn_iterators {
    uint32_t size;     /* NN_SIZEOF(nn_iterators, can_gather) */
    uint32_t reserved; /* zero */

    /* Makes the inner iterator with this request; once a child, in the
     * parent's create.  The core destroys it after the parent.  [setup] */
    int32_t (*create)(nn_child *child, const nn_iterator_request *request);

    /* As the interface's.  [setup] */
    void (*describe)(nn_child *child, nn_iterator_info *info);

    /* As the interface's; gather only where can_gather says 1.  [compute] */
    int32_t (*start)(nn_child *child, const nn_epoch *epoch);
    int32_t (*next)(nn_child *child, nn_batch *batch);
    int32_t (*seek)(nn_child *child, int64_t batch);
    int32_t (*gather)(nn_child *child, const nn_epoch *epoch,
                      const int64_t *ids, nn_batch *batch);

    /* 1 if the inner iterator offers gather.  [any] */
    int32_t (*can_gather)(nn_child *child);
} nn_iterators;

NN_END_DECLS

#endif
