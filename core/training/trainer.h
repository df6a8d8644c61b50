/* SPDX-License-Identifier: MIT */
/* trainer.h - a trainer, as the files of this folder see it.
 *
 *   trainer.c    makes it, and what of it is public
 *   loop.c       epochs, updates, batches
 *   hooking.c    which hooks are called when;  hook_context.c: what they see
 *   evaluate.c   data by name, and what hooks evaluate
 *   resume.c     its state in a checkpoint
 *
 * Position.  `epoch` and `update` count what is complete, `batch` the batches
 * of this epoch that are consumed.  Batches of which nothing is to be learned
 * (every weight of the loss is 0) make no update: parameters, vectors of the
 * stepper and the count of updates stay as they are.  `passes` counts batches
 * since training began; it is the number that random draws use, so that the
 * batches of one update draw different masks.
 *
 * While hooks are called, `event` says after what, and `calling` which one; a
 * checkpoint that a hook saves holds both, and a resumed run goes on with the
 * hook after it.  No time and no path is in a checkpoint: equal runs write
 * equal files, whether they were broken or not. */
#ifndef NN_CORE_TRAINING_TRAINER_H
#define NN_CORE_TRAINING_TRAINER_H

#include <stdatomic.h>

#include <nn/hook.h>

#include "core/training/appended.h"
#include "core/training/logs.h"
#include "core/training/modifying.h"
#include "core/training/stepping.h"

/* Name of the checkpoint at the end of a run. */
#define NN_LAST_CHECKPOINT "checkpoint.nn"

/* Something that a hook remembers. */
typedef struct nn_memory_of {
    char *key; /* owned */
    double value;
} nn_memory_of;

/* One hook of the run; the context is first: the functions behind it find the
 * rest. */
typedef struct nn_hooked {
    nn_hook_context context;
    nn_trainer *trainer;
    const nn_extra *extra;
    nn_hook_interface interface; /* full size */
    nn_hook *hook;
    int32_t created;
    int32_t emit_code;  /* of the text of this call that failed */
    uint32_t events;    /* at which it is called */
    uint32_t timescale; /* what `interval` counts */
    int64_t *seen;      /* values of each log at the end of its last call */
    uint32_t n_seen;
    uint32_t n_memories;
    nn_memory_of *memories;
} nn_hooked;

/* Data that hooks evaluate. */
typedef struct nn_named_data {
    char *name; /* owned */
    nn_data *data;
    int32_t owned;
    struct nn_named_data *next;
} nn_named_data;

struct nn_trainer {
    nn_model *model; /* the caller's */
    nn_config *config;
    nn_network *network;
    nn_trainer_options options; /* its texts are not used after creation */
    nn_arena *arena;
    nn_data *train;
    int32_t owns_train;
    nn_named_data *data;
    nn_tuning tuning;
    nn_runs runs;
    nn_stepping stepping;
    nn_modifying modifying;
    nn_hooked *hooks;
    uint32_t n_hooks;
    nn_logs logs;
    nn_appended files;
    atomic_int stop;

    int64_t epochs;     /* in total; -1: no limit */
    int64_t updates;    /* the same */
    int64_t accumulate; /* batches an update */
    int32_t carries;    /* 1: frames are carried from batch to batch */

    uint64_t seed;
    int64_t epoch;
    int64_t update;
    int64_t batch;
    int64_t passes;
    int64_t updated; /* updates of this epoch */
    uint32_t event;  /* NN_AT_... while hooks are called, or to be finished */
    int32_t placed;  /* 0: the data's next batch is not number `batch` */
    int32_t stopped; /* 1: a hook wants to stop */
    const nn_hooked *calling; /* the hook called now, or last before a resume */

    uint32_t n_losses;
    double *loss_sums; /* of this epoch, by part of the loss */
    double *loss_weights;
    double *values; /* of one batch */
    double *weights;
    double loss;     /* of the last batch */
    double started;  /* by the clock */
    int64_t samples; /* since then */
};

/* Seconds of a clock that only goes forward.  [any] */
double nn_trainer_clock(void);

/* Where training stands.  [compute] */
nn_progress nn_trainer_progress(const nn_trainer *trainer);

/* Writes a checkpoint to PATH.  [compute] */
int32_t nn_trainer_write(nn_trainer *trainer, const char *path);

/* ---- hooks ------------------------------------------------------------- */

/* Makes the hooks of the config; what was made is destroyed by finish, also
 * after an error.  [setup] */
int32_t nn_hooking_init(nn_trainer *trainer);
void nn_hooking_finish(nn_trainer *trainer);

/* Calls the hooks for WHEN, those before FIRST excepted.  The first error ends
 * it, at NN_AT_END after all were called.  [compute] */
int32_t nn_hooking_call(nn_trainer *trainer, uint32_t when, uint32_t first);

/* Fills the functions of HOOKED's context.  [setup] */
void nn_hook_context_init(nn_hooked *hooked);

/* Notes that HOOKED has seen all logs; the room for that, which is also made
 * after every event, so that an update without a new log needs no memory.
 * [compute] */
int32_t nn_hook_saw(nn_hooked *hooked);
int32_t nn_hook_make_room(nn_hooked *hooked);

/* Tells the program how far training is, if it wants to know.  [compute] */
void nn_trainer_show(const nn_trainer *trainer);

/* Keeps VALUE under KEY.  [compute] */
int32_t nn_hook_remember(nn_hooked *hooked, const char *key, double value);

/* ---- data -------------------------------------------------------------- */

/* Adds DATA to the list.  [setup] */
int32_t nn_trainer_keep_data(nn_trainer *trainer, const char *name,
                             nn_data *data, int32_t owned);
void nn_trainer_drop_data(nn_trainer *trainer);

/* Scores all of data NAME with the scorers in VALUE (may be NULL) and logs
 * what comes out.  [compute] */
int32_t nn_trainer_evaluate(nn_trainer *trainer, const char *name,
                            const nn_value *value);

/* ---- checkpoints ------------------------------------------------------- */

/* Everything of the trainer, its model included; data live in ARENA.
 * [compute] */
int32_t nn_trainer_store(nn_trainer *trainer, nn_checkpoint_writer *writer,
                         nn_arena *arena);

/* The way back, into a trainer that was just made.  The model is not changed
 * unless all fits.  [setup] */
int32_t nn_trainer_restore(nn_trainer *trainer,
                           const nn_checkpoint *checkpoint);

#endif
