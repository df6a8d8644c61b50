/* SPDX-License-Identifier: MIT */
/* life.c - making, using in any order, and destroying. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conformance/data/host.h"
#include "conformance/layer/compare.h"
#include "conformance/layer/more.h"
#include "conformance/plugin/process.h"

#define LIVES 20
#define MOST_FAILURES 400
#define MOST_CASES 3u

static const char *message(void)
{
    const char *text = NULL;

    nn_error(NULL, &text);
    return text ? text : "";
}

/* ---- layer.mem.leak ----------------------------------------------------- */

static void judge_blocks(trial *t, const char *where, const check_host *host)
{
    trial_tested(t, 1);
    if (host->blocks)
        trial_fail(t, where, "all memory of the host is returned",
                   trial_text(t, "%lld blocks are not",
                              (long long)host->blocks));
}

/* Lives of ONE, one after the other. */
static void live_often(trial *t, const layer_case *one, check_host *host)
{
    const bench_options options = {.host = &host->host};
    const char *where = trial_text(t, "%d lives of case %s", LIVES, one->label);
    process before = process_look();
    int i;

    for (i = 0; i < LIVES && trial_failures(t) < 3; ++i) {
        bench *b = bench_create(t, one, &options);

        if (b && i % 2)
            bench_forward(b);
        bench_destroy(b);
    }
    judge_blocks(t, where, host);
    process_judge(t, where, before);
}

/* Sets ONE up while allocation N fails.  Returns 1 if it was reached. */
static int fail_setup(trial *t, const layer_case *one, check_host *host,
                      int64_t n)
{
    const char *where = trial_text(t, "allocation %" PRId64 " of case %s", n,
                                   one->label);
    int64_t before = host->allocations;
    const char *why = NULL;
    nn_config *config;
    int reached;

    check_host_clear(host);
    check_host_fail_after(host, n);
    config = layer_config_for(t, layer_case_text(t, one, NN_FLOAT64, 0),
                              &host->host, &why);
    reached = host->allocations >= before + n;
    check_host_fail_after(host, 0);
    if (reached && !config && (!why || !*why))
        trial_fail(t, where, "a refusal with a message", "none");
    nn_config_destroy(config);
    judge_blocks(t, where, host);
    return reached;
}

static void run_leak(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    check_host host;
    uint32_t i;
    int64_t n;

    if (check_host_init(t, &host))
        return;
    for (i = 0; i < cases->count && i < MOST_CASES; ++i) {
        live_often(t, &cases->items[i], &host);
        for (n = 1; n <= MOST_FAILURES && trial_failures(t) < 3; ++n)
            if (!fail_setup(t, &cases->items[i], &host, n))
                break;
    }
}

const check layer_mem_leak = {
    .id = "layer.mem.leak",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "setting up returns what it took, also where it fails",
    .why = "configs are checked many times in one process, by search over "
           "settings for example",
    .run = run_leak,
};

/* ---- layer.life --------------------------------------------------------- */

#define STEPS 40

/* One step that the interface allows. */
static int step(bench *b, const layer_case *one)
{
    trial *t = b->trial;
    uint32_t flags = trial_integer(t, 0, 1) ? NN_PASS_TRAIN : 0;

    switch (trial_integer(t, 0, 4)) {
    case 0:
        return bench_begin(b, trial_integer(t, 1, one->T + 2),
                           trial_integer(t, 1, one->B + 2),
                           flags | NN_PASS_BACKWARD);
    case 1:
        bench_draw(b, t->seed + t->draws);
        return bench_forward(b);
    case 2:
        if (bench_forward(b))
            return -1;
        bench_modes(b, trial_integer(t, 0, 1) ? NN_WRITE : NN_ADD);
        return bench_has_backward(b) ? bench_backward(b) : 0;
    case 3:
        /* More than the network was made for, then again what it can. */
        if (!nn_network_begin(b->network, one->T + 100, one->B, flags))
            trial_fail(t, one->label, "a pass that is too large is refused",
                       "it is not");
        return bench_begin(b, one->T, one->B, flags | NN_PASS_BACKWARD);
    default:
        return bench_begin(b, 1, 1, flags) ||
               (bench_draw(b, t->seed), bench_forward(b)) ||
               bench_begin(b, one->T, one->B, flags | NN_PASS_BACKWARD);
    }
}

/* What a fresh instance computes. */
static const snapshot *fresh(trial *t, const layer_case *one)
{
    bench *b = bench_create(t, one, NULL);
    const snapshot *s = NULL;

    if (b) {
        bench_draw(b, t->seed);
        s = more_run(b);
    }
    bench_destroy(b);
    return s;
}

static void live_at_random(trial *t, const layer_case *one)
{
    const bench_options options = {.T = one->T + 2, .B = one->B + 2};
    const snapshot *expected = fresh(t, one);
    bench *b = expected ? bench_create(t, one, &options) : NULL;
    const snapshot *got = NULL;
    int code = 0;
    int i;

    for (i = 0; b && i < STEPS && !code && trial_failures(t) < 3; ++i) {
        code = step(b, one);
        trial_tested(t, 1);
    }
    if (b && !code &&
        !bench_begin(b, one->T, one->B, NN_PASS_TRAIN | NN_PASS_BACKWARD)) {
        bench_draw(b, t->seed);
        got = more_run(b);
    }
    if (got)
        compare_exact(b, expected, got,
                      "as in a fresh instance, whatever came before");
    bench_destroy(b);
}

/* Setup alone, and twice, without anything that follows it. */
static void live_shortly(trial *t, const layer_case *one)
{
    const char *text = layer_case_text(t, one, NN_FLOAT64, 0);
    const char *why = NULL;
    nn_config *first = layer_config_for(t, text, NULL, &why);
    nn_config *second = layer_config_for(t, text, NULL, &why);

    trial_tested(t, 1);
    if (!first || !second)
        trial_fail(t, one->label, "it sets up twice", why);
    nn_config_destroy(first);
    nn_config_destroy(second);
}

static void run_life(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    uint32_t i;

    for (i = 0; i < cases->count && trial_failures(t) < 3; ++i) {
        live_shortly(t, &cases->items[i]);
        live_at_random(t, &cases->items[i]);
    }
}

const check layer_life = {
    .id = "layer.life",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STRICT,
    .what = "any legal order of calls leads to the results of a fresh instance",
    .why = "sizes change from batch to batch, passes are evaluated between "
           "updates, and a failed pass is tried again",
    .run = run_life,
};

/* ---- layer.state -------------------------------------------------------- */

#define FIRST "first.nn"
#define SECOND "second.nn"
#define DAMAGED "damaged.nn"

/* The bytes of FILE; *SIZE of them, -1 if it cannot be read. */
static unsigned char *read_file(trial *t, const char *file, int64_t *size)
{
    FILE *in = fopen(file, "rb");
    unsigned char *bytes;

    *size = -1;
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *size = ftell(in);
    rewind(in);
    bytes = trial_alloc(t, (size_t)*size + 1);
    *size = (int64_t)fread(bytes, 1, (size_t)*size, in);
    fclose(in);
    return bytes;
}

static void write_file(const char *file, const unsigned char *bytes,
                       int64_t size)
{
    FILE *out = fopen(file, "wb");

    if (!out)
        return;
    fwrite(bytes, 1, (size_t)size, out);
    fclose(out);
}

static int32_t load(trial *t, const char *file, nn_model **model)
{
    nn_model_options options;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.handler = "reference";
    options.plugins = &t->path;
    options.n_plugins = 1;
    return nn_model_load(file, &options, model);
}

/* Loads FIRST and saves it as SECOND: the same bytes. */
static int load_and_save(trial *t, const char *where)
{
    nn_model *model = NULL;
    int64_t n = 0;
    int64_t m = 0;
    const unsigned char *a;
    const unsigned char *b;
    int code = load(t, FIRST, &model) || nn_model_save(model, SECOND);

    trial_tested(t, 1);
    if (code)
        trial_fail(t, where, "it is loaded and saved again", message());
    nn_model_destroy(model);
    a = read_file(t, FIRST, &n);
    b = read_file(t, SECOND, &m);
    if (!code && (!a || !b || n != m || memcmp(a, b, (size_t)n) != 0))
        trial_fail(t, where, "the file that is saved again is the same",
                   trial_text(t,
                              "%" PRId64 " bytes became %" PRId64
                              ", or some changed",
                              n, m));
    return code;
}

/* A tensor of the file for each parameter and state of B, with its numbers. */
static void judge_tensors(bench *b, const char *where)
{
    static const enum bench_sort sorts[] = {BENCH_PARAMETER, BENCH_STATE};
    nn_checkpoint *file = NULL;
    nn_tensor tensor;
    uint32_t wanted = 0;
    uint32_t found = 0;
    uint32_t i;

    if (nn_checkpoint_open(FIRST, &file)) {
        trial_fail(b->trial, where, "the file can be read", message());
        return;
    }
    for (i = 0; i < 2; ++i)
        wanted += b->sorts[sorts[i]].count;
    for (i = 0; nn_checkpoint_tensor(file, i, &tensor); ++i)
        found += !strncmp(tensor.name, "subject.", 8);
    trial_tested(b->trial, 1);
    if (found < wanted)
        trial_fail(b->trial, where,
                   trial_text(b->trial, "%u parameters and states are kept",
                              wanted),
                   trial_text(b->trial, "%u", found));
    nn_checkpoint_close(file);
}

/* COUNT files that are damaged are refused with a message. */
static void load_damaged(trial *t, const char *where, int count)
{
    int64_t size = 0;
    const unsigned char *whole = read_file(t, FIRST, &size);
    unsigned char *bytes = trial_alloc(t, (size_t)(size > 0 ? size : 1));
    nn_model *model = NULL;
    int i;

    for (i = 0; whole && i < count; ++i) {
        int64_t at = trial_integer(t, 0, size - 1);
        int cut = i % 2;

        memcpy(bytes, whole, (size_t)size);
        bytes[at] ^= (unsigned char)(1u << trial_integer(t, 0, 7));
        write_file(DAMAGED, bytes, cut ? at : size);
        trial_tested(t, 1);
        if (!load(t, DAMAGED, &model))
            trial_fail(t,
                       trial_text(t, "%s, %s at byte %" PRId64, where,
                                  cut ? "cut" : "one bit changed", at),
                       "it is refused", "it is loaded");
        else if (!*message())
            trial_fail(t, where, "a refusal with a message", "none");
        nn_model_destroy(model);
        model = NULL;
    }
}

/* Outputs of a bench whose parameters and state come from FROM: those that are
 * all there is to know of FROM. */
static void compare_copy(bench *from, const char *where)
{
    const uint32_t known = SORTS_VARIABLES | SORT(BENCH_STATE);
    bench *copy = bench_create(from->trial, from->one, NULL);
    const snapshot *values = snapshot_take(from, known);
    const snapshot *a = NULL;
    const snapshot *b = NULL;
    enum bench_sort sort;
    uint32_t k;

    for (sort = 0; copy && sort < BENCH_SORTS; ++sort)
        for (k = 0; known & SORT(sort) && k < copy->sorts[sort].count; ++k)
            if (values->counts[sort][k])
                bench_set(copy, sort, k, values->values[sort][k]);
    if (copy) {
        from->keep_state = copy->keep_state = 1;
        copy->context->random = from->context->random;
        a = bench_forward(from) ? NULL
                                : snapshot_take(from, SORT(BENCH_OUTPUT));
        b = a && !bench_forward(copy) ? snapshot_take(copy, SORT(BENCH_OUTPUT))
                                      : NULL;
        from->keep_state = 0;
    }
    if (b)
        compare_exact(from, a, b,
                      trial_text(from->trial,
                                 "%s: parameters and state are "
                                 "all that an instance is",
                                 where));
    bench_destroy(copy);
}

static int n_damaged; /* 1: a file was damaged in many places */

static void test_state(bench *b)
{
    const char *where = trial_text(b->trial, "case %s", b->one->label);
    int i;

    b->keep_state = 1; /* a state of some passes */
    for (i = 0; i < 3; ++i) {
        bench_draw(b, b->trial->seed + (uint64_t)i);
        if (bench_forward(b))
            return;
    }
    if (nn_model_save(b->model, FIRST)) {
        trial_fail(b->trial, where, "the model is saved", message());
        return;
    }
    if (load_and_save(b->trial, where))
        return;
    judge_tensors(b, where);
    load_damaged(b->trial, where, n_damaged ? 2 : 24);
    n_damaged = 1;
    compare_copy(b, where);
    remove(FIRST);
    remove(SECOND);
    remove(DAMAGED);
}

static void run_state(trial *t)
{
    const layer_cases *cases = layer_cases_or_skip(t);
    uint32_t most = t->level > LEVEL_STANDARD ? cases->count : 8;
    uint32_t i;

    for (i = 0; i < cases->count && i < most && trial_failures(t) < 3; ++i) {
        bench *b = bench_create(t, &cases->items[i], NULL);

        if (b)
            test_state(b);
        bench_destroy(b);
    }
}

const check layer_state = {
    .id = "layer.state",
    .kind = NN_KIND_LAYER,
    .level = LEVEL_STANDARD,
    .what = "parameters and state come back from a file as they were, and are "
            "all that counts",
    .why = "a model that was trained is that file: what a layer keeps "
           "elsewhere is lost",
    .run = run_state,
};
