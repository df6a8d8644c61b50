/* SPDX-License-Identifier: MIT */
/* modifier.c - what a modifier changes, and what it leaves alone. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/training/checks.h"
#include "conformance/training/stepping.h"
#include "conformance/watch.h"

#define MOST 3      /* parameters that it is pointed at */
#define ELEMENTS 20 /* of all of them */
#define ENTRY 384   /* bytes of one entry, more than it has today */

typedef struct modifying_options {
    const char *handler; /* NULL: the trial's */
    uint32_t real;       /* 0: float64 */
    uint32_t count;      /* 0: MOST; above MOST: none */
    int padded;          /* 1: entries of ENTRY bytes */
    double odd;          /* in place of one gradient, if not 0 */
} modifying_options;

typedef struct modifying {
    nn_modifier_context context; /* first */
    trial *t;
    desk desk;
    nn_part *part;
    nn_modifier_interface f;
    nn_array parameters[MOST];
    nn_array gradients[MOST];
    unsigned char *entries;
    int32_t code;
    const char *message;
} modifying;

/* What stands in all arrays, one after the other. */
typedef struct numbers {
    double parameters[ELEMENTS];
    double gradients[ELEMENTS];
} numbers;

/* ---- making ------------------------------------------------------------ */

static double read_element(const nn_modifier_context *context,
                           const nn_array *array, int64_t index)
{
    modifying *m = (modifying *)(uintptr_t)context;
    nn_array element = nn_slice(array, index, 1);
    double value = NAN;

    if (!nn_device_error(m->desk.device, NULL, NULL))
        desk_get(&m->desk, &element, &value);
    return value;
}

static void make_arrays(modifying *m, const modifying_options *options)
{
    static const int64_t shapes[MOST][2] = {{4, 3}, {3, 1}, {5, 1}};
    static const uint32_t ndims[MOST] = {2, 1, 1};
    static const uint32_t tags[MOST] = {0, NN_TAG_BIAS | NN_TAG_NOT_REGULARIZED,
                                        0};
    static const char *const names[MOST] = {"hidden.W", "hidden.bias",
                                            "output.scale"};
    size_t step = options->padded ? ENTRY : sizeof(nn_modified);
    uint32_t count = options->count > MOST ? 0 : MOST;
    uint32_t i;

    m->entries = trial_alloc(m->t, (MOST + 1) * ENTRY);
    memset(m->entries, 0x5A, (MOST + 1) * ENTRY);
    for (i = 0; i < MOST; ++i) {
        nn_modified *one = (nn_modified *)(void *)(m->entries + i * step);

        m->parameters[i] = desk_array(&m->desk, ndims[i], shapes[i]);
        m->gradients[i] = desk_array(&m->desk, ndims[i], shapes[i]);
        memset(one, 0, sizeof *one);
        one->size = NN_SIZEOF(nn_modified, gradient);
        one->tags = tags[i];
        one->name = names[i];
        one->parameter = m->parameters[i];
        one->gradient = m->gradients[i];
        if (m->f.when == NN_MODIFY_GRADIENT)
            one->parameter.flags = NN_READ_ONLY;
        else
            one->gradient.flags = NN_READ_ONLY;
    }
    m->context.modified = count ? (const nn_modified *)(const void *)m->entries
                                : NULL;
    m->context.modified_size = (uint32_t)step;
    m->context.n_modified = count;
    m->context.scratch = desk_vector(&m->desk, MOST + 1);
    m->context.scratch.shape[0] = m->context.scratch.pitch = 1 + count;
}

static void fill(modifying *m, double odd)
{
    double w[ELEMENTS];
    double g[ELEMENTS];
    int64_t n;
    uint32_t i;
    int64_t k;
    int64_t at = 0;

    for (i = 0; i < MOST; ++i) {
        n = nn_elements(&m->parameters[i]);
        for (k = 0; k < n; ++k, ++at) {
            w[k] = sin(1.7 * (double)at + 0.3);
            g[k] = cos(2.3 * (double)at + 0.1);
        }
        if (odd != 0 && i == 1)
            g[1] = odd;
        desk_set(&m->desk, &m->parameters[i], w);
        desk_set(&m->desk, &m->gradients[i], g);
    }
}

static int modifying_open(trial *t, const char *text, int sure,
                          const modifying_options *options, modifying *out)
{
    const nn_modifier_interface *theirs;

    memset(out, 0, sizeof *out);
    out->t = t;
    if (desk_open(t, options->handler ? options->handler : t->handler,
                  options->real ? options->real : NN_FLOAT64, &out->desk))
        return -1;
    out->part = check_host_part(t, &out->desk.host, text);
    if (!out->part) {
        if (sure)
            trial_fail(t, trial_text(t, "a modifier with %s", text),
                       "a config that is accepted",
                       check_host_message(&out->desk.host));
        desk_close(&out->desk);
        return -1;
    }
    theirs = nn_part_component(out->part)->interface;
    memcpy(&out->f, theirs,
           theirs->size < sizeof out->f ? theirs->size : sizeof out->f);
    make_arrays(out, options);
    fill(out, options->odd);
    out->context.size = NN_SIZEOF(nn_modifier_context, read);
    out->context.host = &out->desk.host.host;
    out->context.params = nn_part_params(out->part);
    out->context.ops = nn_device_operations(out->desk.device);
    out->context.update = 1;
    out->context.read = read_element;
    return 0;
}

static void modifying_close(modifying *m)
{
    nn_part_destroy(m->part);
    desk_close(&m->desk);
}

static int32_t modify(modifying *m)
{
    check_host_clear(&m->desk.host);
    trial_enter(m->t, "modify");
    m->code = m->f.modify(&m->context);
    trial_leave(m->t);
    m->message = trial_text(m->t, "%s", check_host_message(&m->desk.host));
    ++m->context.update;
    return m->code;
}

static void look(modifying *m, numbers *out)
{
    int64_t at = 0;
    uint32_t i;

    for (i = 0; i < MOST; ++i) {
        desk_get(&m->desk, &m->parameters[i], out->parameters + at);
        desk_get(&m->desk, &m->gradients[i], out->gradients + at);
        at += nn_elements(&m->parameters[i]);
    }
}

/* What TEXT makes of the usual numbers; -1 if it is refused. */
static int result(trial *t, const char *text, int sure,
                  const modifying_options *options, numbers *out)
{
    modifying m;
    int32_t code;

    if (modifying_open(t, text, sure, options, &m))
        return -1;
    code = modify(&m);
    look(&m, out);
    desk_judge(&m.desk, trial_text(t, "modify with %s", text));
    if (code)
        trial_fail(t, trial_text(t, "modify with %s", text), "0",
                   trial_text(t, "%d: %s", code, m.message));
    modifying_close(&m);
    return code ? -1 : 0;
}

static void each(trial *t, texts_run run)
{
    texts_each(t, training_texts(t), run);
}

/* ---- modifier.when ----------------------------------------------------- */

static void when_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    modifying m;

    if (modifying_open(t, text, sure, &options, &m))
        return;
    trial_tested(t, 1);
    if (m.f.when != NN_MODIFY_GRADIENT && m.f.when != NN_MODIFY_PARAMETER)
        trial_fail(t, "when", "NN_MODIFY_GRADIENT or NN_MODIFY_PARAMETER",
                   trial_text(t, "%u", m.f.when));
    if (modify(&m))
        trial_fail(t, trial_text(t, "modify with %s", text), "0",
                   trial_text(t, "%d: %s", m.code, m.message));
    modifying_close(&m);
}

static void run_when(trial *t)
{
    each(t, when_text);
}

const check modifier_when = {
    "modifier.when",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "it works before the step or after it, and does",
    "the core calls it at one of the two moments; at neither, it does nothing "
    "in silence",
    0,
    run_when,
};

/* ---- modifier.only ----------------------------------------------------- */

static void only_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    numbers before;
    numbers after;
    modifying m;
    int before_step;

    if (modifying_open(t, text, sure, &options, &m))
        return;
    before_step = m.f.when == NN_MODIFY_GRADIENT;
    look(&m, &before);
    if (!modify(&m)) {
        look(&m, &after);
        training_compare(t,
                         trial_text(t, "%s with %s",
                                    before_step ? "parameters" : "gradients",
                                    text),
                         before_step ? before.parameters : before.gradients,
                         before_step ? after.parameters : after.gradients,
                         ELEMENTS, 0);
    }
    desk_judge(&m.desk, "modify");
    modifying_close(&m);
}

static void run_only(trial *t)
{
    each(t, only_text);
}

const check modifier_only = {
    "modifier.only",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "before the step only gradients change, after it only parameters",
    "the other arrays are read by the stepper, by hooks and by the modifiers "
    "after it",
    0,
    run_only,
};

/* ---- modifier.empty ---------------------------------------------------- */

static void empty_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    numbers before;
    numbers after;
    modifying m;

    options.count = MOST + 1;
    if (modifying_open(t, text, sure, &options, &m))
        return;
    look(&m, &before);
    trial_tested(t, 1);
    if (modify(&m))
        trial_fail(t, trial_text(t, "no parameters, with %s", text), "0",
                   trial_text(t, "%d: %s", m.code, m.message));
    look(&m, &after);
    training_compare(t, "gradients of others", before.gradients,
                     after.gradients, ELEMENTS, 0);
    desk_judge(&m.desk, "modify without parameters");
    modifying_close(&m);
}

static void run_empty(trial *t)
{
    each(t, empty_text);
}

const check modifier_empty = {
    "modifier.empty",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "pointed at no parameter it does nothing",
    "a pattern may match only frozen parameters",
    0,
    run_empty,
};

/* ---- modifier.entries -------------------------------------------------- */

static void entries_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    numbers usual;
    numbers padded;

    if (result(t, text, sure, &options, &usual))
        return;
    options.padded = 1;
    if (result(t, text, 1, &options, &padded))
        return;
    training_compare(t,
                     trial_text(t, "gradients of longer entries with %s", text),
                     usual.gradients, padded.gradients, ELEMENTS, 0);
    training_compare(t,
                     trial_text(t, "parameters of longer entries with %s",
                                text),
                     usual.parameters, padded.parameters, ELEMENTS, 0);
}

static void run_entries(trial *t)
{
    each(t, entries_text);
}

const check modifier_entries = {
    "modifier.entries",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "entries are as long as modified_size says",
    "a newer host has longer ones; who steps by its own sizeof reads from the "
    "second on nonsense",
    0,
    run_entries,
};

/* ---- modifier.not-finite ----------------------------------------------- */

static void judge_spread(trial *t, const char *text, double odd)
{
    modifying_options options = {0};
    modifying m;
    numbers after;
    int64_t i;

    options.odd = odd;
    /* A handler that watches ends at the first NaN. */
    if (strstr(t->handler, "debug"))
        options.handler = "reference";
    if (modifying_open(t, text, 0, &options, &m))
        return;
    trial_tested(t, 1);
    modify(&m);
    look(&m, &after);
    check_host_code(t, &m.desk.host,
                    trial_text(t, "a gradient with %g, with %s", odd, text),
                    m.code);
    for (i = 0; i < ELEMENTS && !m.code; ++i)
        if (!isfinite(after.parameters[i]) ||
            (i != 13 && !isfinite(after.gradients[i]))) {
            trial_fail(t,
                       trial_text(t, "a gradient with %g, with %s", odd, text),
                       "an error, or all others finite",
                       trial_text(t, "0, and element %" PRId64 " is not", i));
            break;
        }
    modifying_close(&m);
}

static void not_finite_text(trial *t, const char *text, int sure)
{
    (void)sure;
    judge_spread(t, text, NAN);
    judge_spread(t, text, INFINITY);
    judge_spread(t, text, -INFINITY);
}

static void run_not_finite(trial *t)
{
    each(t, not_finite_text);
}

const check modifier_not_finite = {
    "modifier.not-finite",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "a number that is not finite is an error, or stays where it is",
    "a norm that is NaN makes NaN of every parameter, and the run is lost "
    "where an error could have said at which update and in which layer",
    0,
    run_not_finite,
};

/* ---- modifier.deterministic -------------------------------------------- */

static void deterministic_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    numbers one;
    numbers two;

    if (result(t, text, sure, &options, &one) ||
        result(t, text, 1, &options, &two))
        return;
    training_compare(t, trial_text(t, "gradients again with %s", text),
                     one.gradients, two.gradients, ELEMENTS, 0);
    training_compare(t, trial_text(t, "parameters again with %s", text),
                     one.parameters, two.parameters, ELEMENTS, 0);
}

static void run_deterministic(trial *t)
{
    each(t, deterministic_text);
    training_watch(t, "modify");
}

const check modifier_deterministic = {
    "modifier.deterministic",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "the same numbers give the same bits",
    "it keeps nothing between updates: no checkpoint would have it",
    0,
    run_deterministic,
};

/* ---- modifier.handlers ------------------------------------------------- */

static void handlers_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    numbers wanted;
    numbers got;
    uint32_t real;

    options.handler = "reference";
    if (result(t, text, sure, &options, &wanted))
        return;
    options.handler = t->handler;
    for (real = NN_FLOAT32; real <= NN_FLOAT64; ++real) {
        /* 64 roundings: sums of 20 numbers, a root and a product. */
        double bound = 64 * (real == NN_FLOAT32 ? 1.2e-7 : 2.3e-16);

        options.real = real;
        if (result(t, text, 1, &options, &got))
            return;
        training_compare(t,
                         trial_text(t, "gradients in float%d on %s with %s",
                                    real == NN_FLOAT32 ? 32 : 64, t->handler,
                                    text),
                         wanted.gradients, got.gradients, ELEMENTS, bound);
        training_compare(t,
                         trial_text(t, "parameters in float%d on %s with %s",
                                    real == NN_FLOAT32 ? 32 : 64, t->handler,
                                    text),
                         wanted.parameters, got.parameters, ELEMENTS, bound);
    }
}

static void run_handlers(trial *t)
{
    each(t, handlers_text);
}

const check modifier_handlers = {
    "modifier.handlers",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "float32 and float64 on this handler agree with the reference",
    "a modifier works through operations alone; one that knows how wide a "
    "number is works on one handler",
    0,
    run_handlers,
};

/* ---- modifier.noalloc -------------------------------------------------- */

static void noalloc_text(trial *t, const char *text, int sure)
{
    modifying_options options = {0};
    modifying m;
    long long before;
    uint64_t own;
    int k;

    if (modifying_open(t, text, sure, &options, &m))
        return;
    modify(&m);
    before = m.desk.host.allocations;
    own = watch_group_count(WATCH_MEMORY, "modify");
    for (k = 0; k < 5; ++k)
        modify(&m);
    trial_tested(t, 1);
    if (m.desk.host.allocations != before)
        trial_fail(t, trial_text(t, "modify with %s", text),
                   "no memory of the host",
                   trial_text(t, "%lld blocks in 5 updates",
                              m.desk.host.allocations - before));
    if (watch_group_count(WATCH_MEMORY, "modify") != own)
        trial_fail(t, trial_text(t, "modify with %s", text), "no malloc",
                   "some in 5 updates");
    modifying_close(&m);
}

static void run_noalloc(trial *t)
{
    each(t, noalloc_text);
}

const check modifier_noalloc = {
    "modifier.noalloc",
    NN_KIND_MODIFIER,
    LEVEL_BASIC,
    "modify takes no memory: there is scratch",
    "it runs at every update",
    0,
    run_noalloc,
};
