/* SPDX-License-Identifier: MIT */
/* examine.c - a call before and after it runs.
 *
 * Before: every view lies in memory of this handler, inside one buffer that is
 * alive, and what is read was written.  After: nothing but the declared output
 * changed, and no NaN or infinity came out of finite numbers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "debug.h"

static int is_written(const struct operand *operand)
{
    return (operand->role & NN_ROLE_OUT) != 0;
}

static int is_read(const struct operand *operand)
{
    uint32_t role = operand->role & 3u;

    return role != NN_ROLE_OUT || operand->array->mode == NN_ADD;
}

static int is_real(const nn_array *array)
{
    return array->dtype == NN_FLOAT32 || array->dtype == NN_FLOAT64;
}

__attribute__((format(printf, 5, 6))) static void found(struct call *call,
                                                        int32_t harmful,
                                                        int32_t code,
                                                        const char *what,
                                                        const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ++call->found;
    call->harmful |= harmful;
    debug_finding(call->handler, call, call->name, code, what, "%s", text);
}

/* ---- memory ------------------------------------------------------------ */

/* Is OPERAND in a block of this handler? */
static int locate(struct call *call, struct operand *operand)
{
    const nn_array *array = operand->array;
    const nn_handler *handler = call->handler;

    if (!array->memory) {
        found(call, 1, NN_INVALID_ARGUMENT, "memory", "%s has no memory",
              operand->name);
        return 0;
    }
    if (!debug_memory_is_own(handler, array->memory)) {
        int freed = debug_memory_was_own(handler, array->memory);

        found(call, 1, NN_INVALID_ARGUMENT, freed ? "freed" : "foreign",
              freed ? "the memory of %s was released"
                    : "the memory of %s is none of this handler's",
              operand->name);
        return 0;
    }
    if (array->offset < 0 || array->offset > array->memory->bytes ||
        extent_of(array) > array->memory->bytes - array->offset) {
        found(call, 1, NN_INVALID_ARGUMENT, "bounds",
              "%s leaves its memory of %lld bytes by %lld", operand->name,
              (long long)array->memory->bytes,
              (long long)(array->offset + extent_of(array) -
                          array->memory->bytes));
        return 0;
    }
    return 1;
}

/* The first byte of COUNT that is not STATE, or COUNT. */
static int64_t run_of(const uint8_t *shadow, uint8_t state, int64_t count)
{
    int64_t i;

    if (count && shadow[0] == state &&
        !memcmp(shadow, shadow + 1, (size_t)count - 1))
        return count;
    for (i = 0; i < count && shadow[i] == state;)
        ++i;
    return i;
}

/* Tells of element (ROW, COLUMN) of OPERAND, whose shadow is STATE. */
static void tell_state(struct call *call, const struct operand *operand,
                       int64_t row, int64_t column, uint8_t state)
{
    switch (state) {
    case BYTE_NOBODY:
        found(call, 1, NN_INVALID_ARGUMENT, "bounds",
              "row %lld, column %lld of %s lies outside of every buffer",
              (long long)row, (long long)column, operand->name);
        break;
    case BYTE_DEAD:
        found(call, 0, NN_INVALID_ARGUMENT, "dead",
              "row %lld, column %lld of %s is in a buffer whose life has ended",
              (long long)row, (long long)column, operand->name);
        break;
    default:
        found(call, 0, NN_INVALID_ARGUMENT, "unwritten",
              "row %lld, column %lld of %s is read, and nothing wrote it",
              (long long)row, (long long)column, operand->name);
        break;
    }
}

/* What the shadow says of the elements of OPERAND: one finding at most. */
static void check_shadow(struct call *call, const struct operand *operand)
{
    const nn_array *array = operand->array;
    int64_t element = nn_dtype_bytes(array->dtype);
    int64_t bytes = nn_columns(array) * element;
    int64_t row;
    int64_t i;

    for (row = 0; row < nn_rows(array); ++row) {
        const uint8_t *shadow = array->memory->shadow + array->offset +
                                row * array->pitch * element;

        i = run_of(shadow, BYTE_WRITTEN, bytes);
        while (i < bytes && !is_read(operand) && shadow[i] == BYTE_UNWRITTEN)
            i += 1 + run_of(shadow + i + 1, BYTE_UNWRITTEN, bytes - i - 1);
        while (i < bytes && !is_read(operand) && shadow[i] <= BYTE_WRITTEN)
            ++i;
        if (i < bytes) {
            tell_state(call, operand, row, i / element, shadow[i]);
            return;
        }
    }
}

/* ---- numbers ----------------------------------------------------------- */

static double element_at(const nn_array *array, const char *bytes, int64_t i)
{
    return array->dtype == NN_FLOAT32
               ? (double)((const float *)(const void *)bytes)[i]
               : ((const double *)(const void *)bytes)[i];
}

/* The bytes of ARRAY through the inner handler, to be given back; NULL after
 * an error. */
static const char *look(const struct call *call, const nn_array *array)
{
    return call->handler->inner->map(call->handler->self, array->memory->inner,
                                     array->offset + GUARD, extent_of(array),
                                     NN_MAP_READ);
}

static void give_back(const struct call *call, const nn_array *array,
                      const char *bytes)
{
    call->handler->inner->unmap(call->handler->self, array->memory->inner,
                                (void *)(uintptr_t)bytes, NN_MAP_READ);
}

/* The first element that is not finite as row * columns + column, or -1. */
static int64_t first_not_finite(const struct call *call, const nn_array *array)
{
    const char *bytes = look(call, array);
    int64_t found_at = -1;
    int64_t row;
    int64_t i;

    for (row = 0; bytes && row < nn_rows(array) && found_at < 0; ++row)
        for (i = 0; i < nn_columns(array) && found_at < 0; ++i)
            if (!isfinite(element_at(array, bytes, row * array->pitch + i)))
                found_at = row * nn_columns(array) + i;
    if (bytes)
        give_back(call, array, bytes);
    return found_at;
}

/* FNV-1a of the elements of ARRAY. */
static uint64_t sum_of(const struct call *call, const nn_array *array)
{
    const char *bytes = look(call, array);
    int64_t element = nn_dtype_bytes(array->dtype);
    uint64_t sum = 14695981039346656037u;
    int64_t row;
    int64_t i;

    for (row = 0; bytes && row < nn_rows(array); ++row)
        for (i = 0; i < nn_columns(array) * element; ++i)
            sum = (sum ^ (uint8_t)bytes[row * array->pitch * element + i]) *
                  1099511628211u;
    if (bytes)
        give_back(call, array, bytes);
    return sum;
}

/* ---- before ------------------------------------------------------------ */

/* Keeps the bytes of OPERAND and GUARD bytes on both sides. */
static void copy_around(struct call *call, struct operand *operand)
{
    const nn_handler *handler = call->handler;
    const nn_array *array = operand->array;
    const char *bytes;

    operand->copy_first = array->offset; /* GUARD before it in the inner one */
    operand->copy_bytes = extent_of(array) + 2 * GUARD;
    operand->copy = handler->host->alloc(handler->host,
                                         (size_t)operand->copy_bytes);
    if (!operand->copy)
        return;
    bytes = handler->inner->map(handler->self, array->memory->inner,
                                operand->copy_first, operand->copy_bytes,
                                NN_MAP_READ);
    if (bytes) {
        memcpy(operand->copy, bytes, (size_t)operand->copy_bytes);
        handler->inner->unmap(handler->self, array->memory->inner,
                              (void *)(uintptr_t)bytes, NN_MAP_READ);
        return;
    }
    handler->host->free(handler->host, operand->copy);
    operand->copy = NULL;
}

static void prepare(struct call *call, struct operand *operand)
{
    const nn_array *array = operand->array;

    operand->inner = *array;
    operand->inner.memory = array->memory->inner;
    operand->inner.offset = array->offset + GUARD;
    check_shadow(call, operand);
    if (is_read(operand) && is_real(array) &&
        nn_param_int(call->handler->params, NOT_FINITE) &&
        first_not_finite(call, array) >= 0)
        call->finite = 0;
    if (is_written(operand))
        copy_around(call, operand);
    else if (nn_param_int(call->handler->params, THOROUGH))
        operand->sum = sum_of(call, array);
}

void debug_examine_before(struct call *call)
{
    const nn_handler *handler = call->handler;
    uint32_t i;

    call->finite = 1;
    if (handler->began && handler->whose == NN_TRACK_OUTSIDE)
        found(call, 0, NN_STATE, "outside",
              "it is called outside of forward, backward and step");
    for (i = 0; i < call->n; ++i) {
        struct operand *operand = &call->operands[i];

        if (operand->array)
            operand->inner = *operand->array;
        if (!nn_wanted(operand->array))
            continue;
        operand->used = locate(call, operand);
        if (operand->used)
            prepare(call, operand);
    }
}

/* ---- indices ----------------------------------------------------------- */

/* Which operand of OPERATION holds indices, and their limit in *LIMIT; -1 for
 * none. */
static int32_t index_operand(const struct call *call, int64_t *limit)
{
    const struct operand *o = call->operands;

    switch (call->operation) {
    case NN_OP_GATHER_M_BY_V:
        *limit = nn_rows(o[0].array);
        return 1;
    case NN_OP_SCATTER_M_BY_V:
        *limit = nn_rows(o[2].array);
        return 1;
    case NN_OP_INDEX_M_BY_V:
        *limit = nn_columns(o[0].array);
        return 1;
    case NN_OP_SCATTER_V_BY_V:
        *limit = nn_columns(o[2].array);
        return 1;
    case NN_OP_ONE_HOT_V:
        *limit = nn_columns(o[1].array);
        return 0;
    default:
        return -1;
    }
}

void debug_examine_indices(struct call *call)
{
    int64_t limit = 0;
    int32_t which = index_operand(call, &limit);
    const nn_array *array;
    const char *bytes;
    int64_t row;
    int64_t i;

    if (which < 0 || call->harmful || !call->operands[which].used)
        return;
    array = call->operands[which].array;
    bytes = look(call, array);
    for (row = 0; bytes && row < nn_rows(array); ++row)
        for (i = 0; i < nn_columns(array); ++i) {
            int32_t value = ((
                const int32_t *)(const void *)bytes)[row * array->pitch + i];

            if (value >= 0 && value < limit)
                continue;
            found(call, 1, NN_INVALID_ARGUMENT, "index",
                  "%s[%lld] is %d, outside of 0 to %lld",
                  call->operands[which].name,
                  (long long)(row * nn_columns(array) + i), value,
                  (long long)limit - 1);
            row = nn_rows(array);
            break;
        }
    if (bytes)
        give_back(call, array, bytes);
}

/* ---- after ------------------------------------------------------------- */

/* 1 if byte AT of the block that ARRAY lies in is of one of its elements. */
static int holds(const nn_array *array, int64_t at)
{
    int64_t element = nn_dtype_bytes(array->dtype);
    int64_t step = array->pitch * element;
    int64_t from = at - array->offset;

    return from >= 0 && from < extent_of(array) &&
           from % step < nn_columns(array) * element;
}

/* 1 if CALL may write byte AT of MEMORY. */
static int may_write(const struct call *call, const nn_memory *memory,
                     int64_t at)
{
    uint32_t i;

    for (i = 0; i < call->n; ++i) {
        const struct operand *operand = &call->operands[i];

        if (operand->used && is_written(operand) &&
            operand->array->memory == memory && holds(operand->array, at))
            return 1;
    }
    return 0;
}

/* Compares what lies around and between the rows of OPERAND. */
static void compare_around(struct call *call, const struct operand *operand)
{
    const nn_handler *handler = call->handler;
    nn_memory *memory = operand->array->memory;
    const uint8_t *now = handler->inner->map(handler->self, memory->inner,
                                             operand->copy_first,
                                             operand->copy_bytes, NN_MAP_READ);
    int64_t wrong = -1;
    int64_t i;

    for (i = 0; now && i < operand->copy_bytes && wrong < 0; ++i)
        if (now[i] != operand->copy[i] &&
            !may_write(call, memory, operand->copy_first + i - GUARD))
            wrong = i;
    if (now)
        handler->inner->unmap(handler->self, memory->inner,
                              (void *)(uintptr_t)now, NN_MAP_READ);
    if (wrong < 0)
        return;
    if (wrong < GUARD || wrong >= operand->copy_bytes - GUARD)
        found(call, 0, NN_INTERNAL, "guard",
              "%lld bytes %s %s something was written",
              (long long)(wrong < GUARD
                              ? GUARD - wrong
                              : wrong - (operand->copy_bytes - GUARD)),
              wrong < GUARD ? "before" : "behind", operand->name);
    else
        found(call, 0, NN_INTERNAL, "gap",
              "between the rows of %s, at byte %lld from its start, something "
              "was written",
              operand->name, (long long)(wrong - GUARD));
}

void debug_examine_written(const nn_array *array)
{
    int64_t element = nn_dtype_bytes(array->dtype);
    int64_t row;

    for (row = 0; row < nn_rows(array); ++row)
        memset(array->memory->shadow + array->offset +
                   row * array->pitch * element,
               BYTE_WRITTEN, (size_t)(nn_columns(array) * element));
}

static void check_finite(struct call *call, const struct operand *operand)
{
    int64_t at;

    if (!call->finite || !is_real(operand->array) ||
        !nn_param_int(call->handler->params, NOT_FINITE))
        return;
    at = first_not_finite(call, operand->array);
    if (at >= 0)
        found(call, 0, NN_NOT_FINITE, "not-finite",
              "row %lld, column %lld of %s is NaN or infinite, and nothing "
              "that was read is",
              (long long)(at / nn_columns(operand->array)),
              (long long)(at % nn_columns(operand->array)), operand->name);
}

void debug_examine_error(struct call *call)
{
    nn_handler *handler = call->handler;
    const char *id = NULL;
    const char *text = NULL;
    char place[256];
    int32_t late = handler->inner->synchronize(handler->self);
    int32_t code = handler->handlers->error(handler->child, &id, &text);

    if ((!code && !late) || handler->code)
        return;
    handler->code = code ? code : late;
    snprintf(handler->id, sizeof handler->id, "%s", id ? id : "debug.inner");
    snprintf(handler->text, sizeof handler->text, "%s (%s%s)",
             text ? text : "the inner handler failed without a message",
             call->name, debug_findings_place(handler, place));
}

void debug_examine_skipped(struct call *call)
{
    uint32_t i;

    for (i = 0; i < call->n; ++i) {
        struct operand *operand = &call->operands[i];

        if (operand->used && is_written(operand))
            debug_examine_written(operand->array);
        operand->used = 0;
    }
}

void debug_examine_after(struct call *call)
{
    const nn_host *host = call->handler->host;
    uint32_t i;

    for (i = 0; i < call->n; ++i) {
        struct operand *operand = &call->operands[i];

        if (!operand->used)
            continue;
        if (is_written(operand)) {
            if (operand->copy)
                compare_around(call, operand);
            debug_examine_written(operand->array);
            check_finite(call, operand);
        } else if (nn_param_int(call->handler->params, THOROUGH) &&
                   sum_of(call, operand->array) != operand->sum &&
                   !may_write(call, operand->array->memory,
                              operand->array->offset)) {
            found(call, 0, NN_INTERNAL, "input", "%s was changed",
                  operand->name);
        }
    }
    for (i = 0; i < call->n; ++i)
        host->free(host, call->operands[i].copy);
}
