/* SPDX-License-Identifier: MIT */
/* memory.c - what a layer reads and writes: nothing that nobody wrote, all of
 * what it is to write, and nothing else. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <math.h>

#define RESULTS (SORT(BENCH_OUTPUT) | SORTS_DERIVATIVES)

/* Outputs and derivatives of a run that starts with POISON in all that it is to
 * write, internals among it; NULL after a failure. */
static const snapshot *run_on(bench *b, double poison)
{
    enum bench_sort sort;
    uint32_t k;

    bench_modes(b, NN_WRITE);
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k)
            bench_fill(b, sort, k, poison);
    if (bench_forward_on(b, poison) ||
        (bench_has_backward(b) && bench_backward(b)))
        return NULL;
    return snapshot_take(b, RESULTS);
}

/* Leaves out of S what the layer is not to write. */
static const snapshot *only_wanted(bench *b, const snapshot *s)
{
    snapshot *result = trial_alloc(b->trial, sizeof *result);
    enum bench_sort sort;
    uint32_t k;

    *result = *s;
    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (k = 0; k < b->sorts[sort].count; ++k)
            if (!is_wanted(b, sort, k))
                result->counts[sort][k] = 0;
    return result;
}

/* ---- uninit ------------------------------------------------------------ */

static void test_uninit(bench *b)
{
    static const double poisons[] = {1e30, 0.0, -3e-5};
    const snapshot *first = run_on(b, NAN);
    const snapshot *other;
    size_t i;

    for (i = 0; first && i < sizeof poisons / sizeof *poisons; ++i) {
        other = run_on(b, poisons[i]);
        if (!other ||
            compare_exact(b, only_wanted(b, other), only_wanted(b, first),
                          trial_text(b->trial,
                                     "with %g instead of NaN in memory that "
                                     "nobody wrote, the same",
                                     poisons[i])))
            return;
    }
}

static void run_uninit(trial *trial)
{
    bench_each(trial, &on_handler, 0, test_uninit);
}

const check layer_mem_uninit = {
    .id = "layer.mem.uninit",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "results do not depend on what stands in memory before",
    .why = "outputs and internals hold what another layer left there; set what "
           "you read, with mode WRITE",
    .run = run_uninit,
};

/* ---- full write -------------------------------------------------------- */

#define FIRST_POISON -1.23456789e30
#define SECOND_POISON 9.87654321e28

static void test_full_write(bench *b)
{
    const snapshot *first = run_on(b, FIRST_POISON);
    const snapshot *second = first ? run_on(b, SECOND_POISON) : NULL;
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    for (sort = 0; second && sort < BENCH_SORTS; ++sort)
        for (k = 0; RESULTS & SORT(sort) && k < b->sorts[sort].count; ++k) {
            if (sort != BENCH_OUTPUT && !is_wanted(b, sort, k))
                continue;
            if (b->sorts[sort].items[k].flags & BENCH_FIXED)
                continue;
            for (i = 0; i < first->counts[sort][k]; ++i)
                if (first->values[sort][k][i] == FIRST_POISON &&
                    second->values[sort][k][i] == SECOND_POISON) {
                    trial_fail(b->trial, bench_say(b, sort, k, i),
                               "every element to be written",
                               "what stood there before");
                    break;
                }
        }
    trial_tested(b->trial, 1);
}

static void run_full_write(trial *trial)
{
    bench_each(trial, &on_handler, 0, test_full_write);
}

const check layer_mem_full_write = {
    .id = "layer.mem.full-write",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "every element of outputs and of derivatives with WRITE is set",
    .why = "what is left out holds the numbers of another layer or batch",
    .run = run_full_write,
};

/* ---- const ------------------------------------------------------------- */

/* Leaves out of S output deltas that may be consumed. */
static const snapshot *untouchable(bench *b, const snapshot *s)
{
    const nn_component *component = b->trial->component->component;
    snapshot *result = trial_alloc(b->trial, sizeof *result);
    uint32_t k;

    *result = *s;
    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k) {
        uint32_t port = k < component->n_outputs ? k : component->n_outputs - 1;

        if (component->outputs[port]->flags & NN_PORT_MAY_CONSUME_DELTA)
            result->counts[BENCH_OUTPUT_DELTA][k] = 0;
    }
    return result;
}

static void test_const(bench *b)
{
    const uint32_t read = SORTS_VARIABLES;
    const uint32_t read_back = SORTS_VARIABLES | SORT(BENCH_OUTPUT) |
                               SORT(BENCH_OUTPUT_DELTA) | SORT(BENCH_STATE);
    const snapshot *before = snapshot_take(b, read);

    if (bench_forward(b))
        return;
    if (!b->aliased && compare_exact(b, before, snapshot_take(b, read),
                                     "as before forward, which only reads it"))
        return;
    if (!bench_has_backward(b))
        return;
    bench_modes(b, NN_WRITE);
    before = untouchable(b, snapshot_take(b, read_back));
    if (bench_backward(b))
        return;
    compare_exact(b, before, untouchable(b, snapshot_take(b, read_back)),
                  "as before backward, which only reads it");
}

static void run_const(trial *trial)
{
    bench_each(trial, &on_handler, 0, test_const);
}

const check layer_mem_const = {
    .id = "layer.mem.const",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "what is only to be read is not written",
    .why = "other layers read the same inputs, parameters and deltas; scratch "
           "belongs into an internal",
    .run = run_const,
};

/* ---- state ------------------------------------------------------------- */

static int n_states;

static void test_state(bench *b)
{
    const snapshot *before;

    if (!b->sorts[BENCH_STATE].count)
        return;
    n_states += (int)b->sorts[BENCH_STATE].count;
    if (bench_begin(b, b->T, b->B, NN_PASS_BACKWARD))
        return;
    bench_draw(b, b->trial->seed);
    b->keep_state = 1;
    before = snapshot_take(b, SORT(BENCH_STATE));
    if (bench_forward(b))
        return;
    compare_exact(b, before, snapshot_take(b, SORT(BENCH_STATE)),
                  "as before a forward pass without TRAIN");
    if (bench_begin(b, b->T, b->B, NN_PASS_TRAIN | NN_PASS_BACKWARD))
        return;
    bench_draw(b, b->trial->seed);
    if (bench_forward(b))
        return;
    before = snapshot_take(b, SORT(BENCH_STATE));
    if (bench_has_backward(b) && !bench_backward(b))
        compare_exact(b, before, snapshot_take(b, SORT(BENCH_STATE)),
                      "as before backward");
}

static void run_state(trial *trial)
{
    bench_each(trial, &on_handler, 0, test_state);
    if (!n_states && !trial_failures(trial))
        trial_skip(trial, "the layer has no state");
}

const check layer_mem_state = {
    .id = "layer.mem.state",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "state is written in forward passes with TRAIN only",
    .why = "evaluation must not change what the network has learned, and a "
           "backward pass may run several times",
    .run = run_state,
};
