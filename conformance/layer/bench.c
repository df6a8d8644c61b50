/* SPDX-License-Identifier: MIT */
/* bench.c - making a bench, and its runs; values.c has its arrays.
 *
 * The network is the core's own: it lays out the buffers, fills frames of
 * context, makes the copies that a port asks for, and hands the layer the same
 * context as in training.  The bench replaces in it the modes of what backward
 * writes, and deltas that share memory with what backward reads (the core lays
 * inputs of a concatenation out as columns of its output). */
#include "conformance/layer/guard.h"
#include "conformance/layer/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT "subject"
#define HEARD 1000 /* bytes of a finding */

/* Says that WHAT failed with the library's message. */
static int failed(bench *b, const char *what)
{
    const char *text = NULL;

    nn_error(NULL, &text);
    trial_fail(b->trial,
               trial_text(b->trial, "%s of case %s", what, b->one->label),
               "success", text ? text : "an error without a message");
    return -1;
}

static const char *handler_of(const bench *b, const bench_options *options)
{
    if (options && options->handler)
        return options->handler;
    return options && options->on_handler && b->trial->handler &&
                   *b->trial->handler
               ? b->trial->handler
               : "reference";
}

static int make_device(bench *b, const bench_options *options, uint32_t real)
{
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  real, 1};

    if (nn_part_create(b->trial->plugins, NN_KIND_HANDLER,
                       handler_of(b, options), NULL, &b->part) ||
        nn_device_create(b->part, &request, &b->device))
        return failed(b, "handler");
    if (!options || !options->guarded)
        return 0;
    b->inner = b->device;
    b->device = NULL;
    if (guard_device(b->trial, b->inner, real, &b->device))
        return failed(b, "handler with guards");
    return 0;
}

static int make_model(bench *b, const bench_options *options)
{
    static const char *const keep[] = {"*"};
    nn_model_options o;

    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.training = 1;
    o.deltas = 1;
    o.T = options && options->T > b->one->T ? options->T : b->one->T;
    o.B = options && options->B > b->one->B ? options->B : b->one->B;
    o.seed = 1;
    o.keep = keep;
    o.n_keep = 1;
    o.device = b->device;
    if (nn_model_create(b->config, &o, &b->model))
        return failed(b, "making the network");
    b->network = nn_model_network(b->model);
    return 0;
}

bench *bench_create(trial *trial, const layer_case *one,
                    const bench_options *options)
{
    bench *b = trial_alloc(trial, sizeof *b);
    uint32_t real = options && options->real ? options->real : NN_FLOAT64;
    const char *why = NULL;

    b->trial = trial;
    b->one = one;
    b->sliced = options && options->sliced;
    if (options && options->shared)
        b->config = layer_config_for(trial,
                                     layer_case_text(trial, one, real,
                                                     TEXT_SHARED),
                                     options->host, NULL);
    if (!b->config)
        b->config = layer_config_for(trial,
                                     layer_case_text(trial, one, real,
                                                     b->sliced ? TEXT_SLICED
                                                               : 0),
                                     options ? options->host : NULL, &why);
    if (!b->config) {
        trial_fail(trial, trial_text(trial, "case %s", one->label),
                   "a config that is accepted as it was before", why);
        return NULL;
    }
    if (make_device(b, options, real) || make_model(b, options) ||
        bench_begin(b, one->T, one->B, NN_PASS_TRAIN | NN_PASS_BACKWARD)) {
        bench_destroy(b);
        return NULL;
    }
    return b;
}

void bench_destroy(bench *b)
{
    uint32_t i;

    if (!b)
        return;
    nn_model_destroy(b->model);
    for (i = 0; i < b->n_blocks; ++i)
        nn_device_functions(b->device)->release(nn_device_handler(b->device),
                                                b->blocks[i]);
    nn_device_destroy(b->device);
    nn_device_destroy(b->inner);
    nn_part_destroy(b->part);
    nn_config_destroy(b->config);
    memset(b, 0, sizeof *b);
}

int bench_has_backward(const bench *b)
{
    return b->backward;
}

/* ---- every case -------------------------------------------------------- */

/* Keeps the first finding of a handler such as debug: "NN-dot_mm-shape...". */
static void hear(void *self, uint32_t level, const char *text)
{
    char *first = self;

    (void)level;
    if (!*first && !strncmp(text, "NN-", 3))
        snprintf(first, HEARD, "%s", text);
}

/* Runs ONE; 1 if it could be. */
static int run_case(trial *trial, const layer_case *one, uint64_t seed,
                    const bench_options *options, int backward,
                    void (*run)(bench *b))
{
    char heard[HEARD] = "";
    bench *b;
    int ran = 0;

    nn_log_to(hear, heard);
    b = bench_create(trial, one, options);
    if (b && (!backward || bench_has_backward(b))) {
        bench_draw(b, seed);
        run(b);
        ran = 1;
    }
    bench_destroy(b);
    nn_log_to(NULL, NULL);
    if (*heard)
        trial_fail(trial, trial_text(trial, "case %s", one->label),
                   "no finding of the handler", heard);
    return ran;
}

void bench_each(trial *trial, const bench_options *options, int backward,
                void (*run)(bench *b))
{
    const layer_cases *cases = layer_cases_or_skip(trial);
    int64_t failures = trial_failures(trial);
    int ran = 0;
    uint32_t i;

    for (i = 0; i < cases->count && trial_failures(trial) < failures + 3; ++i)
        ran |= run_case(trial, &cases->items[i], trial->seed + i, options,
                        backward, run);
    if (cases->count && !ran && trial_failures(trial) == failures)
        trial_skip(trial, "the layer has no derivative");
}

/* ---- a pass ------------------------------------------------------------ */

int bench_begin(bench *b, int64_t T, int64_t B, uint32_t flags)
{
    if (nn_network_begin(b->network, T, B, flags))
        return failed(b, "beginning a pass");
    b->T = T;
    b->B = B;
    b->flags = flags;
    if (nn_network_layer(b->network, SUBJECT, NN_PASS_FORWARD_OF, &b->context))
        return failed(b, "the layer alone");
    values_collect_forward(b);
    b->backward = (flags & NN_PASS_BACKWARD) &&
                  !nn_network_layer(b->network, SUBJECT, NN_PASS_BACKWARD_OF,
                                    &b->context);
    values_collect_backward(b);
    return 0;
}

/* What every run starts from. */
static void restore(bench *b, enum bench_sort sort)
{
    uint32_t i;

    for (i = 0; i < b->sorts[sort].count; ++i)
        if (b->sorts[sort].items[i].kept)
            bench_set(b, sort, i, b->sorts[sort].items[i].kept);
}

/* Puts output 0 where input 0 is. */
static void put_in_place(bench *b)
{
    uint32_t i;

    if (!b->in_place)
        return;
    for (i = 0; i < b->context->n_outputs; ++i)
        b->outputs[i] = b->context->outputs[i];
    b->outputs[0].memory = b->context->inputs[0].memory;
    b->outputs[0].offset = b->context->inputs[0].offset;
    b->outputs[0].pitch = b->context->inputs[0].pitch;
    b->context->outputs = b->outputs;
}

int bench_forward(bench *b)
{
    int32_t code;

    if (b->in_place &&
        nn_network_layer(b->network, SUBJECT, NN_PASS_FORWARD_OF, &b->context))
        return failed(b, "the layer alone");
    put_in_place(b);

    if (!b->keep_state)
        restore(b, BENCH_STATE);
    if (b->aliased)
        restore(b, BENCH_INPUT);
    trial_enter(b->trial, "forward");
    code = nn_network_run(b->network, SUBJECT, NN_PASS_FORWARD_OF, 0);
    trial_leave(b->trial);
    return code ? failed(b, "forward") : 0;
}

int bench_forward_on(bench *b, double poison)
{
    uint32_t i;

    for (i = 0; i < b->sorts[BENCH_OUTPUT].count; ++i)
        bench_fill(b, BENCH_OUTPUT, i, poison);
    for (i = 0; i < b->sorts[BENCH_INTERNAL].count; ++i)
        bench_fill(b, BENCH_INTERNAL, i, poison);
    restore(b, BENCH_INPUT);
    return bench_forward(b);
}

/* Puts the arrays of SORT, with their modes, into TO, and returns it. */
static const nn_array *put(bench *b, enum bench_sort sort, nn_array *to)
{
    const bench_values *values = &b->sorts[sort];
    uint32_t i;

    for (i = 0; i < values->own; ++i) {
        to[i] = values->items[i].array;
        to[i].mode = values->items[i].mode;
        if (to[i].mode == NN_DISCARD && !b->discard_memory)
            to[i].memory = NULL;
    }
    return to;
}

/* The groups of gradients with the mode of their members. */
static const nn_array *put_groups(bench *b)
{
    const bench_values *values = &b->sorts[BENCH_GRADIENT];
    uint32_t i;

    for (i = 0; i < b->context->n_parameter_groups; ++i)
        b->groups[i] = b->context->gradient_groups[i];
    for (i = 0; i < values->own; ++i)
        if (values->items[i].group >= 0)
            b->groups[values->items[i].group].mode = values->items[i].mode;
    return b->groups;
}

/* Children add to gradients, so those start from zero. */
static void clear_children(bench *b)
{
    const bench_values *values = &b->sorts[BENCH_GRADIENT];
    uint32_t i;

    for (i = values->own; i < values->count; ++i)
        if (values->items[i].mode == NN_WRITE)
            bench_fill(b, BENCH_GRADIENT, i, 0.0);
}

static void clear_references(bench *b)
{
    const bench_values *values = &b->sorts[BENCH_REFERENCE_DELTA];
    uint32_t i;

    for (i = 0; i < values->count; ++i)
        if (values->items[i].count && values->items[i].mode == NN_WRITE)
            bench_fill(b, BENCH_REFERENCE_DELTA, i, 0.0);
}

int bench_backward(bench *b)
{
    int32_t code;

    if (nn_network_layer(b->network, SUBJECT, NN_PASS_BACKWARD_OF, &b->context))
        return failed(b, "backward");
    clear_children(b);
    clear_references(b);
    b->context->input_deltas = put(b, BENCH_INPUT_DELTA, b->input_deltas);
    b->context->output_deltas = put(b, BENCH_OUTPUT_DELTA, b->output_deltas);
    b->context->gradients = put(b, BENCH_GRADIENT, b->gradients);
    b->context->gradient_groups = put_groups(b);
    put_in_place(b);
    trial_enter(b->trial, "backward");
    code = nn_network_run(b->network, SUBJECT, NN_PASS_BACKWARD_OF,
                          NN_ACCUMULATE);
    trial_leave(b->trial);
    return code ? failed(b, "backward") : 0;
}

void bench_modes(bench *b, uint32_t mode)
{
    enum bench_sort sort;
    uint32_t i;

    for (sort = BENCH_INPUT_DELTA; sort <= BENCH_REFERENCE_DELTA; ++sort)
        for (i = 0; i < b->sorts[sort].count; ++i)
            if (!(b->sorts[sort].items[i].flags & BENCH_UNWANTED))
                b->sorts[sort].items[i].mode = mode;
}
