/* SPDX-License-Identifier: MIT */
/* optimizer.c - nn.optimizer/1 of base operations.
 *
 * The formulas are those of <nn/optimizer.h>, each intermediate result in the
 * real type.  Letters: w parameters, g gradient, r learning rate; p, q, u, v, s
 * the row's vectors; t, h temporaries in the workspace.  Weight decay comes
 * first, w -= r decay w, since no rule reads w otherwise. */
#include <nn/rows.h>

#include <math.h>
#include <stdio.h>

#include "core/reference/compose.h"

/* One update: the arrays of a row, ready to be written, and its numbers. */
typedef struct step {
    const nn_operations *ops;
    nn_optimizer_attributes with;
    nn_array w;
    const nn_array *g;
    nn_array vectors[NN_OPTIMIZER_MAX_OPERANDS - NN_OPTIMIZER_VECTOR];
    nn_array t;
    nn_array h;
} step;

/* x = a x + b z. */
static void blend(const step *s, double a, const nn_array *x, double b,
                  const nn_array *z)
{
    nn_axpby_tt(s->ops, a, x, b, z, x);
}

/* w -= rate t. */
static void descend(const step *s, double rate)
{
    blend(s, 1, &s->w, -rate, &s->t);
}

/* x = d x + (1 - d) g g; leaves g g in t. */
static void track_square(const step *s, double d, const nn_array *x)
{
    nn_square_t(s->ops, s->g, &s->t);
    blend(s, d, x, 1 - d, &s->t);
}

/* t = sqrt(q) + e, or sqrt(q + e). */
static void root(const step *s, const nn_array *q)
{
    if (s->with.flags & NN_OPTIMIZER_EPSILON_INSIDE) {
        nn_add_ts(s->ops, q, s->with.epsilon, &s->t);
        nn_sqrt_t(s->ops, &s->t, &s->t);
    } else {
        nn_sqrt_t(s->ops, q, &s->t);
        nn_add_ts(s->ops, &s->t, s->with.epsilon, &s->t);
    }
}

/* 1 - b^t: what a mean that started from zero lacks after update t. */
static double correction(const step *s, double b)
{
    return 1 - pow(b, (double)s->with.update);
}

static void sgd(const step *s)
{
    nn_mult_ts(s->ops, s->g, s->with.learning_rate, &s->t);
    nn_subtract_tt(s->ops, &s->w, &s->t, &s->w);
}

static void momentum(const step *s)
{
    const nn_array *v = &s->vectors[0];

    blend(s, s->with.momentum, v, -s->with.learning_rate, s->g);
    nn_add_tt(s->ops, &s->w, v, &s->w);
}

static void nesterov(const step *s)
{
    const nn_array *v = &s->vectors[0];

    blend(s, s->with.momentum, v, -s->with.learning_rate, s->g);
    nn_axpby_tt(s->ops, s->with.momentum, v, -s->with.learning_rate, s->g,
                &s->t);
    nn_add_tt(s->ops, &s->w, &s->t, &s->w);
}

/* w -= r (p / (1 - b1^t)) / (sqrt(second / (1 - b2^t)) + e). */
static void adam_descend(const step *s, const nn_array *second)
{
    const nn_array *p = &s->vectors[0];

    nn_mult_ts(s->ops, second, 1 / correction(s, s->with.rho), &s->t);
    nn_sqrt_t(s->ops, &s->t, &s->t);
    nn_add_ts(s->ops, &s->t, s->with.epsilon, &s->t);
    nn_divide_tt(s->ops, p, &s->t, &s->t);
    descend(s, s->with.learning_rate / correction(s, s->with.momentum));
}

static void adam(const step *s)
{
    blend(s, s->with.momentum, &s->vectors[0], 1 - s->with.momentum, s->g);
    track_square(s, s->with.rho, &s->vectors[1]);
    adam_descend(s, &s->vectors[1]);
}

static void adamax(const step *s)
{
    const nn_array *p = &s->vectors[0];
    const nn_array *u = &s->vectors[1];

    blend(s, s->with.momentum, p, 1 - s->with.momentum, s->g);
    nn_abs_t(s->ops, s->g, &s->t);
    nn_mult_ts(s->ops, u, s->with.rho, u);
    nn_maximum_tt(s->ops, u, &s->t, u);
    nn_add_ts(s->ops, u, s->with.epsilon, &s->t);
    nn_divide_tt(s->ops, p, &s->t, &s->t);
    descend(s, s->with.learning_rate / correction(s, s->with.momentum));
}

static void amsgrad(const step *s)
{
    const nn_array *q = &s->vectors[1];
    const nn_array *largest = &s->vectors[2];

    blend(s, s->with.momentum, &s->vectors[0], 1 - s->with.momentum, s->g);
    track_square(s, s->with.rho, q);
    nn_maximum_tt(s->ops, largest, q, largest);
    adam_descend(s, largest);
}

static void rmsprop(const step *s)
{
    track_square(s, s->with.rho, &s->vectors[0]);
    root(s, &s->vectors[0]);
    nn_divide_tt(s->ops, s->g, &s->t, &s->t);
    descend(s, s->with.learning_rate);
}

/* Where g is 0 the divisor gets 1 more, so that 0 / 0 does not arise. */
static void adagrad(const step *s)
{
    const nn_array *q = &s->vectors[0];
    nn_array more = nn_adding(&s->t);

    nn_square_t(s->ops, s->g, &s->t);
    nn_add_tt(s->ops, q, &s->t, q);
    root(s, q);
    nn_equal_ts(s->ops, s->g, 0, &more);
    nn_divide_tt(s->ops, s->g, &s->t, &s->t);
    descend(s, s->with.learning_rate);
}

static void adadelta(const step *s)
{
    const nn_array *q = &s->vectors[0];
    const nn_array *moved = &s->vectors[1];

    track_square(s, s->with.rho, q);
    nn_add_ts(s->ops, q, s->with.epsilon, &s->t);
    nn_sqrt_t(s->ops, &s->t, &s->t);
    nn_divide_tt(s->ops, s->g, &s->t, &s->t);
    nn_add_ts(s->ops, moved, s->with.epsilon, &s->h);
    nn_sqrt_t(s->ops, &s->h, &s->h);
    nn_mult_tt(s->ops, &s->t, &s->h, &s->t);
    descend(s, s->with.learning_rate);
    nn_square_t(s->ops, &s->t, &s->h);
    blend(s, s->with.rho, moved, 1 - s->with.rho, &s->h);
}

/* An in-out array is replaced, whatever its mode says. */
static nn_array replaced(const nn_array *array)
{
    nn_array result = *array;

    result.mode = NN_WRITE;
    return result;
}

/* The adam family divides by 1 - b^t, which is 0 for t = 0. */
static int update_is_counted(nn_completed *completed, const char *name,
                             int64_t update)
{
    char text[NN_COMPLETED_TEXT];

    if (update >= 1)
        return 1;
    snprintf(text, sizeof text, "%s: update is %lld; the first one is 1", name,
             (long long)update);
    nn_completed_fail(completed, NN_INVALID_ARGUMENT, "operation.argument",
                      text);
    return 0;
}

typedef struct rule {
    void (*run)(const step *s);
    uint32_t temporaries;
    int counts; /* uses the number of the update */
} rule;

static const rule rules[NN_OPTIMIZER_ROWS] = {
    [NN_OPTIMIZER_SGD] = {sgd, 1, 0},
    [NN_OPTIMIZER_MOMENTUM] = {momentum, 0, 0},
    [NN_OPTIMIZER_NESTEROV] = {nesterov, 1, 0},
    [NN_OPTIMIZER_ADAM] = {adam, 1, 1},
    [NN_OPTIMIZER_ADAMAX] = {adamax, 1, 1},
    [NN_OPTIMIZER_AMSGRAD] = {amsgrad, 1, 1},
    [NN_OPTIMIZER_RMSPROP] = {rmsprop, 1, 0},
    [NN_OPTIMIZER_ADAGRAD] = {adagrad, 1, 0},
    [NN_OPTIMIZER_ADADELTA] = {adadelta, 2, 0},
};

static const nn_row *const rows[NN_OPTIMIZER_ROWS];

static int32_t plan_row(uint32_t number, const nn_plan_request *request,
                        nn_plan_result *result)
{
    const nn_row *row = rows[number];
    int32_t code = nn_composed_check(row, request);
    int64_t bytes;

    if (code)
        return code;
    bytes = nn_temporary_bytes(request->operands[NN_OPTIMIZER_W]);
    if (bytes > INT64_MAX / 2)
        bytes = -1;
    if (bytes > 0)
        bytes *= rules[number].temporaries;
    return nn_composed_plan(row, request, bytes, result);
}

static void run_row(uint32_t number, nn_handler *self,
                    const nn_array *const *operands, uint32_t n_operands,
                    const void *attributes, const nn_array *workspace)
{
    nn_completed *completed = nn_completed_of(self);
    step s = {.ops = &completed->operations, .g = operands[NN_OPTIMIZER_G]};
    double decay;
    uint32_t i;

    s.with = nn_optimizer_attributes_of(attributes);
    if (rules[number].counts &&
        !update_is_counted(completed, rows[number]->name, s.with.update))
        return;
    s.w = replaced(operands[NN_OPTIMIZER_W]);
    for (i = NN_OPTIMIZER_VECTOR; i < n_operands; ++i)
        s.vectors[i - NN_OPTIMIZER_VECTOR] = replaced(operands[i]);
    if (rules[number].temporaries > 0)
        s.t = nn_temporary_make(workspace, &s.w, 0);
    if (rules[number].temporaries > 1)
        s.h = nn_temporary_make(workspace, &s.w, 1);
    decay = s.with.learning_rate * s.with.decay;
    if (decay != 0)
        blend(&s, 1, &s.w, -decay, &s.w);
    rules[number].run(&s);
}

/* The row NAME with number NUMBER, its functions and its table. */
#define ROW(NUMBER, row, operand_table, text)                                  \
    static int32_t row##_plan(nn_handler *self,                                \
                              const nn_plan_request *request,                  \
                              nn_plan_result *result)                          \
    {                                                                          \
        (void)self;                                                            \
        return plan_row(NUMBER, request, result);                              \
    }                                                                          \
    static void row##_run(nn_handler *self, nn_handler_plan *plan,             \
                          const nn_array *const *operands,                     \
                          uint32_t n_operands, const void *attributes,         \
                          const nn_array *workspace, const nn_array *reserve)  \
    {                                                                          \
        (void)plan;                                                            \
        (void)reserve;                                                         \
        run_row(NUMBER, self, operands, n_operands, attributes, workspace);    \
    }                                                                          \
    static const nn_row row##_row = {                                          \
        .size = NN_SIZEOF(nn_row, doc),                                        \
        .n_operands = sizeof operand_table / sizeof operand_table[0],          \
        .attributes_size = NN_SIZEOF(nn_optimizer_attributes, decay),          \
        .name = #row,                                                          \
        .operands = operand_table,                                             \
        .plan = row##_plan,                                                    \
        .run = row##_run,                                                      \
        .doc = text,                                                           \
    };

ROW(NN_OPTIMIZER_SGD, sgd, nn_optimizer_with_none, "w -= r g")
ROW(NN_OPTIMIZER_MOMENTUM, momentum, nn_optimizer_with_v,
    "v = m v - r g; w += v")
ROW(NN_OPTIMIZER_NESTEROV, nesterov, nn_optimizer_with_v,
    "v = m v - r g; w += m v - r g")
ROW(NN_OPTIMIZER_ADAM, adam, nn_optimizer_with_pq,
    "p, q: means of g and g g; w -= r p^ / (sqrt(q^) + e)")
ROW(NN_OPTIMIZER_ADAMAX, adamax, nn_optimizer_with_pu,
    "p: mean of g; u = max(b2 u, |g|); w -= r p^ / (u + e)")
ROW(NN_OPTIMIZER_AMSGRAD, amsgrad, nn_optimizer_with_pqs,
    "as adam with the largest q so far")
ROW(NN_OPTIMIZER_RMSPROP, rmsprop, nn_optimizer_with_q,
    "q: mean of g g; w -= r g / (sqrt(q) + e)")
ROW(NN_OPTIMIZER_ADAGRAD, adagrad, nn_optimizer_with_q,
    "q: sum of g g; w -= r g / (sqrt(q) + e)")
ROW(NN_OPTIMIZER_ADADELTA, adadelta, nn_optimizer_with_qs,
    "q, s: means of g g and u u; u = g sqrt(s + e) / sqrt(q + e); w -= r u")

static const nn_row *const rows[NN_OPTIMIZER_ROWS] = {
    [NN_OPTIMIZER_SGD] = &sgd_row,
    [NN_OPTIMIZER_MOMENTUM] = &momentum_row,
    [NN_OPTIMIZER_NESTEROV] = &nesterov_row,
    [NN_OPTIMIZER_ADAM] = &adam_row,
    [NN_OPTIMIZER_ADAMAX] = &adamax_row,
    [NN_OPTIMIZER_AMSGRAD] = &amsgrad_row,
    [NN_OPTIMIZER_RMSPROP] = &rmsprop_row,
    [NN_OPTIMIZER_ADAGRAD] = &adagrad_row,
    [NN_OPTIMIZER_ADADELTA] = &adadelta_row,
};

const nn_extension nn_composed_optimizer = {
    .size = NN_SIZEOF(nn_extension, rows),
    .n_rows = NN_OPTIMIZER_ROWS,
    .id = NN_OPTIMIZER,
    .rows = rows,
};
