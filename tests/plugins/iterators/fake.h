/* SPDX-License-Identifier: MIT */
/* fake.h - a host for iterators alone: it reads their configs, makes them with
 * all that is within, and drives them.
 *
 * A config is one line of YAML's flow style with plain and double-quoted
 * scalars, such as
 *     {minibatches: {size: 2, inner: {idx: {images: FILE}}}}
 * and is turned to values by the components' own schemas.  There is one host
 * a program. */
#ifndef NN_TESTS_PLUGINS_ITERATORS_FAKE_H
#define NN_TESTS_PLUGINS_ITERATORS_FAKE_H

#include <nn/iterator.h>

/* The plugins that the program is linked with; NULL-terminated. */
extern const nn_plugin *const fake_plugins[];

/* What the plugins left behind. */
typedef struct fake_state {
    int32_t code; /* of the first error since fake_open began; 0: none */
    char id[64];
    char text[1024];
    char log[1024];
    int64_t blocks; /* allocated and not freed */
    int64_t bytes;  /* the same in bytes */
    int64_t peak;   /* most of them since fake_open began */
    int64_t calls;  /* allocations since fake_open began */
    int64_t fail;   /* number of the allocation that fails, from 1; 0: none */
} fake_state;

extern fake_state fake;

/* Makes the iterator of CONFIG, for fields of the type REAL and those of
 * REQUEST (COUNT of them).  NULL: it refused, and `fake` has the reason.  A
 * config that its schema refuses ends the program. */
nn_child *fake_open(const char *config, uint32_t real, const nn_field *request,
                    uint32_t count);

/* Releases it and all within; NULL is fine. */
void fake_close(nn_child *child);

/* Its description. */
nn_iterator_info fake_info(nn_child *child);

/* A batch with room for SIZE samples of CHILD, exactly. */
nn_batch *fake_batch_create(nn_child *child, int64_t size);
void fake_batch_destroy(nn_batch *batch);

/* The interface's functions. */
int32_t fake_start(nn_child *child, uint64_t seed, uint64_t epoch,
                   uint32_t shard, uint32_t n_shards);
int32_t fake_next(nn_child *child, nn_batch *batch);
int32_t fake_seek(nn_child *child, int64_t batch);
int32_t fake_gather(nn_child *child, const int64_t *ids, int64_t count,
                    nn_batch *batch);

/* A field of a request; unused sizes are 0. */
nn_field fake_field(const char *name, uint32_t dtype, uint32_t ndim, int64_t a,
                    int64_t b, int64_t c);

#endif
