/* SPDX-License-Identifier: MIT */
/* run.h - a training run without a network: what a hook sees of one, and what
 * it did.
 *
 * A run has EPOCHS epochs of RUN_UPDATES updates.  training.loss gets a value
 * after each update, validation.loss and validation.accuracy after each epoch,
 * so that hooks find logs of both sorts.  What a hook does is kept as one text,
 * a line for each call of a function: two runs are the same if their texts
 * are. */
#ifndef NN_CONFORMANCE_HOOK_RUN_H
#define NN_CONFORMANCE_HOOK_RUN_H

#include <nn/hook.h>

#include "conformance/data/host.h"
#include "conformance/data/texts.h"

#define RUN_UPDATES 2 /* updates of an epoch */
#define RUN_LOGS 12
#define RUN_KEYS 32
#define RUN_VALUES 2100

/* Functions of the context that can fail. */
enum run_function {
    RUN_NONE,
    RUN_EVALUATE,
    RUN_SAVE,
    RUN_APPEND,
    RUN_LOG,
    RUN_REMEMBER,
    RUN_ALL_FINITE,
    RUN_TUNE,
    RUN_READ,
    RUN_FUNCTIONS
};

/* Values of a log. */
typedef struct run_log {
    char name[96];
    double values[RUN_VALUES];
    int64_t count;
    int64_t seen; /* by the hook */
} run_log;

typedef struct run_key {
    char key[96];
    double value;
} run_key;

/* What a run says of what the hook does. */
#define RUN_JUDGE_CODES 1u    /* a code that is not one, or has no message */
#define RUN_JUDGE_OUTPUT 2u   /* texts and paths */
#define RUN_JUDGE_FAILURES 4u /* a failure that is kept secret */

/* What a run is like; zero is the usual one of 8 epochs. */
typedef struct run_options {
    int64_t epochs;          /* 0: 8; -1: none */
    int64_t resumed;         /* epochs that were made before */
    int silent;              /* 1: no logs at all */
    double odd;              /* in place of every other value, if not 0 */
    int unknown_length;      /* 1: totals are -1 */
    int infinite;            /* 1: all_finite says no */
    enum run_function fails; /* this function fails with NN_IO ... */
    int updates;             /* 1: timescale update, 2: epoch and update both */
    uint32_t judge;          /* RUN_JUDGE_... */
} run_options;

/* The page that the hook sees.  It may be read only. */
typedef struct run_page {
    nn_hook_context context; /* first */
    struct run *run;
} run_page;

typedef struct run {
    trial *t;
    const char *text;
    check_host host;
    nn_part *part;
    nn_hook_interface f;
    nn_hook *hook;
    run_options options;
    run_page *page;
    int locked; /* 1: the page is read only during a call */
    run_log *logs;
    uint32_t n_logs;
    run_key keys[RUN_KEYS];
    uint32_t n_keys;
    int64_t epoch; /* complete ones */
    int64_t update;
    char *said; /* what the hook did */
    size_t used;
    size_t room;
    uint32_t asked[RUN_FUNCTIONS]; /* calls of each */
    uint32_t spoken;               /* calls of emit */
    int32_t code;                  /* of the last call */
    int32_t error; /* the first negative one, with its message */
    const char *error_text;
    int stopped; /* 1: a call returned STOP or a negative code */
    const char *message;
    int64_t calls;
} run;

/* Makes the hook with the parameters TEXT.  Returns 0, or a code with the
 * message in `message`; nothing is to be closed then. */
int32_t run_try(trial *t, const char *text, const run_options *options,
                run *out);

/* The same; a refusal is a failure if SURE, and one without a message always.
 * Returns 0 or -1. */
int run_open(trial *t, const char *text, int sure, const run_options *options,
             run *out);
void run_close(run *r);

/* Calls the hook at WHEN (NN_AT_...), if it wants that.  The code is also kept
 * in `code`. */
int32_t run_call(run *r, uint32_t when);

/* One epoch with all its calls; and the whole run from START to END, which ends
 * after a call that stops it. */
void run_epoch(run *r);
void run_whole(run *r);

/* Copies what a checkpoint keeps (logs, keys, counts) from FROM to R. */
void run_resume(run *r, const run *from);

/* Forgets what the hook did so far. */
void run_forget(run *r);

/* The usual texts of the hook. */
const text_set *run_texts(trial *t);

/* Runs EACH for each text of the level. */
void run_each(trial *t, texts_run each);

#endif
