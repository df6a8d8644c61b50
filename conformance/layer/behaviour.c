/* SPDX-License-Identifier: MIT */
/* behaviour.c - outputs in the memory of inputs, passes with and without TRAIN,
 * and masked rows. */
#include "conformance/layer/checks.h"
#include "conformance/layer/compare.h"

#include <math.h>
#include <string.h>

static const nn_port *output_port(const bench *b, uint32_t index)
{
    const nn_component *c = b->trial->component->component;

    return c->outputs[index < c->n_outputs ? index : c->n_outputs - 1];
}

/* ---- in place ---------------------------------------------------------- */

static int n_in_place;

/* Output 0 as read from the memory of input 0. */
static const snapshot *in_place_outputs(bench *b)
{
    const bench_value *x = &b->sorts[BENCH_INPUT].items[0];
    snapshot *s = trial_alloc(b->trial, sizeof *s);

    s->sorts = SORT(BENCH_OUTPUT);
    s->counts[BENCH_OUTPUT][0] = x->count;
    s->values[BENCH_OUTPUT][0] = bench_numbers(b, x->count);
    bench_get(b, BENCH_INPUT, 0, s->values[BENCH_OUTPUT][0]);
    return s;
}

static const snapshot *first_output(bench *b)
{
    snapshot *s = trial_alloc(b->trial, sizeof *s);

    *s = *snapshot_take(b, SORT(BENCH_OUTPUT));
    memset(&s->counts[BENCH_OUTPUT][1], 0,
           (BENCH_VALUES - 1) * sizeof s->counts[BENCH_OUTPUT][1]);
    return s;
}

static void test_in_place_pass(bench *b, const char *what)
{
    const snapshot *g = bench_has_backward(b) ? derivatives(b) : NULL;
    const snapshot *y;

    if (!g && bench_forward(b))
        return;
    y = first_output(b);
    b->in_place = 1;
    bench_set(b, BENCH_INPUT, 0, b->sorts[BENCH_INPUT].items[0].kept);
    if (bench_forward(b))
        return;
    if (compare_exact(b, y, in_place_outputs(b), what) || !g)
        return;
    if (!bench_backward(b))
        compare_exact(b, g, snapshot_take(b, SORTS_DERIVATIVES), what);
    b->in_place = 0;
}

static void test_in_place(bench *b)
{
    const nn_array *x = &b->context->inputs[0];

    if (!(output_port(b, 0)->flags & NN_PORT_IN_PLACE) || b->aliased ||
        !nn_same_shape(x, &b->context->outputs[0]))
        return;
    ++n_in_place;
    test_in_place_pass(b, "as with an output of its own");
    b->in_place = 0;
    if (bench_begin(b, b->T, b->B, NN_PASS_BACKWARD))
        return;
    bench_draw(b, b->trial->seed);
    test_in_place_pass(b, "without TRAIN, as with an output of its own");
}

static void run_in_place(trial *trial)
{
    bench_each(trial, NULL, 0, test_in_place);
    if (!n_in_place && !trial_failures(trial))
        trial_skip(trial, "no output says NN_PORT_IN_PLACE");
}

const check layer_inplace = {
    .id = "layer.inplace",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STRICT,
    .what = "an output that says IN_PLACE is right in the memory of input 0",
    .why = "the core saves memory in this way; forward must not read the input "
           "after it wrote the output, and backward not the input at all",
    .run = run_in_place,
};

/* ---- TRAIN ------------------------------------------------------------- */

/* Outputs of one run with the random numbers of SEED instead of the layer's. */
static const snapshot *outputs_with(bench *b, uint64_t seed)
{
    if (nn_network_layer(b->network, "subject", NN_PASS_FORWARD_OF,
                         &b->context)) {
        trial_broken(b->trial, "the layer has no context");
        return NULL;
    }
    b->context->random.seed ^= seed;
    return bench_forward(b) ? NULL : snapshot_take(b, SORT(BENCH_OUTPUT));
}

/* Turns the samples of all arrays of SORT in S round: k becomes B - 1 - k. */
static void turn(const bench *b, enum bench_sort sort, snapshot *s)
{
    uint32_t k;
    int64_t t;
    int64_t n;

    for (k = 0; k < b->sorts[sort].count; ++k) {
        const nn_array *array = &b->sorts[sort].items[k].array;
        double *values = s->values[sort][k];
        int64_t row;

        if (!s->counts[sort][k] || array->ndim < 2 || array->shape[0] != b->T ||
            array->shape[1] != b->B)
            continue;
        row = s->counts[sort][k] / (b->T * b->B);
        for (t = 0; t < b->T; ++t)
            for (n = 0; n < b->B / 2 * row; ++n) {
                int64_t i = t * b->B * row + n;
                int64_t j = (t * b->B + b->B - 1 - n / row) * row + n % row;
                double swap = values[i];

                values[i] = values[j];
                values[j] = swap;
            }
    }
}

/* Leaves out of S outputs that are no function of one sample alone. */
static const snapshot *by_sample(bench *b, const snapshot *s)
{
    snapshot *result = trial_alloc(b->trial, sizeof *result);
    uint32_t k;

    *result = *s;
    for (k = 0; k < b->sorts[BENCH_OUTPUT].count; ++k) {
        const nn_array *array = &b->sorts[BENCH_OUTPUT].items[k].array;

        if (array->ndim < 3 || array->shape[0] != b->T ||
            array->shape[1] != b->B)
            result->counts[BENCH_OUTPUT][k] = 0;
    }
    return result;
}

static void test_permuted(bench *b, const snapshot *y)
{
    snapshot *x = trial_alloc(b->trial, sizeof *x);
    snapshot *turned = trial_alloc(b->trial, sizeof *turned);
    uint32_t k;

    *x = *snapshot_take(b, SORT(BENCH_INPUT));
    turn(b, BENCH_INPUT, x);
    for (k = 0; k < b->sorts[BENCH_INPUT].count; ++k)
        bench_set(b, BENCH_INPUT, k, x->values[BENCH_INPUT][k]);
    if (bench_forward(b))
        return;
    *turned = *snapshot_take(b, SORT(BENCH_OUTPUT));
    turn(b, BENCH_OUTPUT, turned);
    compare_close(b, by_sample(b, y), by_sample(b, turned), rounding_factor(b),
                  "without TRAIN, whatever the order of the samples");
}

static void test_train(bench *b)
{
    int random = (b->trial->component->component->flags & NN_LAYER_RANDOM) != 0;
    const snapshot *y = outputs_with(b, 0);
    const snapshot *other = y ? outputs_with(b, 12345) : NULL;

    if (!other || (!random && compare_exact(b, y, other,
                                            "the same for all random numbers, "
                                            "since the layer does not say "
                                            "NN_LAYER_RANDOM")))
        return;
    if (bench_begin(b, b->T, b->B, NN_PASS_BACKWARD))
        return;
    bench_draw(b, b->trial->seed);
    y = outputs_with(b, 0);
    other = y ? outputs_with(b, 12345) : NULL;
    if (!other || compare_exact(b, y, other,
                                "without TRAIN the same for all random "
                                "numbers"))
        return;
    test_permuted(b, y);
}

static void run_train(trial *trial)
{
    bench_each(trial, NULL, 0, test_train);
}

const check layer_mode_train_eval = {
    .id = "layer.mode.train-eval",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "without TRAIN nothing is random and samples do not meet",
    .why = "an evaluation that depends on chance or on the other samples of "
           "the batch cannot be repeated",
    .run = run_train,
};

/* ---- masks ------------------------------------------------------------- */

static int n_masks;

static int has_loss(const bench *b)
{
    uint32_t k;

    for (k = 0; k < b->trial->component->component->n_outputs; ++k)
        if (output_port(b, k)->flags & NN_PORT_LOSS)
            return 1;
    return 0;
}

/* The mask among the inputs, or -1. */
static int find_mask(const bench *b)
{
    uint32_t i;

    for (i = 0; i < b->sorts[BENCH_INPUT].count; ++i)
        if (b->sorts[BENCH_INPUT].items[i].count &&
            b->one->inputs[i].content == NN_CONTENT_MASK)
            return (int)i;
    return -1;
}

/* The mask of element I of VALUE; 1 for what has no time and samples. */
static double mask_of(const bench *b, const double *mask, int64_t n_mask,
                      const bench_value *value, int64_t i)
{
    const nn_array *array = &value->array;

    if (array->ndim < 3 || array->shape[0] != b->T || array->shape[1] != b->B)
        return 1;
    i /= nn_columns(array);
    if (nn_rows(array) % n_mask)
        return mask[i * b->T * b->B / nn_rows(array) * n_mask / (b->T * b->B)];
    return mask[i / (nn_rows(array) / n_mask)];
}

/* Leaves in S masked elements 0. */
static const snapshot *without_masked(bench *b, const snapshot *s, int mask)
{
    snapshot *result = trial_alloc(b->trial, sizeof *result);
    const bench_value *m = &b->sorts[BENCH_INPUT].items[mask];
    enum bench_sort sort;
    uint32_t k;
    int64_t i;

    *result = *s;
    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; s->sorts & SORT(sort) && k < b->sorts[sort].count; ++k) {
            const bench_value *value = &b->sorts[sort].items[k];

            if (sort == BENCH_OUTPUT &&
                output_port(b, k)->flags & (NN_PORT_LOSS | NN_PORT_WEIGHT))
                continue;
            if (sort != BENCH_OUTPUT && sort != BENCH_INPUT_DELTA)
                continue;
            result->values[sort][k] = bench_numbers(b, value->count);
            for (i = 0; i < value->count; ++i)
                result->values[sort][k][i] = mask_of(b, m->kept, m->count,
                                                     value, i) != 0
                                                 ? s->values[sort][k][i]
                                                 : 0;
        }
    return result;
}

/* Sets the masked rows of every other input to VALUE_THERE, or whole
 * numbers to others. */
static void change_masked(bench *b, int mask, double value_there)
{
    const bench_value *m = &b->sorts[BENCH_INPUT].items[mask];
    uint32_t k;
    int64_t i;

    for (k = 0; k < b->sorts[BENCH_INPUT].count; ++k) {
        bench_value *value = &b->sorts[BENCH_INPUT].items[k];
        int real = bench_is_real(b, BENCH_INPUT, k);
        double *values;

        if ((int)k == mask || !value->count)
            continue;
        values = bench_numbers(b, value->count);
        bench_get(b, BENCH_INPUT, k, values);
        for (i = 0; i < value->count; ++i)
            if (mask_of(b, m->kept, m->count, value, i) == 0)
                values[i] = real ? value_there : values[i] == 0;
        bench_set(b, BENCH_INPUT, k, values);
    }
}

/* Of a loss only the loss is masked: nobody reads the other outputs. */
static void leave_losses(bench *b)
{
    uint32_t k;

    for (k = 0; k < b->sorts[BENCH_OUTPUT_DELTA].count; ++k)
        if (!(output_port(b, k)->flags & NN_PORT_LOSS))
            b->sorts[BENCH_OUTPUT_DELTA].items[k].mode = NN_DISCARD;
}

static void masked_deltas_are_zero(bench *b, const snapshot *g, int mask)
{
    const bench_value *m = &b->sorts[BENCH_INPUT].items[mask];
    const bench_value *dx = &b->sorts[BENCH_INPUT_DELTA].items[0];
    const double *values = g->values[BENCH_INPUT_DELTA][0];
    int64_t i;

    for (i = 0; i < dx->count && is_wanted(b, BENCH_INPUT_DELTA, 0); ++i)
        if (mask_of(b, m->kept, m->count, dx, i) == 0 && values[i] != 0) {
            fail_at(b, BENCH_INPUT_DELTA, 0, i, "in a masked row", 0,
                    values[i]);
            return;
        }
}

/* Outputs and derivatives; NULL after a failure. */
static const snapshot *masked_results(bench *b)
{
    if (bench_has_backward(b) ? !derivatives(b) : bench_forward(b))
        return NULL;
    return snapshot_take(b, SORT(BENCH_OUTPUT) | SORTS_DERIVATIVES);
}

/* The results with VALUE in masked rows are those BEFORE. */
static int test_masked(bench *b, int mask, const snapshot *before, double value)
{
    const snapshot *after;

    change_masked(b, mask, value);
    after = masked_results(b);
    if (!after)
        return -1;
    if (bench_has_backward(b))
        masked_deltas_are_zero(b, after, mask);
    if (has_loss(b)) {
        before = without_masked(b, before, mask);
        after = without_masked(b, after, mask);
    }
    return compare_close(b, before, after, rounding_factor(b),
                         trial_text(b->trial,
                                    "with %g in masked rows, the same",
                                    value)) != 0;
}

static void test_mask(bench *b)
{
    int mask = find_mask(b);
    const snapshot *before;

    if (mask < 0)
        return;
    ++n_masks;
    if (has_loss(b) && bench_has_backward(b))
        leave_losses(b);
    before = masked_results(b);
    if (before && !test_masked(b, mask, before, 3.25))
        test_masked(b, mask, before, NAN);
}

static void run_mask(trial *trial)
{
    bench_each(trial, NULL, 0, test_mask);
    if (!n_masks && !trial_failures(trial))
        trial_skip(trial, "no input holds a mask");
}

const check layer_mask = {
    .id = "layer.mask",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "masked rows contribute nothing to losses and derivatives, not "
            "even NaN",
    .why = "they are padding: with them, results depend on how sequences are "
           "put into batches; choose them away, 0 times NaN is NaN",
    .run = run_mask,
};
