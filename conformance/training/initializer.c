/* SPDX-License-Identifier: MIT */
/* initializer.c - whether an initializer fills exactly its parameter, from
 * nothing but the random numbers that it is given. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nn/random.h>

#include "conformance/training/checks.h"
#include "conformance/training/stepping.h"
#include "conformance/watch.h"

#define GUARD 32
#define GUARD_VALUE 1234.5
#define PARAMETER "subject.W"

/* A parameter to fill. */
typedef struct wanted {
    uint32_t ndim;
    int64_t shape[5];
    int64_t fan_in;
    int64_t fan_out;
    uint64_t seed;
    uint64_t stream;
    double poison; /* what the values are before */
} wanted;

typedef struct filling {
    trial *t;
    const char *text;
    check_host host;
    nn_part *part;
    nn_initializer_interface f;
    double *block; /* with guard elements */
    double *values;
    int64_t count;
} filling;

static int filling_open(trial *t, const char *text, int sure, filling *out)
{
    const nn_initializer_interface *theirs;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->text = text;
    if (check_host_init(t, &out->host))
        return -1;
    out->part = check_host_part(t, &out->host, text);
    if (!out->part) {
        if (sure)
            trial_fail(t, trial_text(t, "an initializer with %s", text),
                       "a config that is accepted",
                       check_host_message(&out->host));
        return -1;
    }
    theirs = nn_part_component(out->part)->interface;
    memcpy(&out->f, theirs,
           theirs->size < sizeof out->f ? theirs->size : sizeof out->f);
    return 0;
}

static wanted parameter(int64_t rows, int64_t columns)
{
    wanted w = {2, {rows, columns}, columns, rows, 11, 0, -77.25};

    w.stream = nn_hash_name(PARAMETER);
    return w;
}

/* Fills W into the values of F, which stay until the next call. */
static int32_t fill(filling *f, const wanted *w)
{
    nn_initialize what = {0};
    int64_t i;
    int32_t code;

    what.size = NN_SIZEOF(nn_initialize, values);
    what.ndim = w->ndim;
    what.host = &f->host.host;
    what.params = nn_part_params(f->part);
    what.name = PARAMETER;
    what.shape = w->shape;
    what.fan_in = w->fan_in;
    what.fan_out = w->fan_out;
    what.random.seed = w->seed;
    what.random.stream = w->stream;
    f->count = nn_initialize_elements(&what);
    f->block = trial_alloc(f->t,
                           (size_t)(f->count + 2 * GUARD) * sizeof *f->block);
    for (i = 0; i < f->count + 2 * GUARD; ++i)
        f->block[i] = i < GUARD || i >= GUARD + f->count ? GUARD_VALUE
                                                         : w->poison;
    f->values = f->block + GUARD;
    what.values = f->values;
    check_host_clear(&f->host);
    trial_enter(f->t, "fill");
    code = f->f.fill(&what);
    trial_leave(f->t);
    return code;
}

static void each(trial *t, texts_run run)
{
    texts_each(t, training_texts(t), run);
}

static const wanted shapes[] = {
    {1, {7}, 7, 1, 3, 5, 0},
    {1, {1}, 1, 1, 3, 5, 0},
    {2, {3, 4}, 4, 3, 3, 5, 0},
    {2, {5, 2}, 2, 5, 3, 5, 0},
    {2, {1, 6}, 6, 1, 3, 5, 0},
    {2, {6, 1}, 1, 6, 3, 5, 0},
    {3, {2, 3, 4}, 12, 2, 3, 5, 0},
    {4, {3, 2, 2, 2}, 8, 12, 3, 5, 0},
    {5, {2, 1, 3, 2, 2}, 12, 2, 3, 5, 0},
    {2, {17, 23}, 23, 17, 3, 5, 0},
    {2, {4, 4}, 4, 4, 3, 5, 0},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

static const char *shape_name(trial *t, const wanted *w)
{
    const char *name = "(";
    uint32_t i;

    for (i = 0; i < w->ndim; ++i)
        name = trial_text(t, "%s%s%" PRId64, name, i ? ", " : "", w->shape[i]);
    return trial_text(t, "%s)", name);
}

/* ---- initializer.filled ------------------------------------------------ */

/* Fills W twice over different contents.  Returns 1 if it is refused. */
static int judge_filled(filling *f, const wanted *shape)
{
    const char *where = trial_text(f->t, "shape %s with %s",
                                   shape_name(f->t, shape), f->text);
    wanted w = *shape;
    double *first;
    int64_t i;

    w.poison = NAN;
    if (fill(f, &w))
        return 1;
    trial_tested(f->t, 1);
    for (i = 0; i < f->count; ++i)
        if (!isfinite(f->values[i])) {
            trial_fail(f->t,
                       trial_text(f->t, "element %" PRId64 " of %s", i, where),
                       "a finite number",
                       isnan(f->values[i]) ? "NaN, or it was not written"
                                           : "infinity");
            return 0;
        }
    first = f->values;
    w.poison = 3.5;
    if (!fill(f, &w))
        training_compare(f->t,
                         trial_text(f->t, "over other contents, %s", where),
                         first, f->values, f->count, 0);
    return 0;
}

static void filled_text(trial *t, const char *text, int sure)
{
    uint32_t refused = 0;
    filling f;
    size_t i;

    if (filling_open(t, text, sure, &f))
        return;
    for (i = 0; i < SHAPES; ++i)
        refused += (uint32_t)judge_filled(&f, &shapes[i]);
    if (refused == SHAPES && sure)
        trial_fail(t, trial_text(t, "11 shapes with %s", text),
                   "some that it fills",
                   trial_text(t, "none: %s", check_host_message(&f.host)));
    nn_part_destroy(f.part);
}

static void run_filled(trial *t)
{
    each(t, filled_text);
}

const check initializer_filled = {
    "initializer.filled",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "every element of every shape that it accepts gets a finite number",
    "the memory is not zero before; what is left out is what another parameter "
    "had there",
    0,
    run_filled,
};

/* ---- initializer.bounds ------------------------------------------------ */

static void bounds_text(trial *t, const char *text, int sure)
{
    filling f;
    size_t i;
    int64_t k;

    if (filling_open(t, text, sure, &f))
        return;
    for (i = 0; i < SHAPES; ++i) {
        fill(&f, &shapes[i]);
        trial_tested(t, 1);
        for (k = 0; k < GUARD; ++k)
            if (f.block[k] != GUARD_VALUE ||
                f.values[f.count + k] != GUARD_VALUE) {
                trial_fail(t,
                           trial_text(t, "shape %s with %s",
                                      shape_name(t, &shapes[i]), text),
                           trial_text(t, "writes to its %" PRId64 " elements",
                                      f.count),
                           "a write beside them");
                i = SHAPES;
                break;
            }
    }
    nn_part_destroy(f.part);
}

static void run_bounds(trial *t)
{
    each(t, bounds_text);
}

const check initializer_bounds = {
    "initializer.bounds",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "nothing beside the parameter is written",
    "the number of elements is the product of all axes; pairs of random "
    "numbers, and fans in place of axes, end behind it",
    0,
    run_bounds,
};

/* ---- initializer.deterministic ----------------------------------------- */

static void deterministic_text(trial *t, const char *text, int sure)
{
    wanted w = parameter(9, 7);
    wanted other = parameter(5, 5);
    filling one;
    filling two;
    double *first;

    if (filling_open(t, text, sure, &one))
        return;
    if (!filling_open(t, text, 1, &two)) {
        srand(1);
        if (!fill(&one, &w)) {
            first = one.values;
            other.seed = 5;
            fill(&one, &other);
            srand(2);
            if (!fill(&one, &w))
                training_compare(t, trial_text(t, "again with %s", text), first,
                                 one.values, one.count, 0);
            if (!fill(&two, &w))
                training_compare(t, trial_text(t, "another one with %s", text),
                                 first, two.values, two.count, 0);
        } else {
            trial_tested(t, 1);
        }
        nn_part_destroy(two.part);
    }
    nn_part_destroy(one.part);
}

static void run_deterministic(trial *t)
{
    each(t, deterministic_text);
}

const check initializer_deterministic = {
    "initializer.deterministic",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "the same random stream gives the same values",
    "a run is repeated by its seed; rand(), the time and static counters are "
    "not of the seed",
    0,
    run_deterministic,
};

/* ---- initializer.random ------------------------------------------------ */

static int equal(const double *a, const double *b, int64_t count)
{
    return !memcmp(a, b, (size_t)count * sizeof *a);
}

static void random_text(trial *t, const char *text, int sure)
{
    wanted w = parameter(9, 7);
    filling f;
    double *usual;
    double *other_seed;
    int64_t i = 0;

    if (filling_open(t, text, sure, &f))
        return;
    trial_tested(t, 1);
    if (fill(&f, &w))
        goto out;
    usual = f.values;
    w.seed = 12;
    fill(&f, &w);
    other_seed = f.values;
    w.seed = 11;
    w.stream = nn_hash_name("other.W");
    fill(&f, &w);
    if (equal(usual, other_seed, f.count) != equal(usual, f.values, f.count))
        trial_fail(t,
                   trial_text(t,
                              "another seed, and another parameter, with "
                              "%s",
                              text),
                   "other values for both, or for none",
                   equal(usual, f.values, f.count)
                       ? "every parameter gets the same ones"
                       : "every run gets the same ones");
    if (watch_group_count(WATCH_RANDOM, "fill") ||
        watch_group_count(WATCH_CLOCK, "fill"))
        trial_fail(t, trial_text(t, "fill with %s", text),
                   "random numbers of nn_initialize.random alone",
                   "others, or the time");
    while (i < f.count && usual[i] == usual[0])
        ++i;
    if (i < f.count && equal(usual, other_seed, f.count))
        trial_note(t, "the values do not depend on the seed: %s", text);
out:
    nn_part_destroy(f.part);
}

static void run_random(trial *t)
{
    each(t, random_text);
}

const check initializer_random = {
    "initializer.random",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "values that differ from run to run differ from parameter to parameter",
    "the stream of nn_initialize.random is the parameter's; without it all "
    "layers of one size begin equal",
    0,
    run_random,
};

/* ---- initializer.fan --------------------------------------------------- */

#define MANY 96

/* Standard deviation of the values for W; -1 if it is refused. */
static double spread(filling *f, const wanted *w)
{
    double sum = 0;
    double squares = 0;
    int64_t i;

    if (fill(f, w))
        return -1;
    for (i = 0; i < f->count; ++i) {
        sum += f->values[i];
        squares += f->values[i] * f->values[i];
    }
    sum /= (double)f->count;
    squares = squares / (double)f->count - sum * sum;
    return squares > 0 ? sqrt(squares) : 0;
}

/* Five standard deviations of a standard deviation of COUNT numbers, relative;
 * 2 / sqrt(COUNT) holds for distributions with longer tails than the normal
 * one too. */
static int differ(double a, double b, double count)
{
    return fabs(a - b) > 5 * 2 / sqrt(count) * (a > b ? a : b);
}

/* 1 if the description speaks of fans. */
static int speaks_of_fans(trial *t)
{
    const nn_component *component = t->component->component;

    return component->doc && (strstr(component->doc, "fan_in") ||
                              strstr(component->doc, "fan_out"));
}

static void fan_text(trial *t, const char *text, int sure)
{
    const double count = MANY * MANY;
    wanted square = parameter(MANY, MANY);
    wanted wide = parameter(MANY / 4, MANY * 4);
    wanted more = square;
    filling f;
    double usual;
    double other;

    if (filling_open(t, text, sure, &f))
        return;
    more.fan_in *= 16;
    more.fan_out *= 16;
    wide.fan_in = square.fan_in;
    wide.fan_out = square.fan_out;
    usual = spread(&f, &square);
    other = spread(&f, &more);
    trial_tested(t, 1);
    if (usual > 0 && other >= 0 && !differ(usual, other, count) &&
        speaks_of_fans(t))
        trial_fail(t, trial_text(t, "16 times the connections with %s", text),
                   "another standard deviation, as the description has it",
                   trial_text(t, "%g as before", other));
    if (usual > 0 && other >= 0 && differ(usual, other, count)) {
        if (other > usual)
            trial_fail(t,
                       trial_text(t, "16 times the connections with %s", text),
                       trial_text(t, "no wider than %g", usual),
                       trial_text(t, "%g", other));
        other = spread(&f, &wide);
        if (other >= 0 && differ(usual, other, count))
            trial_fail(t,
                       trial_text(t,
                                  "the same connections in another shape "
                                  "with %s",
                                  text),
                       trial_text(t, "a standard deviation of about %g", usual),
                       trial_text(t, "%g", other));
    }
    nn_part_destroy(f.part);
}

static void run_fan(trial *t)
{
    each(t, fan_text);
}

const check initializer_fan = {
    "initializer.fan",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "who scales by connections takes fan_in and fan_out, not the shape",
    "grouped, transposed and locally connected weights have other fans than "
    "their axes tell: their units would begin saturated",
    0,
    run_fan,
};

/* ---- initializer.refusal ----------------------------------------------- */

static void refusal_text(trial *t, const char *text, int sure)
{
    filling f;
    size_t i;

    if (filling_open(t, text, sure, &f))
        return;
    for (i = 0; i < SHAPES; ++i) {
        const char *where = trial_text(t, "shape %s with %s",
                                       shape_name(t, &shapes[i]), text);
        int32_t code = fill(&f, &shapes[i]);

        check_host_code(t, &f.host, where, code);
        /* Parameters that contradict each other are refused for all shapes. */
        if (code == NN_SHAPE && !strstr(check_host_message(&f.host), PARAMETER))
            trial_fail(t, where, "a message with the name of the parameter",
                       check_host_message(&f.host));
    }
    nn_part_destroy(f.part);
}

static void run_refusal(trial *t)
{
    each(t, refusal_text);
}

const check initializer_refusal = {
    "initializer.refusal",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "a shape that it cannot fill is refused by name",
    "a network has a hundred parameters; the message tells which one wants "
    "another initializer",
    0,
    run_refusal,
};

/* ---- initializer.leak -------------------------------------------------- */

static void leak_text(trial *t, const char *text, int sure)
{
    wanted w = parameter(9, 4);
    filling f;
    int64_t n;

    if (filling_open(t, text, sure, &f))
        return;
    for (n = 0; n < 50; ++n) {
        const char *where = n ? trial_text(t,
                                           "allocation %" PRId64 " fails "
                                           "with %s",
                                           n, text)
                              : trial_text(t, "fill with %s", text);
        int32_t code;

        check_host_fail_after(&f.host, n);
        code = fill(&f, &w);
        check_host_code(t, &f.host, where, code);
        if (f.host.blocks)
            trial_fail(t, where, "all memory of the host is returned",
                       trial_text(t, "%lld blocks are not",
                                  (long long)f.host.blocks));
        if (n && f.host.allocations < f.host.fail_at)
            break;
        if (n && code == NN_OK)
            trial_fail(t, where, "NN_NO_MEMORY", "0");
        if (trial_failures(t) > 2)
            break;
    }
    nn_part_destroy(f.part);
}

static void run_leak(trial *t)
{
    each(t, leak_text);
}

const check initializer_leak = {
    "initializer.leak",
    NN_KIND_INITIALIZER,
    LEVEL_BASIC,
    "memory is returned, also when there is none left",
    "a network is initialized once, but a search over networks thousands of "
    "times",
    0,
    run_leak,
};
