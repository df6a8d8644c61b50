/* SPDX-License-Identifier: MIT */
/* scorer.c - whether a scorer adds up, leaves out what is masked, and knows
 * better from worse. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/training/checks.h"
#include "conformance/training/scoring.h"

static void each(trial *t, texts_run run)
{
    texts_each(t, training_texts(t), run);
}

/* What is compared: sum and weight, within a few roundings. */
static void compare(scoring *s, const char *what, score wanted, score got,
                    double bound)
{
    const char *where = trial_text(s->t, "%s with %s", what, s->text);

    training_compare(s->t, trial_text(s->t, "sum of %s", where), &wanted.sum,
                     &got.sum, 1, bound);
    training_compare(s->t, trial_text(s->t, "weight of %s", where),
                     &wanted.weight, &got.weight, 1, bound);
}

/* How good a score is: larger is better; NaN for one without weight. */
static double goodness(const scoring *s, score got)
{
    double value = got.weight > 0 ? got.sum / got.weight : NAN;

    return s->f.higher_is_better ? value : -value;
}

/* ---- scorer.additive --------------------------------------------------- */

static void additive_text(trial *t, const char *text, int sure)
{
    score whole;
    score parts = {0, 2.5, 4};
    scoring s;

    if (scoring_open(t, text, sure, &s))
        return;
    scoring_middling(&s);
    whole = scoring_all(&s);
    whole.sum += 2.5;
    whole.weight += 4;
    scoring_add(&s, 0, 5, &parts);
    scoring_add(&s, 5, 6, &parts);
    scoring_add(&s, 6, s.rows, &parts);
    compare(&s, "three batches behind another", whole, parts, 64 * 2.3e-16);
    scoring_close(&s);
}

static void run_additive(trial *t)
{
    each(t, additive_text);
}

const check scorer_additive = {
    "scorer.additive",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "batches add up to the score of the whole",
    "*sum and *weight hold what was before; who sets them scores the last "
    "batch, who adds a mean weighs a short batch like a long one",
    0,
    run_additive,
};

/* ---- scorer.mask ------------------------------------------------------- */

static void mask_text(trial *t, const char *text, int sure)
{
    score wanted = {0, 0, 0};
    score whole;
    scoring s;
    int64_t j;

    if (scoring_open(t, text, sure, &s))
        return;
    scoring_middling(&s);
    whole = scoring_all(&s);
    s.masked = 1;
    compare(&s, "a mask of ones", whole, scoring_all(&s), 0);
    s.masked = 0;
    scoring_add(&s, 1, 6, &wanted);
    scoring_add(&s, 7, s.rows, &wanted);
    /* What is left out may hold anything. */
    for (j = 0; j < s.columns; ++j) {
        s.predictions[j] = NAN;
        s.predictions[6 * s.columns + j] = INFINITY;
    }
    for (j = 0; j < s.target_columns; ++j)
        s.targets[j] = s.targets[6 * s.target_columns + j] = -1e9;
    s.mask[0] = s.mask[6] = 0;
    s.masked = 1;
    compare(&s, "rows with mask 0 left out", wanted, scoring_all(&s),
            64 * 2.3e-16);
    scoring_close(&s);
}

static void run_mask(trial *t)
{
    each(t, mask_text);
}

const check scorer_mask = {
    "scorer.mask",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "rows with mask 0 are left out, whatever they hold",
    "they are padding; 0 times NaN is NaN, and a label of padding is none of "
    "the classes",
    0,
    run_mask,
};

/* ---- scorer.nan -------------------------------------------------------- */

static void nan_text(trial *t, const char *text, int sure)
{
    double before;
    double after;
    score got;
    scoring s;
    int64_t j;

    if (scoring_open(t, text, sure, &s))
        return;
    before = goodness(&s, scoring_all(&s));
    for (j = 0; j < s.columns; ++j)
        s.predictions[4 * s.columns + j] = NAN;
    got = scoring_all(&s);
    check_host_code(t, &s.host, trial_text(t, "a row of NaN with %s", text),
                    got.code);
    after = goodness(&s, got);
    if (!got.code && (after >= before || !isfinite(got.weight)))
        trial_fail(
            t, trial_text(t, "a row of NaN among perfect ones with %s", text),
            trial_text(t, "worse than %g, NaN, or an error", fabs(before)),
            trial_text(t, "%g", fabs(after)));
    scoring_close(&s);
}

static void run_nan(trial *t)
{
    each(t, nan_text);
}

const check scorer_nan = {
    "scorer.nan",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "a prediction that is NaN is never right",
    "comparisons with NaN are false, so `not wrong` counts a network that "
    "diverged as a perfect one",
    0,
    run_nan,
};

/* ---- scorer.ties ------------------------------------------------------- */

static void ties_text(trial *t, const char *text, int sure)
{
    double perfect;
    score got;
    scoring s;
    int64_t i;

    if (scoring_open(t, text, sure, &s))
        return;
    perfect = goodness(&s, scoring_all(&s));
    for (i = 0; i < s.rows * s.columns; ++i)
        s.predictions[i] = 0.5;
    got = scoring_all(&s);
    trial_tested(t, 1);
    if (got.code)
        trial_fail(t, trial_text(t, "equal predictions with %s", text), "0",
                   trial_text(t, "%d: %s", got.code,
                              check_host_message(&s.host)));
    /* With as many best ones as classes every row is right. */
    else if (goodness(&s, got) >= perfect && sure)
        trial_fail(t, trial_text(t, "equal predictions with %s", text),
                   "worse than perfect ones",
                   trial_text(t, "%g", fabs(goodness(&s, got))));
    scoring_close(&s);
}

static void run_ties(trial *t)
{
    each(t, ties_text);
}

const check scorer_ties = {
    "scorer.ties",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "equal predictions for all classes are not right for all classes",
    "a network that says nothing would be perfect if every tie is a hit",
    0,
    run_ties,
};

/* ---- scorer.weight ----------------------------------------------------- */

static void weight_text(trial *t, const char *text, int sure)
{
    score none = {0, 1.25, 3};
    score before = none;
    score half = {0, 0, 0};
    score whole;
    scoring s;

    if (scoring_open(t, text, sure, &s))
        return;
    scoring_middling(&s);
    whole = scoring_all(&s);
    scoring_add(&s, 0, s.rows / 2, &half);
    trial_tested(t, 1);
    if (!(whole.weight > 0) || !isfinite(whole.weight) ||
        fabs(whole.weight - 2 * half.weight) > 1e-9 * whole.weight)
        trial_fail(t, trial_text(t, "weight of 12 rows and of 6 with %s", text),
                   "above 0, and twice as much for twice as many",
                   trial_text(t, "%g and %g", whole.weight, half.weight));
    scoring_add(&s, 0, 0, &none);
    if (!none.code)
        compare(&s, "no rows", before, none, 0);
    check_host_code(t, &s.host, "no rows", none.code);
    memset(s.mask, 0, (size_t)s.rows * sizeof *s.mask);
    s.masked = 1;
    none = before;
    scoring_add(&s, 0, s.rows, &none);
    if (!none.code)
        compare(&s, "no row that is not masked", before, none, 0);
    check_host_code(t, &s.host, "no row that is not masked", none.code);
    scoring_close(&s);
}

static void run_weight(trial *t)
{
    each(t, weight_text);
}

const check scorer_weight = {
    "scorer.weight",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "weight counts rows: none for none, twice as much for twice as many",
    "the score is sum / weight over all batches; a weight that counts batches, "
    "or masked rows, makes another mean of it",
    0,
    run_weight,
};

/* ---- scorer.pure ------------------------------------------------------- */

static void pure_text(trial *t, const char *text, int sure)
{
    scoring s;
    score first;
    score again;

    if (scoring_open(t, text, sure, &s))
        return;
    scoring_middling(&s);
    first = scoring_all(&s);
    scoring_perfect(&s);
    scoring_all(&s);
    scoring_middling(&s);
    again = scoring_all(&s);
    compare(&s, "the same batch again", first, again, 0);
    scoring_close(&s);
}

static void run_pure(trial *t)
{
    each(t, pure_text);
}

const check scorer_pure = {
    "scorer.pure",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "the same batch has the same score",
    "validation and test are scored by one instance, in turn and at once",
    0,
    run_pure,
};

/* ---- scorer.read-only -------------------------------------------------- */

static void read_only_text(trial *t, const char *text, int sure)
{
    double predictions[SCORING_ROWS * SCORING_CLASSES];
    double targets[SCORING_ROWS * SCORING_CLASSES];
    scoring s;
    size_t p;
    size_t q;

    if (scoring_open(t, text, sure, &s))
        return;
    scoring_middling(&s);
    s.masked = 1;
    p = (size_t)(s.rows * s.columns) * sizeof *predictions;
    q = (size_t)(s.rows * s.target_columns) * sizeof *targets;
    memcpy(predictions, s.predictions, p);
    memcpy(targets, s.targets, q);
    scoring_all(&s);
    trial_tested(t, 1);
    if (memcmp(predictions, s.predictions, p))
        trial_fail(t, trial_text(t, "predictions after score with %s", text),
                   "what they were", "other numbers");
    if (memcmp(targets, s.targets, q))
        trial_fail(t, trial_text(t, "targets after score with %s", text),
                   "what they were", "other numbers");
    scoring_close(&s);
}

static void run_read_only(trial *t)
{
    each(t, read_only_text);
}

const check scorer_read_only = {
    "scorer.read-only",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "predictions, targets and mask are only read",
    "the next scorer gets the same arrays",
    0,
    run_read_only,
};

/* ---- scorer.better ----------------------------------------------------- */

static void better_text(trial *t, const char *text, int sure)
{
    double right;
    double wrong;
    scoring s;
    int64_t i;
    int64_t j;

    if (scoring_open(t, text, sure, &s))
        return;
    right = goodness(&s, scoring_all(&s));
    for (i = 0; i < s.rows; ++i)
        for (j = 0; j < s.columns; ++j)
            s.predictions[i * s.columns + j] = 1 -
                                               s.predictions[i * s.columns + j];
    wrong = goodness(&s, scoring_all(&s));
    trial_tested(t, 1);
    if (s.f.higher_is_better > 1)
        trial_fail(t, "higher_is_better", "0 or 1",
                   trial_text(t, "%u", s.f.higher_is_better));
    /* Right or wrong may count the same at a limit of a parameter. */
    if (!(right > wrong) && (sure || right < wrong))
        trial_fail(t, trial_text(t, "predictions turned round with %s", text),
                   s.f.higher_is_better ? "a lower score than right ones"
                                        : "a higher score than right ones",
                   trial_text(t, "%g instead of %g", fabs(wrong), fabs(right)));
    scoring_close(&s);
}

static void run_better(trial *t)
{
    each(t, better_text);
}

const check scorer_better = {
    "scorer.better",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "right predictions score better than wrong ones, as higher_is_better says",
    "the best checkpoint is kept by it: with the wrong sign it is the worst",
    0,
    run_better,
};

/* ---- scorer.shapes ----------------------------------------------------- */

/* A batch that makes no sense: an answer, or an error with a message. */
static void judge_odd(scoring *s, const char *what, int64_t columns,
                      int64_t target_columns, double target)
{
    double *predictions = s->predictions;
    double *targets = s->targets;
    int64_t kept = s->columns;
    int64_t kept_targets = s->target_columns;
    score got;
    int64_t i;

    s->columns = columns;
    s->target_columns = target_columns;
    s->predictions = scoring_room(s->t, s->rows * columns);
    s->targets = scoring_room(s->t, s->rows * target_columns);
    for (i = 0; i < s->rows * columns; ++i)
        s->predictions[i] = 0.25;
    for (i = 0; i < s->rows * target_columns; ++i)
        s->targets[i] = target;
    got = scoring_all(s);
    check_host_code(s->t, &s->host,
                    trial_text(s->t, "%s with %s", what, s->text), got.code);
    s->columns = kept;
    s->target_columns = kept_targets;
    s->predictions = predictions;
    s->targets = targets;
}

static void shapes_text(trial *t, const char *text, int sure)
{
    scoring s;

    if (scoring_open(t, text, sure, &s))
        return;
    judge_odd(&s, "2 columns of targets for 5", 5, 2, 1);
    judge_odd(&s, "5 columns of targets for 2", 2, 5, 1);
    judge_odd(&s, "a label -1", SCORING_CLASSES, 1, -1);
    judge_odd(&s, "a label 300", SCORING_CLASSES, 1, 300);
    judge_odd(&s, "a label NaN", SCORING_CLASSES, 1, NAN);
    judge_odd(&s, "targets NaN", SCORING_CLASSES, SCORING_CLASSES, NAN);
    scoring_close(&s);
}

static void run_shapes(trial *t)
{
    each(t, shapes_text);
}

const check scorer_shapes = {
    "scorer.shapes",
    NN_KIND_SCORER,
    LEVEL_BASIC,
    "columns that do not fit and labels that are none are refused by a message",
    "a label is used as an index in many scorers: -1 reads before the row; the "
    "arrays lie between pages that nobody may touch",
    0,
    run_shapes,
};
