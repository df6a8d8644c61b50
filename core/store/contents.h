/* SPDX-License-Identifier: MIT */
/* contents.h - the values and tensors of a checkpoint in memory.
 *
 * Writer and reader add to the same lists through the same checks, so nothing
 * is written that would not be read. */
#ifndef NN_CORE_STORE_CONTENTS_H
#define NN_CORE_STORE_CONTENTS_H

#include "core/store/checkpoint.h"
#include "core/util/arena.h"

/* Longest key, group or name, in bytes. */
#define NN_CHECKPOINT_NAME 1024

/* Most values and tensors of a checkpoint: small entries of a file take ten
 * times as much memory, and this bounds it. */
#define NN_CHECKPOINT_VALUES 65536u
#define NN_CHECKPOINT_TENSORS 262144u

/* Type of a value. */
enum nn_value_type { NN_VALUE_TEXT = 1, NN_VALUE_INT, NN_VALUE_REAL };

typedef struct nn_stored_value {
    const char *key;
    enum nn_value_type type;
    const char *text;
    int64_t integer;
    double real;
} nn_stored_value;

typedef struct nn_stored_tensor {
    nn_tensor tensor;
    int64_t offset; /* from the start of the data in the file */
    uint32_t crc;   /* of its bytes in the file */
} nn_stored_tensor;

/* A name in the sorted list of them; keys have the group "". */
typedef struct nn_stored_name {
    const char *group;
    const char *name;
    uint32_t index;
} nn_stored_name;

typedef struct nn_contents {
    nn_arena *arena; /* names and texts */
    int32_t refusal; /* the code of what is not allowed: NN_INVALID_ARGUMENT
                        for what a caller puts, NN_FORMAT for a file */
    nn_stored_value *values;
    nn_stored_tensor *tensors;
    nn_stored_name *keys;  /* sorted; made by nn_contents_sort */
    nn_stored_name *names; /* the same for tensors */
    uint32_t n_values;
    uint32_t n_tensors;
} nn_contents;

/* Empty contents.  Finish is fine after init failed.  [any] */
int32_t nn_contents_init(nn_contents *contents, int32_t refusal);
void nn_contents_finish(nn_contents *contents);

/* Adds a value whose strings live as long as the contents, or a tensor, whose
 * names and data do.  Refuses bad names, text that is not UTF-8, unknown
 * element types, more than NN_MAX_DIMS axes, and `bytes` that are not what
 * shape and type make.  [any] */
int32_t nn_contents_add_value(nn_contents *contents,
                              const nn_stored_value *value);
int32_t nn_contents_add_tensor(nn_contents *contents,
                               const nn_stored_tensor *tensor);

/* Sorts the names once all are there; refuses what is there twice.  [any] */
int32_t nn_contents_sort(nn_contents *contents);

/* After the sort: what has that name, or NULL.  [any] */
const nn_stored_value *nn_contents_value(const nn_contents *contents,
                                         const char *key);
const nn_stored_tensor *nn_contents_tensor(const nn_contents *contents,
                                           const char *group, const char *name);

/* The element type whose nn_dtype_name are the LENGTH bytes at NAME; 0 for an
 * unknown one.  [any] */
uint32_t nn_dtype_named(const char *name, size_t length);

#endif
