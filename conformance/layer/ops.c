/* SPDX-License-Identifier: MIT */
/* ops.c - a layer works through the operations of any handler, also of one
 * whose memory it cannot see and of one that fails. */
#include <inttypes.h>
#include <string.h>

#include "conformance/layer/compare.h"
#include "conformance/layer/more.h"
#include "conformance/layer/ops_wrap.h"

#define MOST_CASES 4u
#define MOST_FAILURES 400 /* operations that are made fail, a case and code */

/* ---- layer.ops.handler-only --------------------------------------------- */

/* 1 if both are the same; layer.det.repeat says where not. */
static int is_same(const bench *b, const snapshot *x, const snapshot *y)
{
    enum bench_sort sort;
    uint32_t k;

    for (sort = 0; sort < BENCH_SORTS; ++sort)
        for (k = 0; x->sorts & SORT(sort) && k < b->sorts[sort].count; ++k)
            if (x->counts[sort][k] &&
                memcmp(x->values[sort][k], y->values[sort][k],
                       (size_t)x->counts[sort][k] * sizeof(double)) != 0)
                return 0;
    return 1;
}

static void compare_handlers(trial *t, wrap *w, const layer_case *one)
{
    bench *plain = bench_create(t, one, NULL);
    int32_t code = 0;
    bench *b = plain ? wrap_bench(w, one, &code) : NULL;
    const snapshot *expected = NULL;
    const snapshot *again = NULL;
    const snapshot *got = NULL;
    const char *text = NULL;

    if (plain && !b) {
        nn_error(NULL, &text);
        trial_fail(t, one->label, "it sets up on a handler without extensions",
                   text);
    }
    if (b) {
        bench_draw(plain, t->seed);
        bench_draw(b, t->seed);
        expected = more_run(plain);
        again = expected ? more_run(plain) : NULL;
        got = again ? more_run(b) : NULL;
    }
    if (got && is_same(plain, expected, again))
        compare_close(b, expected, got, 4 * rounding_factor(b),
                      "as on the handler that it hides");
    wrap_bench_destroy(b);
    bench_destroy(plain);
}

static void run_handler_only(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    wrap *w = cases->count ? wrap_create(t, "reference") : NULL;
    uint32_t i;

    if (!w)
        return;
    for (i = 0; i < cases->count && i < MOST_CASES; ++i)
        compare_handlers(t, w, &cases->items[i]);
    trial_tested(t, 1);
    if (wrap_maps(w))
        trial_fail(t, "map of the handler", "no layer calls it",
                   trial_text(t, "%" PRId64 " calls", wrap_maps(w)));
    wrap_destroy(w);
}

const check layer_ops_handler_only = {
    .id = "layer.ops.handler-only",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_BASIC,
    .what = "it works on a handler whose memory only operations reach",
    .why = "the memory of a GPU is no memory of this process: a layer that "
           "reads or writes it itself is killed there",
    .run = run_handler_only,
};

/* ---- layer.ops.unsupported ---------------------------------------------- */

static int32_t run_pass(bench *b, uint32_t pass)
{
    int32_t code;

    trial_enter(b->trial, pass == NN_PASS_FORWARD_OF ? "forward" : "backward");
    code = nn_network_run(b->network, "subject", pass, NN_ACCUMULATE);
    trial_leave(b->trial);
    return code;
}

/* Forward and backward while operation N fails with CODE.  Returns 1 if there
 * was such an operation. */
static int fail_one(wrap *w, bench *b, int64_t n, int32_t code)
{
    const char *where = trial_text(b->trial, "operation %" PRId64 " of case %s",
                                   n, b->one->label);
    int32_t got;
    int reached;

    wrap_fail(w, n, code);
    got = run_pass(b, NN_PASS_FORWARD_OF);
    if (!got && bench_has_backward(b))
        got = run_pass(b, NN_PASS_BACKWARD_OF);
    reached = wrap_error(w) != 0;
    trial_tested(b->trial, 1);
    if (reached && wrap_error(w) != code)
        trial_fail(b->trial, where,
                   trial_text(b->trial, "the handler holds the error %d", code),
                   trial_text(b->trial, "%d", wrap_error(w)));
    if (reached && got != code)
        trial_fail(b->trial, where,
                   trial_text(b->trial, "the pass ends with %d", code),
                   trial_text(b->trial, "%d", got));
    wrap_clear(w);
    return reached;
}

static void fail_each(trial *t, wrap *w, const layer_case *one)
{
    static const int32_t codes[] = {NN_UNSUPPORTED, NN_DEVICE, NN_NO_MEMORY};
    int32_t code = 0;
    bench *b = wrap_bench(w, one, &code);
    const snapshot *expected;
    const snapshot *got;
    int64_t n;
    size_t i;

    if (!b)
        return;
    bench_draw(b, t->seed);
    expected = more_run(b);
    for (i = 0; expected && i < sizeof codes / sizeof *codes; ++i)
        for (n = 1; n <= MOST_FAILURES && fail_one(w, b, n, codes[i]) &&
                    trial_failures(t) < 4;
             ++n)
            continue;
    got = expected ? more_run(b) : NULL;
    if (got)
        compare_exact(b, expected, got, "as before operations failed");
    wrap_bench_destroy(b);
}

/* Making the network while every plan fails with CODE. */
static void fail_plan(trial *t, const layer_case *one, int32_t wanted)
{
    wrap *w = wrap_create(t, t->handler);
    int32_t code = 0;
    bench *b;

    if (!w)
        return;
    wrap_fail_plans(w, wanted);
    trial_enter(t, "prepare");
    b = wrap_bench(w, one, &code);
    trial_leave(t);
    trial_tested(t, 1);
    if (b && wrap_plans(w) && wanted != NN_UNSUPPORTED)
        trial_fail(t, trial_text(t, "a plan of case %s", one->label),
                   trial_text(t, "prepare returns the plan's code %d", wanted),
                   "0");
    if (b) {
        bench_draw(b, t->seed);
        more_run(b);
    }
    wrap_bench_destroy(b);
    wrap_destroy(w);
}

static void run_unsupported(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    wrap *w = cases->count ? wrap_create(t, "reference") : NULL;
    uint32_t i;

    if (!w)
        return;
    for (i = 0; i < cases->count && i < MOST_CASES; ++i) {
        fail_each(t, w, &cases->items[i]);
        fail_plan(t, &cases->items[i], NN_NO_MEMORY);
        fail_plan(t, &cases->items[i], NN_UNSUPPORTED);
    }
    wrap_destroy(w);
}

const check layer_ops_unsupported = {
    .id = "layer.ops.unsupported",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STRICT,
    .what = "an operation or a plan that fails ends the pass, and nothing else",
    .why = "a device runs out of memory in the middle of a pass: the program "
           "then wants a code, and to go on with less",
    .run = run_unsupported,
};
