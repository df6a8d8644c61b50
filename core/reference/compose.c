/* SPDX-License-Identifier: MIT */
/* compose.c - base operations made of others, without temporaries.
 *
 * A composition is used if the handler has its parts itself.  Each keeps the
 * rules of operations.h: modes, work in place, infinity and NaN.  A result may
 * be rounded once more than the reference's. */
#include "core/reference/compose.h"

#include "core/reference/signature.h"

static void run(nn_completed *completed, uint32_t operation,
                const nn_array *const *operands,
                const nn_attributes *attributes)
{
    nn_completed_native(completed, operation)(completed->handler, operation,
                                              operands, attributes);
}

/* y = a x + b z. */
static int as_axpby(nn_completed *completed, double a, const nn_array *x,
                    double b, const nn_array *z, const nn_array *y)
{
    const nn_array *operands[3] = {x, z, y};
    nn_attributes with = nn_no_attributes();

    with.a = a;
    with.b = b;
    run(completed, NN_OP_AXPBY_TT, operands, &with);
    return 1;
}

static void as_mult(nn_completed *completed, double a, const nn_array *x,
                    const nn_array *y)
{
    const nn_array *operands[2] = {x, y};
    nn_attributes with = nn_no_attributes();

    with.a = a;
    run(completed, NN_OP_MULT_TS, operands, &with);
}

static int add_by_axpby(nn_completed *completed,
                        const nn_array *const *operands,
                        const nn_attributes *attributes)
{
    (void)attributes;
    return as_axpby(completed, 1, operands[0], 1, operands[1], operands[2]);
}

static int subtract_by_axpby(nn_completed *completed,
                             const nn_array *const *operands,
                             const nn_attributes *attributes)
{
    (void)attributes;
    return as_axpby(completed, 1, operands[0], -1, operands[1], operands[2]);
}

/* Two halves, since 0 * x would make a NaN of an infinity. */
static int mult_by_axpby(nn_completed *completed,
                         const nn_array *const *operands,
                         const nn_attributes *attributes)
{
    return as_axpby(completed, attributes->a / 2, operands[0],
                    attributes->a / 2, operands[0], operands[1]);
}

/* The term whose array is y goes first, before y changes. */
static int axpby_by_mult(nn_completed *completed,
                         const nn_array *const *operands,
                         const nn_attributes *attributes)
{
    const nn_array *x = operands[0];
    const nn_array *z = operands[1];
    const nn_array *y = operands[2];
    nn_array more = nn_adding(y);

    if (nn_same_view(x, z)) {
        as_mult(completed, attributes->a + attributes->b, x, y);
    } else if (nn_same_view(z, y)) {
        as_mult(completed, attributes->b, z, y);
        as_mult(completed, attributes->a, x, &more);
    } else {
        as_mult(completed, attributes->a, x, y);
        as_mult(completed, attributes->b, z, &more);
    }
    return 1;
}

static int square_by_mult(nn_completed *completed,
                          const nn_array *const *operands,
                          const nn_attributes *attributes)
{
    const nn_array *twice[3] = {operands[0], operands[0], operands[1]};

    run(completed, NN_OP_MULT_TT, twice, attributes);
    return 1;
}

/* Casts to the same type. */
static int copy_by_cast(nn_completed *completed,
                        const nn_array *const *operands,
                        const nn_attributes *attributes)
{
    if (!nn_present(operands[0]) || !nn_present(operands[1]) ||
        operands[0]->dtype != operands[1]->dtype ||
        nn_same_view(operands[0], operands[1]))
        return 0;
    run(completed, NN_OP_CAST, operands, attributes);
    return 1;
}

/* y = m, then y += v repeated; not for y += y + v. */
static int add_mv_by_broadcast(nn_completed *completed,
                               const nn_array *const *operands,
                               const nn_attributes *attributes)
{
    nn_array more = nn_adding(operands[2]);
    const nn_array *first[2] = {operands[0], operands[2]};
    const nn_array *second[2] = {operands[1], &more};

    if (!nn_same_shape(operands[0], operands[2]) ||
        (operands[2]->mode == NN_ADD && nn_same_view(operands[0], operands[2])))
        return 0;
    run(completed, NN_OP_COPY, first, attributes);
    run(completed, NN_OP_BROADCAST_T, second, attributes);
    return 1;
}

/* The exponential of the logarithm, which y holds in between. */
static int softmax_by_logarithm(nn_completed *completed,
                                const nn_array *const *operands,
                                const nn_attributes *attributes)
{
    const nn_array *second[2] = {operands[1], operands[1]};

    if (operands[1]->mode != NN_WRITE)
        return 0;
    run(completed, NN_OP_LOG_SOFTMAX_M, operands, attributes);
    run(completed, NN_OP_EXP_T, second, attributes);
    return 1;
}

typedef struct composition {
    uint32_t operation;
    uint32_t parts[2];
    nn_composition_fn run;
} composition;

static const composition compositions[] = {
    {NN_OP_ADD_TT, {NN_OP_AXPBY_TT, NN_OP_AXPBY_TT}, add_by_axpby},
    {NN_OP_SUBTRACT_TT, {NN_OP_AXPBY_TT, NN_OP_AXPBY_TT}, subtract_by_axpby},
    {NN_OP_MULT_TS, {NN_OP_AXPBY_TT, NN_OP_AXPBY_TT}, mult_by_axpby},
    {NN_OP_AXPBY_TT, {NN_OP_MULT_TS, NN_OP_MULT_TS}, axpby_by_mult},
    {NN_OP_SQUARE_T, {NN_OP_MULT_TT, NN_OP_MULT_TT}, square_by_mult},
    {NN_OP_COPY, {NN_OP_CAST, NN_OP_CAST}, copy_by_cast},
    {NN_OP_ADD_MV, {NN_OP_COPY, NN_OP_BROADCAST_T}, add_mv_by_broadcast},
    {NN_OP_SOFTMAX_M, {NN_OP_LOG_SOFTMAX_M, NN_OP_EXP_T}, softmax_by_logarithm},
};

nn_composition_fn nn_composition_find(const nn_completed *completed,
                                      uint32_t operation)
{
    size_t i;

    for (i = 0; i < sizeof compositions / sizeof compositions[0]; ++i)
        if (compositions[i].operation == operation &&
            nn_completed_native(completed, compositions[i].parts[0]) &&
            nn_completed_native(completed, compositions[i].parts[1]))
            return compositions[i].run;
    return NULL;
}
