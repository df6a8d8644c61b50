/* SPDX-License-Identifier: MIT */
/* check.h - what a check is, and what it has at hand.
 *
 * nn-conformance lists the checks that apply to a component, and runs each one
 * in a process of its own (run.h), executed anew.  In that process a check gets
 * a trial: the component, the options, and the functions by which it says what
 * it found.  A check that says nothing has passed.  One that cannot be applied
 * to the component says skip with the reason; a check that neither tested nor
 * skipped anything fails.
 *
 * Ids are `kind.subject.detail` in lower case; they are never renamed. */
#ifndef NN_CONFORMANCE_CHECK_H
#define NN_CONFORMANCE_CHECK_H

#include <nervenet.h>

/* How much is checked; each level contains those before it. */
enum level {
    LEVEL_LOAD,
    LEVEL_BASIC,
    LEVEL_STANDARD,
    LEVEL_STRICT,
    LEVEL_SOAK
};

typedef struct trial trial;

/* For check.kind: every component, whatever its kind. */
#define KIND_ANY UINT32_MAX

/* One check, constant data. */
typedef struct check {
    const char *id;   /* "layer.grad.taylor" */
    uint32_t kind;    /* NN_KIND_... of the components that it is for, or
                         KIND_ANY; 0: it is for the file, once, and runs
                         also if the library refuses the file */
    enum level level; /* at which it runs first */
    const char *what; /* what is right, one line without a full stop */
    const char *why;  /* why it matters and what usually causes a failure */
    uint32_t seconds; /* after which it is killed; 0: 30 */
    void (*run)(trial *trial);
} check;

/* The checks of each folder, NULL-terminated. */
extern const check *const plugin_checks[]; /* the file; every component */
extern const check *const layer_checks[];
extern const check *const layer_more_checks[]; /* layers as well */
extern const check *const handler_checks[];
extern const check *const data_checks[]; /* iterators */
extern const check *const hook_checks[];
extern const check *const training_checks[]; /* steppers, modifiers, schedules,
                                                initializers, scorers */

/* What a check runs on. */
struct trial {
    const check *check;
    const char *path;          /* of the plugin's file, absolute */
    const nn_plugins *plugins; /* with this file among the named ones, or
                                  without it if the library refuses it */
    const nn_plugin_component *component; /* metadata; NULL for the file */
    const char *handler;       /* as a config would write it: "cpu" */
    enum level level;          /* of this run */
    uint64_t seed;             /* of this check: differs from check to check
                                  and with --seed */
    const char *folder;        /* empty folder of this trial, current */
    uint64_t draws;            /* of trial_uniform so far */
    struct trial_state *state; /* of trial.c */
};

/* Says that something is wrong: WHERE ("input_deltas.default[3] at time step 1"),
 * what was EXPECTED and what came, GOT; each may be NULL and is copied.  The
 * check goes on; the first few are shown, the others counted. */
void trial_fail(trial *trial, const char *where, const char *expected,
                const char *got);

/* Says that the component is right in an unusual way that a reader should
 * know: "kinks: 3 of 120 elements left out". */
void trial_note(trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that the check does not apply, and why.  The check returns then. */
void trial_skip(trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that the suite itself cannot go on (exit code 4), and why. */
void trial_broken(trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that COUNT things were tested: one more for every comparison, case or
 * call.  A check that ends with 0 of them and without a skip fails. */
void trial_tested(trial *trial, int64_t count);

/* What was said so far. */
int64_t trial_failures(const trial *trial);

/* Formatted text that lives as long as the trial. */
const char *trial_text(trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* COUNT zeroed bytes that live as long as the trial; never NULL. */
void *trial_alloc(trial *trial, size_t bytes);

/* The next number in [0, 1), a function of the seed alone; and of integers in
 * [first, last]. */
double trial_uniform(trial *trial);
int64_t trial_integer(trial *trial, int64_t first, int64_t last);

/* The raw entry of the file, opened in this process by dlopen as the loader
 * would (RTLD_NOW | RTLD_LOCAL); NULL after saying a failure. */
const nn_plugin *trial_open(trial *trial);

/* The component alive with its parameters TEXT (params.h's forms without the
 * name: "" or "{units: 3}"); NULL with the code in *CODE and the message to be
 * asked of nn_error.  It lives as long as the trial. */
nn_part *trial_part(trial *trial, const char *text, const nn_host *host,
                    int32_t *code);

/* Marks that code of the plugin runs from here on, so that what is done by it
 * (watch.h) is noted under NAME, "forward"; trial_leave ends it. */
void trial_enter(trial *trial, const char *name);
void trial_leave(trial *trial);

#endif
