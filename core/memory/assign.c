/* SPDX-License-Identifier: MIT */
/* assign.c - offsets in the blocks, and the arrays that follow from them.
 *
 * Parameters, gradients and state lie one behind the other in the order of the
 * layers.  In the arena a record gets the smallest free range that holds it
 * when it is born, and gives it back when it dies; records are taken in the
 * order of birth, larger ones first.  With redzones nothing is given back. */
#include "core/memory/layout.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/checked.h"
#include "core/util/error.h"

#define ALIGNMENT 64

static int64_t open_size(int64_t dim, int64_t T, int64_t B)
{
    return dim == NN_T ? T : dim == NN_B ? B : dim;
}

int64_t nn_layout_frame_elements(const nn_record *record, int64_t B)
{
    int64_t elements = 1;
    uint32_t i;

    for (i = record->shape.dims[0] == NN_T ? 1 : 0; i < record->shape.ndim; ++i)
        elements *= open_size(record->shape.dims[i], 1, B);
    return elements;
}

int64_t nn_layout_carry_bytes(const nn_record *record, int64_t B)
{
    return record->carry < 0
               ? 0
               : record->context_before * nn_layout_frame_elements(record, B) *
                     nn_dtype_bytes(record->shape.dtype);
}

/* Bytes of one copy of RECORD with its frames of context, or -1 if they do not
 * fit. */
static int64_t copy_bytes(const nn_record *record, int64_t T, int64_t B)
{
    int64_t bytes = nn_dtype_bytes(record->shape.dtype);
    uint32_t i;

    if (record->fixed_bytes)
        bytes = record->fixed_bytes;
    for (i = 0; i < record->shape.ndim && !record->fixed_bytes; ++i) {
        int64_t size = open_size(record->shape.dims[i], T, B);

        if (i == 0 && record->shape.dims[0] == NN_T &&
            (!nn_checked_add(size, record->context_before, &size) ||
             !nn_checked_add(size, record->context_after, &size)))
            return -1;
        if (!nn_checked_mult(bytes, size, &bytes))
            return -1;
    }
    return bytes < INT64_MAX / 4 ? bytes : -1;
}

int64_t nn_layout_run_bytes(const nn_record *record, int64_t T, int64_t B)
{
    return record->frames ? nn_align_up(copy_bytes(record, T, B), ALIGNMENT)
                          : 0;
}

/* Bytes of RECORD with its frames of context and the copies for all runs, or
 * -1 if they do not fit. */
static int64_t record_bytes(const nn_record *record, int64_t T, int64_t B)
{
    int64_t bytes = copy_bytes(record, T, B);

    if (record->frames && bytes >= 0 &&
        !nn_checked_mult(nn_align_up(bytes, ALIGNMENT),
                         (T - 1) / record->frames + 1, &bytes))
        return -1;
    return bytes;
}

static int32_t too_large(const nn_record *record)
{
    return nn_error_set(NN_NO_MEMORY, "layout.too-large",
                        "out of memory: buffer '%s' is too large for any "
                        "memory",
                        record->path);
}

/* ---- blocks that grow from front to end -------------------------------- */

static int32_t assign_linear(nn_layout *layout, uint32_t block)
{
    int64_t offset = 0;
    int32_t i;

    for (i = 0; i < layout->n_records; ++i) {
        nn_record *record = &layout->records[i];

        if (record->block != block || record->alias >= 0)
            continue;
        offset = nn_align_up(offset, ALIGNMENT) + layout->redzone;
        record->offset = offset;
        if (!nn_checked_add(offset, record->bytes, &offset) ||
            offset > INT64_MAX / 4)
            return too_large(record);
        offset += layout->redzone;
    }
    layout->bytes[block] = nn_align_up(offset, ALIGNMENT);
    return NN_OK;
}

/* ---- the arena --------------------------------------------------------- */

typedef struct range {
    int64_t offset;
    int64_t bytes;
} range;

typedef struct placer {
    range *free; /* sorted by offset, never adjacent */
    int32_t n_free;
    int64_t end; /* of the arena so far */
} placer;

/* Takes BYTES from the smallest free range that holds them, or the end. */
static int64_t take(placer *p, int64_t bytes)
{
    int32_t best = -1;
    int32_t i;
    int64_t offset;

    for (i = 0; i < p->n_free; ++i)
        if (p->free[i].bytes >= bytes &&
            (best < 0 || p->free[i].bytes < p->free[best].bytes))
            best = i;
    if (best >= 0) {
        offset = p->free[best].offset;
        p->free[best].offset += bytes;
        p->free[best].bytes -= bytes;
        if (p->free[best].bytes == 0) {
            --p->n_free;
            memmove(&p->free[best], &p->free[best + 1],
                    (size_t)(p->n_free - best) * sizeof *p->free);
        }
        return offset;
    }
    if (p->n_free &&
        p->free[p->n_free - 1].offset + p->free[p->n_free - 1].bytes ==
            p->end) {
        offset = p->free[--p->n_free].offset; /* grow the last free range */
    } else {
        offset = p->end;
    }
    p->end = offset + bytes;
    return offset;
}

/* Gives a range back, merged with its neighbours. */
static void give(placer *p, int64_t offset, int64_t bytes)
{
    int32_t at = 0;

    while (at < p->n_free && p->free[at].offset < offset)
        ++at;
    memmove(&p->free[at + 1], &p->free[at],
            (size_t)(p->n_free - at) * sizeof *p->free);
    p->free[at].offset = offset;
    p->free[at].bytes = bytes;
    ++p->n_free;
    if (at + 1 < p->n_free && offset + bytes == p->free[at + 1].offset) {
        p->free[at].bytes += p->free[at + 1].bytes;
        --p->n_free;
        memmove(&p->free[at + 1], &p->free[at + 2],
                (size_t)(p->n_free - at - 1) * sizeof *p->free);
    }
    if (at > 0 && p->free[at - 1].offset + p->free[at - 1].bytes == offset) {
        p->free[at - 1].bytes += p->free[at].bytes;
        --p->n_free;
        memmove(&p->free[at], &p->free[at + 1],
                (size_t)(p->n_free - at) * sizeof *p->free);
    }
}

/* An index of records, and what to order it by. */
typedef struct entry {
    int32_t key;
    int32_t record;
    int64_t bytes;
} entry;

static int by_birth(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->record < y->record ? -1 : 1;
}

/* Entries of all arena records that live, sorted by first or last step. */
static int32_t list_records(const nn_layout *layout, int deaths, entry *list)
{
    int32_t count = 0;
    int32_t i;

    for (i = 0; i < layout->n_records; ++i) {
        const nn_record *record = &layout->records[i];

        if (record->block != NN_BLOCK_ARENA || record->alias >= 0 ||
            record->first < 0)
            continue;
        list[count++] = (entry){deaths ? record->last : record->first, i,
                                record->bytes};
    }
    qsort(list, (size_t)count, sizeof *list, by_birth);
    return count;
}

static int64_t padded(const nn_layout *layout, const nn_record *record)
{
    return nn_align_up(record->bytes, ALIGNMENT) + 2 * layout->redzone;
}

static int32_t assign_arena(nn_layout *layout)
{
    size_t room = (size_t)layout->n_records + 2;
    entry *births = calloc(room, sizeof *births);
    entry *deaths = calloc(room, sizeof *deaths);
    placer p = {calloc(room, sizeof *p.free), 0, 0};
    int32_t code = NN_OK;
    int32_t count;
    int32_t dead = 0;
    int32_t i;

    if (!births || !deaths || !p.free) {
        code = nn_error_no_memory("the layout", 3 * room * sizeof *births);
        goto out;
    }
    count = list_records(layout, 0, births);
    list_records(layout, 1, deaths);
    for (i = 0; i < count && !code; ++i) {
        nn_record *record = &layout->records[births[i].record];

        for (; !layout->redzone && deaths[dead].key < record->first; ++dead) {
            const nn_record *gone = &layout->records[deaths[dead].record];

            give(&p, gone->offset - layout->redzone, padded(layout, gone));
        }
        record->offset = take(&p, padded(layout, record)) + layout->redzone;
        if (p.end > INT64_MAX / 4)
            code = too_large(record);
    }
    layout->bytes[NN_BLOCK_ARENA] = p.end;
out:
    free(births);
    free(deaths);
    free(p.free);
    return code;
}

/* Room for the frames that are carried from pass to pass: those before frame
 * 0 of what forward writes. */
static int32_t assign_carry(nn_layout *layout, int64_t B)
{
    int64_t offset = 0;
    int32_t i;

    for (i = 0; i < layout->n_records; ++i) {
        nn_record *record = &layout->records[i];

        if (!record->context_before || !record->declared ||
            (record->declared->flags & NN_BUFFER_BACKWARD_ONLY))
            continue;
        record->carry = offset + layout->redzone;
        offset += nn_align_up(nn_layout_carry_bytes(record, B), ALIGNMENT) +
                  2 * layout->redzone;
        if (offset > INT64_MAX / 4)
            return too_large(record);
    }
    layout->bytes[NN_BLOCK_CARRY] = offset;
    return NN_OK;
}

int32_t nn_layout_assign(nn_layout *layout, int64_t T, int64_t B)
{
    int32_t code = NN_OK;
    int32_t i;

    if (T < 1 || B < 1)
        return nn_error_set(NN_INVALID_ARGUMENT, "layout.size",
                            "a network for %lld time steps and %lld samples "
                            "at a time is impossible",
                            (long long)T, (long long)B);
    layout->T = T;
    layout->B = B;
    for (i = 0; i < layout->n_records; ++i) {
        nn_record *record = &layout->records[i];

        record->bytes = record_bytes(record, T, B);
        if (record->bytes < 0 || record->bytes > INT64_MAX / 4)
            return too_large(record);
    }
    code = assign_linear(layout, NN_BLOCK_PARAMETERS);
    if (!code)
        code = assign_linear(layout, NN_BLOCK_GRADIENTS);
    if (!code)
        code = assign_linear(layout, NN_BLOCK_STATE);
    if (!code)
        code = assign_arena(layout);
    if (!code)
        code = assign_carry(layout, B);
    return code;
}

int64_t nn_layout_largest_batch(nn_layout *layout, int64_t limit)
{
    int64_t T = layout->T;
    int64_t B = layout->B;
    int64_t low = 0;
    int64_t high = B;

    while (low + 1 < high) {
        int64_t middle = low + (high - low) / 2;
        int64_t total = 0;
        int fits = !nn_layout_assign(layout, T, middle);
        int i;

        for (i = 0; i < (int)NN_BLOCKS; ++i)
            total += layout->bytes[i];
        if (fits && total <= limit)
            low = middle;
        else
            high = middle;
    }
    nn_layout_assign(layout, T, B);
    return low;
}

/* ---- arrays ------------------------------------------------------------ */

nn_array nn_layout_array(const nn_layout *layout, int32_t index, int64_t T,
                         int64_t B)
{
    const nn_record *record = &layout->records[index];
    const nn_record *root = record;
    nn_array array;
    uint32_t i;

    memset(&array, 0, sizeof array);
    array.dtype = record->shape.dtype;
    array.ndim = record->shape.ndim;
    for (i = 0; i < array.ndim; ++i)
        array.shape[i] = open_size(record->shape.dims[i], T, B);
    array.pitch = nn_columns(&array);
    while (root->alias >= 0) {
        array.offset += root->alias_offset;
        if (root->strided || array.pitch != nn_columns(&array)) {
            const nn_record *holder = &layout->records[root->alias];

            array.pitch = holder->shape.dims[holder->shape.ndim - 1];
        }
        root = &layout->records[root->alias];
    }
    array.offset += root->offset;
    if (record->context_before)
        array.offset += record->context_before *
                        nn_layout_frame_elements(record, B) *
                        nn_dtype_bytes(array.dtype);
    return array;
}

nn_array nn_layout_view(const nn_layout *layout, const nn_view *view, int64_t T,
                        int64_t B)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    if (view->record < 0)
        return array;
    array = nn_layout_array(layout, view->record, T, B);
    if (view->count)
        array = nn_column_slice(&array, view->first, view->count);
    array.mode = view->mode;
    return array;
}

/* "layer.W" is short for "layer.parameters.W". */
static int is_short_for(const char *path, const char *full)
{
    const char *dot = strrchr(path, '.');
    size_t length = dot ? (size_t)(dot - path) : 0;

    return dot && !strncmp(full, path, length) &&
           !strncmp(full + length, ".parameters", 11) &&
           !strcmp(full + length + 11, dot);
}

int32_t nn_layout_find(const nn_layout *layout, const char *path)
{
    int32_t i;

    for (i = 0; i < layout->n_records; ++i)
        if (!strcmp(layout->records[i].path, path))
            return i;
    for (i = 0; i < layout->n_records; ++i)
        if (is_short_for(path, layout->records[i].path))
            return i;
    return -1;
}
