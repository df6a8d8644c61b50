/* SPDX-License-Identifier: MIT */
/* stepper.c - what a stepper does to parameters: downhill, element by element,
 * and with nothing but its vectors. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/training/checks.h"
#include "conformance/training/stepping.h"

static void each(trial *t, texts_run run)
{
    texts_each(t, training_texts(t), run);
}

/* ---- stepper.vectors --------------------------------------------------- */

static void judge_name(trial *t, const stepping *s, uint32_t index)
{
    const char *const *names = s->f.vector_names;
    const char *name = names ? names[index] : NULL;
    const char *where = trial_text(t, "name of vector %u", index);
    uint32_t i;

    trial_tested(t, 1);
    if (!name || !islower((unsigned char)*name) ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name)) {
        trial_fail(t, where, "[a-z][a-z0-9_]*", name ? name : "NULL");
        return;
    }
    for (i = 0; i < index; ++i)
        if (names[i] && !strcmp(names[i], name))
            trial_fail(t, where, "one of its own", name);
}

static void vectors_text(trial *t, const char *text, int sure)
{
    double values[STEPPING_P];
    stepping s;
    uint32_t v;
    int64_t i;

    if (stepping_open(t, text, sure, NULL, &s))
        return;
    trial_tested(t, 1);
    for (v = 0; v < s.f.n_vectors; ++v)
        judge_name(t, &s, v);
    stepping_steps(&s, 1, 3);
    for (v = 0; v < s.f.n_vectors; ++v) {
        stepping_vector(&s, v, values);
        for (i = 0; i < STEPPING_P && isfinite(values[i]); ++i)
            ;
        if (i < STEPPING_P)
            trial_fail(t, trial_text(t, "vector %u after 3 updates", v),
                       "finite numbers", trial_text(t, "%g", values[i]));
    }
    stepping_close(&s);
}

static void run_vectors(trial *t)
{
    each(t, vectors_text);
}

const check stepper_vectors = {
    "stepper.vectors",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "vectors have names of their own and stay finite from zero on",
    "they are saved by name: two of one name overwrite each other in a "
    "checkpoint; they start as zero, which a division may not survive",
    0,
    run_vectors,
};

/* ---- stepper.descends -------------------------------------------------- */

#define DESCENT 200

/* The first text with a small rate, if it has one. */
static const char *small_rate(const text_set *set)
{
    uint32_t i;

    for (i = 0; i < set->count; ++i)
        if (strstr(set->items[i], "learning_rate: 0.0625"))
            return set->items[i];
    return set->items[0];
}

/* The first step goes against the gradient, and many of them down. */
static void run_descends(trial *t)
{
    const text_set *set = training_texts(t);
    const char *text = set->count ? small_rate(set) : "";
    double before[STEPPING_P];
    double after[STEPPING_P];
    double g[STEPPING_P];
    double along = 0;
    stepping s;
    int64_t i;

    if (set->missing)
        trial_skip(t, "%s", set->missing);
    if (!set->count || stepping_open(t, text, 1, NULL, &s))
        return;
    stepping_start(before);
    stepping_gradient(before, g);
    stepping_step(&s, 1, g);
    stepping_parameters(&s, after);
    for (i = 0; i < STEPPING_P; ++i)
        along += g[i] * (after[i] - before[i]);
    trial_tested(t, 2);
    if (!(along < 0))
        trial_fail(t, "the first step", "against the gradient",
                   trial_text(t, "%g along it", along));
    stepping_steps(&s, 2, DESCENT);
    stepping_parameters(&s, after);
    if (!(stepping_height(after) < stepping_height(before)))
        trial_fail(t,
                   trial_text(t, "a bowl after %d updates with %s", DESCENT,
                              text),
                   trial_text(t, "less than %g", stepping_height(before)),
                   trial_text(t, "%g", stepping_height(after)));
    desk_judge(&s.desk, "step");
    stepping_close(&s);
}

const check stepper_descends = {
    "stepper.descends",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "a small rate leads down a bowl",
    "a sign, or a rate that is applied twice, climbs or jumps out of it",
    0,
    run_descends,
};

/* ---- stepper.zero-gradient --------------------------------------------- */

static void zero_text(trial *t, const char *text, int sure)
{
    double zeros[STEPPING_P] = {0};
    double before[STEPPING_P];
    double after[STEPPING_P];
    stepping s;
    int64_t update;

    if (strstr(text, "decay")) /* which moves without a gradient */
        return;
    if (stepping_open(t, text, sure, NULL, &s))
        return;
    stepping_start(before);
    for (update = 1; update <= 2; ++update)
        stepping_step(&s, update, zeros);
    stepping_parameters(&s, after);
    training_compare(t, trial_text(t, "no gradient with %s", text), before,
                     after, STEPPING_P, 0);
    stepping_close(&s);
}

/* 1 if a decay is set unless the config says otherwise. */
static int decays(const nn_component *component)
{
    uint32_t i;

    for (i = 0; i < component->n_params; ++i) {
        const nn_param *param = component->params[i];

        if (strstr(param->name, "decay") && param->default_text &&
            strcmp(param->default_text, "0"))
            return 1;
    }
    return 0;
}

static void run_zero_gradient(trial *t)
{
    if (decays(t->component->component))
        trial_skip(t, "its decay is not 0");
    else
        each(t, zero_text);
}

const check stepper_zero_gradient = {
    "stepper.zero-gradient",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "where there never was a gradient, nothing moves",
    "parameters that no sample reaches would drift away, and 0 / 0 makes them "
    "NaN",
    0,
    run_zero_gradient,
};

/* ---- stepper.split ----------------------------------------------------- */

static void split_text(trial *t, const char *text, int sure)
{
    static const int64_t cuts[] = {1, 5, 8, 12};
    double one[STEPPING_P];
    double two[STEPPING_P];
    stepping s;
    size_t k;

    if (stepping_open(t, text, sure, NULL, &s))
        return;
    stepping_steps(&s, 1, 4);
    stepping_parameters(&s, one);
    stepping_close(&s);
    for (k = 0; k < sizeof cuts / sizeof *cuts; ++k) {
        stepping_options options = {0};

        options.cut = cuts[k];
        if (stepping_open(t, text, 1, &options, &s))
            return;
        stepping_steps(&s, 1, 4);
        stepping_parameters(&s, two);
        desk_judge(&s.desk, "step of a part of the parameters");
        /* A few roundings: vector and scalar code may differ in one each. */
        if (training_compare(t,
                             trial_text(t,
                                        "two runs, cut at %" PRId64 ", with %s",
                                        cuts[k], text),
                             one, two, STEPPING_P, 64 * 2.3e-16))
            k = sizeof cuts / sizeof *cuts;
        stepping_close(&s);
    }
}

static void run_split(trial *t)
{
    each(t, split_text);
}

const check stepper_split = {
    "stepper.split",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "parameters in two runs move as those in one",
    "the core cuts the parameters where settings differ; a norm over the run, "
    "or a state for all runs together, makes the cut visible",
    0,
    run_split,
};

/* ---- stepper.read-only ------------------------------------------------- */

static void read_only_text(trial *t, const char *text, int sure)
{
    double before[STEPPING_P];
    double after[STEPPING_P];
    stepping_options options = {0};
    stepping s;
    int64_t update;

    options.cut = 5;
    if (stepping_open(t, text, sure, &options, &s))
        return;
    for (update = 1; update <= 3; ++update) {
        stepping_parameters(&s, before);
        stepping_gradient(before, before);
        stepping_step(&s, update, before);
        desk_get(&s.desk, &s.g, after);
        if (training_compare(t,
                             trial_text(t, "gradient after update %" PRId64,
                                        update),
                             before, after, STEPPING_P, 0))
            break;
    }
    desk_judge(&s.desk, "step");
    stepping_close(&s);
}

static void run_read_only(trial *t)
{
    each(t, read_only_text);
}

const check stepper_read_only = {
    "stepper.read-only",
    NN_KIND_STEPPER,
    LEVEL_BASIC,
    "only parameters and vectors are written",
    "gradients are added to over several batches, and hooks read them after "
    "the update",
    0,
    run_read_only,
};
