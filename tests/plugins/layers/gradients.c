/* SPDX-License-Identifier: MIT */
/* gradients.c - the gradient check of alone.h.
 *
 * With output deltas d_o the scalar f = sum over outputs of d_o . y_o has the
 * derivatives that backward must deliver.  Each is compared with the central
 * difference (f(v + h) - f(v - h)) / 2h.  In float64 with h = 1e-5 and values
 * of about 1, its error is h^2 f''' / 6 + eps f / h, below 1e-9 each; the
 * tolerance of 1e-7 (1 + |derivative|) leaves room for longer sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/plugins/layers/alone.h"

#define STEP 1e-5
#define TOLERANCE 1e-7
#define LEAVES 32

/* After NN_WRITE, NN_ADD and NN_DISCARD: one array after the other. */
#define MIXED 3u

/* What f depends on, and where its derivative goes. */
typedef struct leaf {
    nn_array *value;
    nn_array *delta;
    int is_child; /* always ADD onto zeros */
    int is_reference;
    double *before; /* what ADD is added to */
    double *wanted; /* central differences */
} leaf;

typedef struct leaves {
    uint32_t n;
    leaf list[LEAVES];
} leaves;

static const nn_port *input_port(const alone *a, uint32_t i)
{
    uint32_t last = a->component->n_inputs - 1;

    return a->component->inputs[i < last ? i : last];
}

static void add_leaf(leaves *all, nn_array *value, nn_array *delta,
                     int is_child, int is_reference)
{
    size_t n = (size_t)nn_elements(value);
    leaf made = {value, delta, is_child, is_reference, NULL, NULL};

    assert_true(all->n < LEAVES);
    made.before = calloc(n, sizeof(double));
    made.wanted = calloc(n, sizeof(double));
    all->list[all->n++] = made;
}

static void add_parameters(leaves *all, alone *a, int is_child)
{
    uint32_t i;
    uint32_t j;

    for (i = 0; i < a->parameters.n; ++i)
        add_leaf(all, &a->parameters.list[i].array,
                 &a->parameters.list[i].delta, is_child, 0);
    for (i = 0; i < a->n_children; ++i)
        for (j = 0; j < a->children[i]->n; ++j)
            add_parameters(all, a->children[i]->layers[j], 1);
}

static void collect(leaves *all, alone *a)
{
    uint32_t i;

    memset(all, 0, sizeof *all);
    for (i = 0; i < a->n_inputs; ++i)
        if (nn_present(&a->inputs[i]) &&
            !(input_port(a, i)->flags & NN_PORT_NO_DELTA))
            add_leaf(all, &a->inputs[i], &a->input_deltas[i], 0, 0);
    add_parameters(all, a, 0);
    for (i = 0; i < a->n_references; ++i)
        if (a->reference_deltas[i].mode == NN_ADD)
            add_leaf(all, &a->references[i], &a->reference_deltas[i], 0, 1);
}

static void release(leaves *all)
{
    uint32_t i;

    for (i = 0; i < all->n; ++i) {
        free(all->list[i].before);
        free(all->list[i].wanted);
    }
}

static double scalar(alone *a, uint32_t flags)
{
    double total = 0;
    uint32_t i;
    int64_t k;

    alone_reset(a);
    assert_int_equal(alone_forward(a, flags), 0);
    for (i = 0; i < a->outputs.n; ++i) {
        const alone_buffer *b = &a->outputs.list[i];

        if (b->delta.mode == NN_DISCARD)
            continue;
        for (k = 0; k < nn_elements(&b->array); ++k)
            total += alone_get(&b->delta, k) * alone_get(&b->array, k);
    }
    return total;
}

static void differentiate(alone *a, leaf *l, uint32_t flags)
{
    int64_t k;

    for (k = 0; k < nn_elements(l->value); ++k) {
        double x = alone_get(l->value, k);
        double above;
        double below;

        alone_set(l->value, k, x + STEP);
        above = scalar(a, flags);
        alone_set(l->value, k, x - STEP);
        below = scalar(a, flags);
        alone_set(l->value, k, x);
        l->wanted[k] = (above - below) / (2 * STEP);
    }
}

static void compare(const leaf *l, const char *layer, uint32_t number)
{
    int adds = l->is_child || l->delta->mode == NN_ADD;
    int64_t k;

    if (l->delta->mode == NN_DISCARD)
        return;
    for (k = 0; k < nn_elements(l->value); ++k) {
        double got = alone_get(l->delta, k) - (adds ? l->before[k] : 0);

        if (!(fabs(got - l->wanted[k]) <= TOLERANCE * (1 + fabs(l->wanted[k]))))
            fail_msg("%s, array %u, element %lld, mode %u: %.12g, not %.12g",
                     layer, number, (long long)k, l->delta->mode, got,
                     l->wanted[k]);
    }
}

static void set_mode(leaf *l, uint32_t mode)
{
    int64_t k;

    if (!l->is_child && !l->is_reference)
        l->delta->mode = mode;
    if (l->is_child)
        return;
    if (l->is_reference || mode == NN_ADD)
        alone_random(l->delta, NN_CONTENT_ANY, 0);
    else
        alone_fill(l->delta, NAN);
    for (k = 0; k < nn_elements(l->value); ++k)
        l->before[k] = alone_get(l->delta, k);
}

/* Members of a group have the mode of the group. */
static void set_modes(alone *a, leaves *all, uint32_t mode)
{
    uint32_t i;

    for (i = 0; i < all->n; ++i)
        set_mode(&all->list[i], mode == MIXED ? i % 3 : mode);
    for (i = 0; i < a->parameters.n && a->n_groups; ++i)
        if (a->parameters.list[i].group[0])
            a->parameters.list[i].delta.mode = mode == MIXED ? NN_ADD : mode;
    for (i = 0; i < a->n_groups; ++i)
        a->group_gradients[i].mode = mode == MIXED ? NN_ADD : mode;
    if (mode == MIXED && a->n_groups)
        for (i = 0; i < all->n; ++i)
            if (all->list[i].delta->memory == a->group_gradients[0].memory)
                set_mode(&all->list[i], NN_ADD);
}

void alone_want_output_delta(alone *a, uint32_t index, int wanted)
{
    alone_buffer *b = &a->outputs.list[index];

    if (!(b->declared.flags & NN_BUFFER_NO_DELTA))
        b->delta.mode = wanted ? NN_WRITE : NN_DISCARD;
}

void alone_randomize(alone *a)
{
    int64_t classes = nn_present(&a->inputs[0]) ? nn_columns(&a->inputs[0]) : 1;
    leaves all;
    uint32_t i;

    collect(&all, a);
    for (i = 0; i < all.n; ++i)
        alone_random(all.list[i].value, NN_CONTENT_ANY, 0);
    release(&all);
    for (i = 0; i < a->n_inputs; ++i)
        if (nn_present(&a->inputs[i]))
            alone_random(&a->inputs[i], input_port(a, i)->content, classes);
    for (i = 0; i < a->outputs.n; ++i)
        alone_random(&a->outputs.list[i].delta, NN_CONTENT_ANY, 0);
}

/* A sum over all elements that backward may only read. */
static double fingerprint(const alone *a)
{
    double total = 0;
    double weight = 1;
    uint32_t i;
    int64_t k;

#define MIX(array)                                                             \
    for (k = 0; k < nn_elements(array); ++k, weight = fmod(weight * 1.7, 3.1)) \
    total += weight * alone_get(array, k)
    for (i = 0; i < a->n_inputs; ++i)
        if (nn_present(&a->inputs[i]))
            MIX(&a->inputs[i]);
    for (i = 0; i < a->outputs.n; ++i) {
        MIX(&a->outputs.list[i].array);
        MIX(&a->outputs.list[i].delta);
    }
    for (i = 0; i < a->parameters.n; ++i)
        MIX(&a->parameters.list[i].array);
    for (i = 0; i < a->state.n; ++i)
        MIX(&a->state.list[i].array);
#undef MIX
    return total;
}

static void check_written(const alone *a)
{
    uint32_t i;
    int64_t k;

    for (i = 0; i < a->outputs.n; ++i)
        for (k = 0; k < nn_elements(&a->outputs.list[i].array); ++k)
            if (isnan(alone_get(&a->outputs.list[i].array, k)))
                fail_msg("%s: element %lld of output %u is not written",
                         a->component->name, (long long)k, i);
}

/* All modes for the outputs whose bit is set in SUBSET. */
static void check_subset(alone *a, uint32_t flags, uint32_t subset)
{
    leaves all;
    uint32_t mode;
    uint32_t i;

    for (i = 0; i < a->outputs.n; ++i)
        alone_want_output_delta(a, i, subset >> i & 1);
    collect(&all, a);
    for (i = 0; i < all.n; ++i)
        differentiate(a, &all.list[i], flags);
    for (mode = NN_WRITE; mode <= MIXED; ++mode) {
        double before;

        set_modes(a, &all, mode);
        scalar(a, flags);
        check_written(a);
        before = fingerprint(a);
        assert_int_equal(alone_backward(a), 0);
        assert_true(before == fingerprint(a));
        for (i = 0; i < all.n; ++i)
            compare(&all.list[i], a->component->name, i);
    }
    set_modes(a, &all, NN_WRITE);
    release(&all);
}

void alone_check_gradients(alone *a, uint32_t flags)
{
    uint32_t subset;

    flags |= NN_PASS_BACKWARD;
    for (subset = 0; subset < 1u << a->outputs.n; ++subset)
        check_subset(a, flags, subset);
    for (subset = 0; subset < a->outputs.n; ++subset)
        alone_want_output_delta(a, subset, 1);
}
