/* SPDX-License-Identifier: MIT */
/* on_host.c - the last resort: map the operands, run the reference, unmap.
 *
 * A mapped range may not be mapped again, so ranges that share bytes (work in
 * place, columns of one array beside each other) are joined and mapped once.
 * A range is mapped WRITE alone only if all its bytes are written. */
#include <stdio.h>

#include "core/reference/compose.h"
#include "core/reference/reference.h"
#include "core/reference/signature.h"

/* Bytes BEGIN to END - 1 of a block. */
typedef struct range {
    nn_memory *memory;
    int64_t begin;
    int64_t end;
    uint32_t access;
    char *host; /* where it is mapped */
} range;

typedef struct mapping {
    uint32_t n_ranges;
    range ranges[NN_BASE_OPERANDS];
    uint32_t of_operand[NN_BASE_OPERANDS]; /* index of its range */
} mapping;

static const char *id_of(int32_t code)
{
    switch (code) {
    case NN_SHAPE:
        return "operation.shape";
    case NN_UNSUPPORTED:
        return "operation.unsupported";
    case NN_DEVICE:
        return "handler.map";
    default:
        return "operation.argument";
    }
}

static range range_of(const nn_array *array, int is_output)
{
    range made = {array->memory, array->offset,
                  array->offset + nn_array_extent(array), NN_MAP_READ, NULL};

    if (is_output)
        made.access = array->mode == NN_WRITE && nn_is_dense(array)
                          ? NN_MAP_WRITE
                          : NN_MAP_READ | NN_MAP_WRITE;
    return made;
}

static int meet(const range *a, const range *b)
{
    return a->memory == b->memory && a->begin < b->end && b->begin < a->end;
}

/* Joins range FROM into range TO and closes the gap. */
static void join(mapping *m, uint32_t to, uint32_t from, uint32_t n_operands)
{
    range *a = &m->ranges[to];
    const range *b = &m->ranges[from];
    uint32_t i;

    if (a->begin > b->begin)
        a->begin = b->begin;
    if (a->end < b->end)
        a->end = b->end;
    a->access |= b->access;
    for (i = 0; i < n_operands; ++i) {
        if (m->of_operand[i] == from)
            m->of_operand[i] = to;
        else if (m->of_operand[i] > from)
            --m->of_operand[i];
    }
    --m->n_ranges;
    for (i = from; i < m->n_ranges; ++i)
        m->ranges[i] = m->ranges[i + 1];
}

/* One range an operand; absent and DISCARD ones have none. */
static void collect(mapping *m, const nn_array *const *operands, uint32_t n)
{
    uint32_t i;
    uint32_t j;

    m->n_ranges = 0;
    for (i = 0; i < n; ++i) {
        m->of_operand[i] = m->n_ranges;
        if (nn_wanted(operands[i]))
            m->ranges[m->n_ranges++] = range_of(operands[i], i + 1 == n);
    }
    for (i = 0; i < m->n_ranges; ++i)
        for (j = i + 1; j < m->n_ranges; ++j)
            if (meet(&m->ranges[i], &m->ranges[j])) {
                join(m, i, j, n);
                j = i; /* it has grown: compare it again with all behind */
            }
}

static void unmap(nn_completed *completed, const mapping *m)
{
    uint32_t i;

    for (i = 0; i < m->n_ranges; ++i)
        if (m->ranges[i].host)
            completed->interface->unmap(completed->handler, m->ranges[i].memory,
                                        m->ranges[i].host, m->ranges[i].access);
}

/* Returns 0 if the handler gave no pointer; what it gave stays mapped. */
static int map(nn_completed *completed, mapping *m)
{
    uint32_t i;

    for (i = 0; i < m->n_ranges; ++i) {
        range *r = &m->ranges[i];

        r->host = completed->interface->map(completed->handler, r->memory,
                                            r->begin, r->end - r->begin,
                                            r->access);
        if (!r->host)
            return 0;
    }
    return 1;
}

/* Checks the call and that what it reads or writes has memory. */
static int32_t check(const nn_signature *signature, uint32_t operation,
                     const nn_array *const *operands,
                     const nn_attributes *attributes, char *text, size_t size)
{
    int32_t code = nn_reference_check(operation, operands, attributes, text,
                                      size);
    uint32_t i;

    if (code || !nn_wanted(operands[signature->n_operands - 1]))
        return code;
    for (i = 0; i < signature->n_operands; ++i)
        if (nn_wanted(operands[i]) && !operands[i]->memory) {
            snprintf(text, size, "%s: %s has no memory", signature->name,
                     signature->operands[i].name);
            return NN_INVALID_ARGUMENT;
        }
    return NN_OK;
}

/* Runs a checked call whose output is wanted. */
static int32_t run(nn_completed *completed, uint32_t operation, uint32_t n,
                   const nn_array *const *operands,
                   const nn_attributes *attributes, char *text, size_t size)
{
    void *data[NN_BASE_OPERANDS] = {NULL};
    mapping m = {0};
    int32_t code = NN_OK;
    uint32_t i;

    collect(&m, operands, n);
    if (!map(completed, &m)) {
        if (!completed->interface->error(completed->handler, NULL, NULL)) {
            snprintf(text, size, "%s: the handler maps no memory",
                     nn_operation_name(operation));
            code = NN_DEVICE;
        }
        goto out;
    }
    for (i = 0; i < n; ++i)
        if (nn_wanted(operands[i]))
            data[i] = m.ranges[m.of_operand[i]].host +
                      (operands[i]->offset - m.ranges[m.of_operand[i]].begin);
    code = nn_reference_run(operation, operands, data, attributes, text, size);
out:
    unmap(completed, &m);
    return code;
}

void nn_completed_run_on_host(nn_completed *completed, uint32_t operation,
                              const nn_array *const *operands,
                              const nn_attributes *attributes)
{
    char text[NN_COMPLETED_TEXT] = "";
    nn_signature signature;
    int32_t code;

    if (completed->code ||
        completed->interface->error(completed->handler, NULL, NULL))
        return;
    nn_signature_parse(operation, &signature);
    code = check(&signature, operation, operands, attributes, text,
                 sizeof text);
    if (!code && nn_wanted(operands[signature.n_operands - 1]))
        code = run(completed, operation, signature.n_operands, operands,
                   attributes, text, sizeof text);
    if (code)
        nn_completed_fail(completed, code, id_of(code), text);
}
