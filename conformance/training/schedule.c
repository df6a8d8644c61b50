/* SPDX-License-Identifier: MIT */
/* schedule.c - whether a schedule is a function of the progress alone, and
 * defined everywhere on it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/training/checks.h"
#include "conformance/training/stepping.h"

#define UPDATES_IN_EPOCH 5
#define EPOCHS 6
#define POINTS (UPDATES_IN_EPOCH * EPOCHS + 1)

typedef struct scheduled {
    trial *t;
    const char *text;
    check_host host;
    nn_part *part;
    nn_schedule_interface f;
} scheduled;

static int scheduled_open(trial *t, const char *text, int sure, scheduled *out)
{
    const nn_schedule_interface *theirs;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->text = text;
    if (check_host_init(t, &out->host))
        return -1;
    out->part = check_host_part(t, &out->host, text);
    if (!out->part) {
        if (sure)
            trial_fail(t, trial_text(t, "a schedule with %s", text),
                       "a config that is accepted",
                       check_host_message(&out->host));
        return -1;
    }
    theirs = nn_part_component(out->part)->interface;
    memcpy(&out->f, theirs,
           theirs->size < sizeof out->f ? theirs->size : sizeof out->f);
    return 0;
}

static nn_progress progress_at(int64_t update, int known)
{
    nn_progress p = {
        NN_SIZEOF(nn_progress, total_updates), 0, 0, 0, -1, -1, -1};

    p.update = update;
    p.epoch = update / UPDATES_IN_EPOCH;
    if (known) {
        p.updates_in_epoch = UPDATES_IN_EPOCH;
        p.total_epochs = EPOCHS;
        p.total_updates = UPDATES_IN_EPOCH * EPOCHS;
    }
    return p;
}

static int32_t value_at(scheduled *s, const nn_progress *progress,
                        double *value)
{
    int32_t code;

    check_host_clear(&s->host);
    *value = NAN;
    trial_enter(s->t, "value");
    code = s->f.value(&s->host.host, nn_part_params(s->part), progress, value);
    trial_leave(s->t);
    return code;
}

/* The value at UPDATE of a run whose length is known; NaN for an error. */
static double value_of(scheduled *s, int64_t update)
{
    nn_progress progress = progress_at(update, 1);
    double value;

    return value_at(s, &progress, &value) ? NAN : value;
}

static void each(trial *t, texts_run run)
{
    texts_each(t, training_texts(t), run);
}

/* ---- schedule.finite --------------------------------------------------- */

static void finite_text(trial *t, const char *text, int sure)
{
    scheduled s;
    int64_t update;

    if (scheduled_open(t, text, sure, &s))
        return;
    /* Past the end too: a run may be made longer. */
    for (update = 0; update < POINTS + 10; ++update) {
        nn_progress progress = progress_at(update, 1);
        double value;
        int32_t code = value_at(&s, &progress, &value);

        trial_tested(t, 1);
        if (code == NN_OK && isfinite(value))
            continue;
        trial_fail(t, trial_text(t, "update %" PRId64 " with %s", update, text),
                   "0 and a finite value",
                   code ? trial_text(t, "%d: %s", code,
                                     check_host_message(&s.host))
                        : trial_text(t, "%g", value));
        break;
    }
    nn_part_destroy(s.part);
}

static void run_finite(trial *t)
{
    each(t, finite_text);
}

const check schedule_finite = {
    "schedule.finite",
    NN_KIND_SCHEDULE,
    LEVEL_BASIC,
    "every update of a run has a finite value, and those after its end too",
    "a learning rate that is NaN at one update spoils every parameter; the "
    "last update, and a run that is made longer, divide by 0 easily",
    0,
    run_finite,
};

/* ---- schedule.start ---------------------------------------------------- */

static void start_text(trial *t, const char *text, int sure)
{
    static const int64_t totals[] = {1, 2, 1000000};
    scheduled s;
    size_t i;

    if (scheduled_open(t, text, sure, &s))
        return;
    for (i = 0; i < sizeof totals / sizeof *totals; ++i) {
        nn_progress progress = progress_at(0, 1);
        double value;
        int32_t code;

        progress.total_epochs = totals[i];
        progress.updates_in_epoch = 1;
        progress.total_updates = totals[i];
        code = value_at(&s, &progress, &value);
        trial_tested(t, 1);
        if (code || !isfinite(value))
            trial_fail(t,
                       trial_text(t, "update 0 of %" PRId64 " with %s",
                                  totals[i], text),
                       "0 and a finite value",
                       code ? trial_text(t, "%d: %s", code,
                                         check_host_message(&s.host))
                            : trial_text(t, "%g", value));
    }
    nn_part_destroy(s.part);
}

static void run_start(trial *t)
{
    each(t, start_text);
}

const check schedule_start = {
    "schedule.start",
    NN_KIND_SCHEDULE,
    LEVEL_BASIC,
    "the first update has a value, also of a run of one update",
    "counts are those before the update: the first is 0, and a logarithm or a "
    "quotient of it is none",
    0,
    run_start,
};

/* ---- schedule.pure ----------------------------------------------------- */

static void pure_text(trial *t, const char *text, int sure)
{
    scheduled s;
    scheduled other;
    int64_t update;

    if (scheduled_open(t, text, sure, &s))
        return;
    if (!scheduled_open(t, text, 1, &other)) {
        for (update = 0; update < POINTS; update += 3) {
            double one = value_of(&s, update);
            double two = value_of(&s, update);
            double three = value_of(&other, update);

            if (training_compare(t,
                                 trial_text(t,
                                            "update %" PRId64
                                            " asked again with %s",
                                            update, text),
                                 &one, &two, 1, 0) ||
                training_compare(t,
                                 trial_text(t,
                                            "update %" PRId64
                                            " of another one with %s",
                                            update, text),
                                 &one, &three, 1, 0))
                break;
        }
        nn_part_destroy(other.part);
    }
    nn_part_destroy(s.part);
}

static void run_pure(trial *t)
{
    each(t, pure_text);
}

const check schedule_pure = {
    "schedule.pure",
    NN_KIND_SCHEDULE,
    LEVEL_BASIC,
    "the same progress has the same value, however often it is asked for",
    "a summary, a hook and the stepper may all ask; what counts its calls "
    "falls faster for each of them",
    0,
    run_pure,
};

/* ---- schedule.order ---------------------------------------------------- */

static void order_text(trial *t, const char *text, int sure)
{
    double forth[POINTS];
    double back[POINTS];
    scheduled s;
    int64_t update;

    if (scheduled_open(t, text, sure, &s))
        return;
    for (update = 0; update < POINTS; ++update)
        forth[update] = value_of(&s, update);
    for (update = POINTS; update-- > 0;)
        back[update] = value_of(&s, update);
    training_compare(t,
                     trial_text(t,
                                "updates from the last to the first "
                                "with %s",
                                text),
                     forth, back, POINTS, 0);
    nn_part_destroy(s.part);
}

static void run_order(trial *t)
{
    each(t, order_text);
}

const check schedule_order = {
    "schedule.order",
    NN_KIND_SCHEDULE,
    LEVEL_BASIC,
    "a value does not depend on which ones were asked for before",
    "a resumed run begins in the middle, and a second training in the same "
    "program at 0 again",
    0,
    run_order,
};

/* ---- schedule.unknown -------------------------------------------------- */

static void unknown_text(trial *t, const char *text, int sure)
{
    scheduled s;
    int64_t update;

    if (scheduled_open(t, text, sure, &s))
        return;
    for (update = 0; update < POINTS; update += 5) {
        nn_progress progress = progress_at(update, 0);
        const char *where = trial_text(t,
                                       "update %" PRId64 " of a run of "
                                       "unknown length with %s",
                                       update, text);
        double value;
        int32_t code = value_at(&s, &progress, &value);

        check_host_code(t, &s.host, where, code);
        if (code == NN_OK && !isfinite(value))
            trial_fail(t, where, "a finite value, or an error",
                       trial_text(t, "%g", value));
    }
    nn_part_destroy(s.part);
}

static void run_unknown(trial *t)
{
    each(t, unknown_text);
}

const check schedule_unknown = {
    "schedule.unknown",
    NN_KIND_SCHEDULE,
    LEVEL_BASIC,
    "without the length of the run it has a value, or says what it needs",
    "the totals are -1 then; a schedule that divides by them gives a rate that "
    "is negative, and no error",
    0,
    run_unknown,
};
