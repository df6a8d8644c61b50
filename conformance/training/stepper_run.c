/* SPDX-License-Identifier: MIT */
/* stepper_run.c - a stepper over many updates, on several handlers, and at the
 * limits of its parameters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/training/checks.h"
#include "conformance/training/stepping.h"
#include "conformance/watch.h"

static void each(trial *t, texts_run run)
{
    texts_each(t, training_texts(t), run);
}

/* Parameters after UPDATES updates; -1 if the stepper is refused. */
static int after(trial *t, const char *text, int sure,
                 const stepping_options *options, int64_t updates, double *w)
{
    stepping s;

    if (stepping_open(t, text, sure, options, &s))
        return -1;
    stepping_steps(&s, 1, updates);
    stepping_parameters(&s, w);
    desk_judge(&s.desk, "step");
    stepping_close(&s);
    return 0;
}

/* ---- stepper.deterministic --------------------------------------------- */

static void deterministic_text(trial *t, const char *text, int sure)
{
    double one[STEPPING_P];
    double two[STEPPING_P];

    if (after(t, text, sure, NULL, 5, one) || after(t, text, 1, NULL, 5, two))
        return;
    training_compare(t, trial_text(t, "the same run again with %s", text), one,
                     two, STEPPING_P, 0);
}

static void run_deterministic(trial *t)
{
    each(t, deterministic_text);
    training_watch(t, "step");
}

const check stepper_deterministic = {
    "stepper.deterministic",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "the same run ends with the same bits",
    "a static counter, or memory that nobody wrote, makes every run another "
    "one",
    0,
    run_deterministic,
};

/* ---- stepper.resume ---------------------------------------------------- */

static void resume_text(trial *t, const char *text, int sure)
{
    double whole[STEPPING_P];
    double parts[STEPPING_P];
    stepping one;
    stepping two;

    if (after(t, text, sure, NULL, 7, whole) ||
        stepping_open(t, text, 1, NULL, &one))
        return;
    stepping_steps(&one, 1, 4);
    /* Another training in between. */
    if (!after(t, text, 1, NULL, 2, parts) &&
        !stepping_open(t, text, 1, NULL, &two)) {
        stepping_resume(&two, &one);
        stepping_steps(&two, 5, 7);
        stepping_parameters(&two, parts);
        training_compare(t,
                         trial_text(t, "resumed after update 4 with %s", text),
                         whole, parts, STEPPING_P, 0);
        stepping_close(&two);
    }
    stepping_close(&one);
}

static void run_resume(trial *t)
{
    each(t, resume_text);
}

const check stepper_resume = {
    "stepper.resume",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "parameters, vectors and the number of the update are all there is",
    "a checkpoint keeps these; what a stepper counts for itself starts anew "
    "after a resume",
    0,
    run_resume,
};

/* ---- stepper.handlers -------------------------------------------------- */

static void handlers_text(trial *t, const char *text, int sure)
{
    const int64_t updates = 5;
    stepping_options options = {0};
    double wanted[STEPPING_P];
    double got[STEPPING_P];

    options.handler = "reference";
    if (after(t, text, sure, &options, updates, wanted))
        return;
    options.handler = t->handler;
    /* 64 roundings an update. */
    if (!after(t, text, 1, &options, updates, got))
        training_compare(t,
                         trial_text(t, "float64 on %s with %s", t->handler,
                                    text),
                         wanted, got, STEPPING_P, 64 * 5 * 2.3e-16);
    options.real = NN_FLOAT32;
    if (!after(t, text, 1, &options, updates, got))
        training_compare(t,
                         trial_text(t, "float32 on %s with %s", t->handler,
                                    text),
                         wanted, got, STEPPING_P, 64 * 5 * 1.2e-7);
}

static void run_handlers(trial *t)
{
    each(t, handlers_text);
}

const check stepper_handlers = {
    "stepper.handlers",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "float32 and float64 on this handler agree with the reference",
    "a stepper works through operations alone; one that knows how wide a "
    "number is, or where it lies, works on one handler",
    0,
    run_handlers,
};

/* ---- stepper.composed -------------------------------------------------- */

static void composed_text(trial *t, const char *text, int sure)
{
    stepping_options options = {0};
    double native[STEPPING_P];
    double composed[STEPPING_P];

    if (after(t, text, sure, &options, 5, native))
        return;
    options.composed = 1;
    if (!after(t, text, 1, &options, 5, composed))
        training_compare(t,
                         trial_text(t, "composed of base operations with %s",
                                    text),
                         native, composed, STEPPING_P, 64 * 5 * 2.3e-16);
}

static void run_composed(trial *t)
{
    const text_set *set = training_texts(t);
    uint32_t planned = 0;
    stepping s;

    if (set->count && !stepping_open(t, set->items[0], 1, NULL, &s)) {
        planned = s.planned;
        stepping_close(&s);
    }
    if (set->count && !planned && !trial_failures(t))
        trial_skip(t, "it plans no row of an extension");
    else
        each(t, composed_text);
}

const check stepper_composed = {
    "stepper.composed",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "rows of the handler and those composed of operations do the same",
    "a new handler has no rows of its own; operands that share memory, or "
    "attributes that change after the plan, may work with one and not with the "
    "other",
    0,
    run_composed,
};

/* ---- stepper.tunable --------------------------------------------------- */

/* Another value for PARAM than VALUE; NAN if none is allowed. */
static double other_value(const nn_param *param, double value)
{
    double other = value == 0 ? 0.0625 : value / 2;

    if (param->flags & NN_PARAM_RANGED &&
        (other <= param->minimum || other >= param->maximum))
        return NAN;
    return other;
}

/* Parameter INDEX is VALUE before prepare, or only after it. */
static int tuned(trial *t, const char *text, uint32_t index, double value,
                 int before, double *w)
{
    stepping_options options = {0};
    stepping s;

    options.tune = before;
    options.index = index;
    options.value = value;
    if (stepping_open(t, text, 1, &options, &s))
        return -1;
    stepping_tune(&s, index, value);
    stepping_steps(&s, 1, 4);
    stepping_parameters(&s, w);
    stepping_close(&s);
    return 0;
}

static void tunable_text(trial *t, const char *text, int sure)
{
    const nn_component *component = t->component->component;
    double wanted[STEPPING_P];
    double got[STEPPING_P];
    stepping s;
    uint32_t i;

    if (stepping_open(t, text, sure, NULL, &s))
        return;
    trial_tested(t, 1);
    for (i = 0; i < component->n_params; ++i) {
        const nn_param *param = component->params[i];
        double value = other_value(param, stepping_value(&s, i));

        if (param->type != NN_PARAM_REAL ||
            !(param->flags & NN_PARAM_TUNABLE) || isnan(value) ||
            tuned(t, text, i, value, 1, wanted) ||
            tuned(t, text, i, value, 0, got))
            continue;
        training_compare(t,
                         trial_text(t, "%s set to %g after prepare with %s",
                                    param->name, value, text),
                         wanted, got, STEPPING_P, 0);
    }
    stepping_close(&s);
}

static void run_tunable(trial *t)
{
    each(t, tunable_text);
}

const check stepper_tunable = {
    "stepper.tunable",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "a TUNABLE parameter holds from the next update on",
    "schedules and hooks change the learning rate between updates; what is "
    "read in prepare alone stays what it was at the start",
    0,
    run_tunable,
};

/* ---- stepper.noalloc --------------------------------------------------- */

static void noalloc_text(trial *t, const char *text, int sure)
{
    long long before;
    uint64_t own;
    stepping s;

    if (stepping_open(t, text, sure, NULL, &s))
        return;
    stepping_step(&s, 1, NULL);
    before = s.desk.host.allocations;
    own = watch_group_count(WATCH_MEMORY, "step");
    stepping_steps(&s, 2, 6);
    trial_tested(t, 1);
    if (s.desk.host.allocations != before)
        trial_fail(t, trial_text(t, "step with %s", text),
                   "no memory of the host",
                   trial_text(t, "%lld blocks in 5 updates",
                              s.desk.host.allocations - before));
    if (watch_group_count(WATCH_MEMORY, "step") != own)
        trial_fail(t, trial_text(t, "step with %s", text), "no malloc",
                   trial_text(t, "%" PRIu64 " in 5 updates",
                              watch_group_count(WATCH_MEMORY, "step") - own));
    stepping_close(&s);
}

static void run_noalloc(trial *t)
{
    each(t, noalloc_text);
}

const check stepper_noalloc = {
    "stepper.noalloc",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "step takes no memory",
    "it runs a million times, and a failure there cannot be reported",
    0,
    run_noalloc,
};

/* ---- stepper.limits ---------------------------------------------------- */

static void limits_text(trial *t, const char *text, int sure)
{
    double w[STEPPING_P];
    int64_t i;

    if (after(t, text, sure, NULL, 3, w))
        return;
    trial_tested(t, 1);
    for (i = 0; i < STEPPING_P; ++i)
        if (!isfinite(w[i])) {
            trial_fail(t, trial_text(t, "3 updates with %s", text),
                       "finite parameters", trial_text(t, "%g", w[i]));
            return;
        }
}

static void run_limits(trial *t)
{
    const text_set *set = training_texts(t);
    uint32_t i;

    if (set->missing)
        trial_skip(t, "%s", set->missing);
    for (i = 0; i < set->count && trial_failures(t) < 4; ++i)
        limits_text(t, set->items[i], i < set->sure);
}

const check stepper_limits = {
    "stepper.limits",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "parameters at their limits are refused, or leave all numbers finite",
    "what the description allows is tried by somebody; a share of 1 or a "
    "divisor of 0 belongs out of the range",
    0,
    run_limits,
};
