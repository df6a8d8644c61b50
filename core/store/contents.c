/* SPDX-License-Identifier: MIT */
/* contents.c - see contents.h.
 *
 * Lists double when they are full.  Duplicates and lookups go through sorted
 * lists of names: no hash, whose collisions a file could choose. */
#include "core/store/contents.h"

#include <stdlib.h>
#include <string.h>

#include <nn/shape.h>

#include "core/util/checked.h"
#include "core/util/error.h"
#include "core/util/text.h"

uint32_t nn_dtype_named(const char *name, size_t length)
{
    uint32_t i;

    for (i = 1; nn_dtype_bytes(i); ++i) {
        const char *known = nn_dtype_name(i);

        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return i;
    }
    return 0;
}

int32_t nn_contents_init(nn_contents *contents, int32_t refusal)
{
    memset(contents, 0, sizeof *contents);
    contents->refusal = refusal;
    return nn_arena_create(&contents->arena);
}

void nn_contents_finish(nn_contents *contents)
{
    free(contents->values);
    free(contents->tensors);
    free(contents->keys);
    free(contents->names);
    nn_arena_destroy(contents->arena);
    memset(contents, 0, sizeof *contents);
}

/* ---- checks ------------------------------------------------------------- */

/* 1 if STRING is UTF-8, and without control characters if it is a NAME. */
static int32_t is_text(const char *string, int32_t name)
{
    size_t left = strlen(string);
    uint32_t code;

    while (left) {
        size_t step = nn_utf8_next(string, left, &code);

        if (!step || (name && (code < 0x20 || (code >= 0x7f && code < 0xa0))))
            return 0;
        string += step;
        left -= step;
    }
    return 1;
}

static int32_t check_name(const nn_contents *contents, const char *what,
                          const char *name)
{
    size_t length = strlen(name);

    if (length && length <= NN_CHECKPOINT_NAME && is_text(name, 1))
        return NN_OK;
    return nn_error_set(contents->refusal, "checkpoint.name",
                        "a %s that is not 1 to %d bytes of UTF-8 without "
                        "control characters",
                        what, NN_CHECKPOINT_NAME);
}

static int32_t check_value(const nn_contents *contents,
                           const nn_stored_value *value)
{
    int32_t code = check_name(contents, "key", value->key);

    if (code || value->type != NN_VALUE_TEXT)
        return code;
    if (!is_text(value->text, 0))
        code = nn_error_set(contents->refusal, "checkpoint.text",
                            "the text \"%.200s\" is not UTF-8", value->key);
    return code;
}

/* 1 if the shape of TENSOR has axes and bytes that can be counted, which
 * *BYTES gets. */
static int32_t count_bytes(const nn_tensor *tensor, int64_t *bytes)
{
    uint32_t i;

    *bytes = nn_dtype_bytes(tensor->dtype);
    if (tensor->ndim > NN_MAX_DIMS)
        return 0;
    for (i = 0; i < tensor->ndim; ++i) {
        if (!nn_checked_mult(*bytes, tensor->shape[i], bytes))
            return 0;
    }
    return 1;
}

static int32_t check_tensor(const nn_contents *contents,
                            const nn_tensor *tensor)
{
    int32_t code = check_name(contents, "group", tensor->group);
    const char *problem = NULL;
    int64_t bytes;

    if (!code)
        code = check_name(contents, "name", tensor->name);
    if (code)
        return code;
    if (!nn_dtype_bytes(tensor->dtype))
        problem = "an unknown element type";
    else if (!count_bytes(tensor, &bytes))
        problem = "an impossible shape";
    else if (bytes != tensor->bytes)
        problem = "another number of bytes than its shape makes";
    else if (bytes && !tensor->data)
        problem = "no data";
    if (problem)
        code = nn_error_set(contents->refusal, "checkpoint.tensor",
                            "tensor \"%.200s\" of \"%.200s\" has %s",
                            tensor->name, tensor->group, problem);
    return code;
}

/* ---- lists -------------------------------------------------------------- */

/* Makes room in *LIST for one more than COUNT elements of SIZE bytes, of which
 * there may be LIMIT.  Full when COUNT is 0 or a power of two. */
static int32_t grow(const nn_contents *contents, void *list, uint32_t count,
                    size_t size, uint32_t limit)
{
    size_t room = count ? 2 * (size_t)count : 1;
    void *old;
    void *grown;

    if (count >= limit)
        return nn_error_set(contents->refusal, "checkpoint.too-many",
                            "more than %u values or tensors", limit);
    if (count & (count - 1))
        return NN_OK;
    memcpy(&old, list, sizeof old);
    grown = realloc(old, room * size);
    if (!grown)
        return nn_error_no_memory("a list in a checkpoint", room * size);
    memcpy(list, &grown, sizeof grown);
    return NN_OK;
}

int32_t nn_contents_add_value(nn_contents *contents,
                              const nn_stored_value *value)
{
    int32_t code = check_value(contents, value);

    if (!code)
        code = grow(contents, &contents->values, contents->n_values,
                    sizeof *value, NN_CHECKPOINT_VALUES);
    if (!code)
        contents->values[contents->n_values++] = *value;
    return code;
}

int32_t nn_contents_add_tensor(nn_contents *contents,
                               const nn_stored_tensor *tensor)
{
    int32_t code = check_tensor(contents, &tensor->tensor);

    if (!code)
        code = grow(contents, &contents->tensors, contents->n_tensors,
                    sizeof *tensor, NN_CHECKPOINT_TENSORS);
    if (!code)
        contents->tensors[contents->n_tensors++] = *tensor;
    return code;
}

/* ---- names -------------------------------------------------------------- */

static int compare_names(const void *left, const void *right)
{
    const nn_stored_name *a = left;
    const nn_stored_name *b = right;
    int order = strcmp(a->name, b->name);

    return order ? order : strcmp(a->group, b->group);
}

/* Sorts COUNT names; refuses a pair of equal ones. */
static int32_t sort_names(const nn_contents *contents, nn_stored_name *names,
                          uint32_t count)
{
    uint32_t i;

    if (count)
        qsort(names, count, sizeof *names, compare_names);
    for (i = 1; i < count; ++i) {
        if (compare_names(&names[i - 1], &names[i]) == 0)
            return nn_error_set(contents->refusal, "checkpoint.duplicate",
                                "%s \"%.200s\" is there twice",
                                names[i].group[0] ? "tensor" : "key",
                                names[i].name);
    }
    return NN_OK;
}

/* COUNT names in *NAMES, in place of those of an earlier sort. */
static int32_t make_names(nn_stored_name **names, uint32_t count)
{
    free(*names);
    *names = calloc((size_t)count + 1, sizeof **names);
    return *names ? NN_OK
                  : nn_error_no_memory("the names in a checkpoint",
                                       ((uint64_t)count + 1) * sizeof **names);
}

int32_t nn_contents_sort(nn_contents *contents)
{
    int32_t code = make_names(&contents->keys, contents->n_values);
    uint32_t i;

    if (!code)
        code = make_names(&contents->names, contents->n_tensors);
    if (code)
        return code;
    for (i = 0; i < contents->n_values; ++i) {
        contents->keys[i].group = "";
        contents->keys[i].name = contents->values[i].key;
        contents->keys[i].index = i;
    }
    for (i = 0; i < contents->n_tensors; ++i) {
        contents->names[i].group = contents->tensors[i].tensor.group;
        contents->names[i].name = contents->tensors[i].tensor.name;
        contents->names[i].index = i;
    }
    code = sort_names(contents, contents->keys, contents->n_values);
    if (!code)
        code = sort_names(contents, contents->names, contents->n_tensors);
    return code;
}

/* Where GROUP and NAME stand among COUNT sorted NAMES, or NULL. */
static const nn_stored_name *search(const nn_stored_name *names, uint32_t count,
                                    const char *group, const char *name)
{
    const nn_stored_name wanted = {group, name, 0};

    if (!count)
        return NULL;
    return bsearch(&wanted, names, count, sizeof *names, compare_names);
}

const nn_stored_value *nn_contents_value(const nn_contents *contents,
                                         const char *key)
{
    const nn_stored_name *found = search(contents->keys, contents->n_values, "",
                                         key);

    return found ? &contents->values[found->index] : NULL;
}

const nn_stored_tensor *nn_contents_tensor(const nn_contents *contents,
                                           const char *group, const char *name)
{
    const nn_stored_name *found = search(contents->names, contents->n_tensors,
                                         group, name);

    return found ? &contents->tensors[found->index] : NULL;
}
