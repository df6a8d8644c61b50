/* SPDX-License-Identifier: MIT */
/* optimizer.c - nn.optimizer/1: every rule is one pass over its arrays, split
 * over threads in ranges of elements.  The formulas are in optimizer_body.h. */
#include <nn/rows.h>

#include <math.h>

#include "handler.h"

static int32_t plan(nn_handler *handler, const nn_plan_request *request,
                    nn_plan_result *result)
{
    (void)handler;
    (void)request;
    result->plan = NULL;
    result->workspace_bytes = 0;
    result->reserve_bytes = 0;
    return NN_OK;
}

/* The update of all elements, and the kernel. */
typedef struct pass {
    cpu_update update;
    cpu_update_fn run;
    int64_t bytes; /* of an element */
    uint32_t n_vectors;
} pass;

static void run_range(void *context, int64_t begin, int64_t end)
{
    const pass *all = context;
    cpu_update part = all->update;
    int64_t offset = begin * all->bytes;
    uint32_t i;

    part.w = (char *)part.w + offset;
    part.g = (const char *)part.g + offset;
    for (i = 0; i < all->n_vectors; ++i)
        part.vectors[i] = (char *)part.vectors[i] + offset;
    part.n = end - begin;
    all->run(&part);
}

static void set_scalars(cpu_update *update, const void *attributes)
{
    nn_optimizer_attributes with = nn_optimizer_attributes_of(attributes);

    update->rate = with.learning_rate;
    update->momentum = with.momentum;
    update->rho = with.rho;
    update->epsilon = with.epsilon;
    update->decay = with.decay;
    update->inside = (with.flags & NN_OPTIMIZER_EPSILON_INSIDE) != 0;
    update->correction1 = 1 - pow(with.momentum, (double)with.update);
    update->correction2 = 1 - pow(with.rho, (double)with.update);
}

static void run_rule(nn_handler *handler, uint32_t rule,
                     const nn_array *const *operands, uint32_t n_operands,
                     const void *attributes)
{
    const nn_array *first = operands[NN_OPTIMIZER_W];
    pass all = {.bytes = nn_dtype_bytes(first->dtype),
                .n_vectors = n_operands - NN_OPTIMIZER_VECTOR};
    uint32_t i;

    if (handler->code)
        return;
    all.run = cpu_kernels_for(handler, first->dtype)->update[rule];
    all.update.w = cpu_data(first);
    all.update.g = cpu_data(operands[NN_OPTIMIZER_G]);
    for (i = 0; i < all.n_vectors; ++i)
        all.update.vectors[i] = cpu_data(operands[NN_OPTIMIZER_VECTOR + i]);
    set_scalars(&all.update, attributes);
    cpu_pool_for(handler->pool, nn_elements(first), CPU_GRAIN, run_range, &all);
}

/* Row RULE with its function and its operand table. */
#define RULE(NUMBER, rule, operand_table, text)                                \
    static void run_##rule(nn_handler *handler, nn_handler_plan *none,         \
                           const nn_array *const *operands,                    \
                           uint32_t n_operands, const void *attributes,        \
                           const nn_array *workspace, const nn_array *reserve) \
    {                                                                          \
        (void)none;                                                            \
        (void)workspace;                                                       \
        (void)reserve;                                                         \
        run_rule(handler, NUMBER, operands, n_operands, attributes);           \
    }                                                                          \
    static const nn_row rule = {                                               \
        .size = NN_SIZEOF(nn_row, doc),                                        \
        .n_operands = sizeof operand_table / sizeof *operand_table,            \
        .attributes_size = NN_SIZEOF(nn_optimizer_attributes, decay),          \
        .name = #rule,                                                         \
        .operands = operand_table,                                             \
        .plan = plan,                                                          \
        .run = run_##rule,                                                     \
        .doc = text,                                                           \
    };

RULE(NN_OPTIMIZER_SGD, sgd, nn_optimizer_with_none, "w -= r g")
RULE(NN_OPTIMIZER_MOMENTUM, momentum, nn_optimizer_with_v,
     "v = m v - r g; w += v")
RULE(NN_OPTIMIZER_NESTEROV, nesterov, nn_optimizer_with_v,
     "v = m v - r g; w += m v - r g")
RULE(NN_OPTIMIZER_ADAM, adam, nn_optimizer_with_pq,
     "Kingma, Ba, 2015, algorithm 1")
RULE(NN_OPTIMIZER_ADAMAX, adamax, nn_optimizer_with_pu,
     "Kingma, Ba, 2015, algorithm 2")
RULE(NN_OPTIMIZER_AMSGRAD, amsgrad, nn_optimizer_with_pqs,
     "Reddi, Kale, Kumar, 2018")
RULE(NN_OPTIMIZER_RMSPROP, rmsprop, nn_optimizer_with_q,
     "Tieleman, Hinton, 2012")
RULE(NN_OPTIMIZER_ADAGRAD, adagrad, nn_optimizer_with_q,
     "Duchi, Hazan, Singer, 2011")
RULE(NN_OPTIMIZER_ADADELTA, adadelta, nn_optimizer_with_qs, "Zeiler, 2012")

static const nn_row *const rows[NN_OPTIMIZER_ROWS] = {
    [NN_OPTIMIZER_SGD] = &sgd,           [NN_OPTIMIZER_MOMENTUM] = &momentum,
    [NN_OPTIMIZER_NESTEROV] = &nesterov, [NN_OPTIMIZER_ADAM] = &adam,
    [NN_OPTIMIZER_ADAMAX] = &adamax,     [NN_OPTIMIZER_AMSGRAD] = &amsgrad,
    [NN_OPTIMIZER_RMSPROP] = &rmsprop,   [NN_OPTIMIZER_ADAGRAD] = &adagrad,
    [NN_OPTIMIZER_ADADELTA] = &adadelta,
};

const nn_extension cpu_optimizer = {
    .size = NN_SIZEOF(nn_extension, rows),
    .n_rows = NN_OPTIMIZER_ROWS,
    .id = NN_OPTIMIZER,
    .rows = rows,
};
