/* SPDX-License-Identifier: MIT */
/* tuning.h - values of components that change while training.
 *
 * A component reads its values as constants; the trainer gives it a copy and
 * changes that between updates: those with a schedule before each update, and
 * those that a hook sets, which then hold and need no schedule any more.  The
 * config itself is never changed. */
#ifndef NN_CORE_TRAINING_TUNING_H
#define NN_CORE_TRAINING_TUNING_H

#include <nn/training.h>

#include "core/config/schema.h"
#include "core/store/checkpoint.h"

/* A copy of a component's values. */
typedef struct nn_tuned {
    nn_params params;     /* what the component reads */
    nn_setting *settings; /* params.count of them, behind `params` */
} nn_tuned;

/* A value that may change. */
typedef struct nn_tunable {
    const char *path; /* "stepper.learning_rate"; several may have one path */
    nn_setting *setting;
    int32_t set; /* 1: a hook has set it */
    struct nn_tunable *next;
} nn_tunable;

/* All of them.  Start with nn_tuning_init. */
typedef struct nn_tuning {
    const nn_host *host;
    nn_arena *arena; /* the trainer's */
    nn_tunable *first;
    nn_tunable **end;
} nn_tuning;

/* Copies PARAMS into OUT, in ARENA.  [setup] */
int32_t nn_tuned_copy(const nn_params *params, nn_arena *arena, nn_tuned *out);

/* The copied setting of the parameter called NAME, or NULL.  [any] */
nn_setting *nn_tuned_find(const nn_tuned *tuned, const char *name);

void nn_tuning_init(nn_tuning *tuning, const nn_host *host, nn_arena *arena);

/* Adds SETTING as PREFIX.NAME if its parameter is TUNABLE.  [setup] */
int32_t nn_tuning_add(nn_tuning *tuning, const char *prefix,
                      nn_setting *setting);

/* Gives all values with a schedule those for PROGRESS.  [compute] */
int32_t nn_tuning_follow(const nn_tuning *tuning, const nn_progress *progress);

/* Sets the value at PATH: NN_NOT_FOUND with a suggestion, or
 * NN_INVALID_ARGUMENT outside its range.  [compute] */
int32_t nn_tuning_set(nn_tuning *tuning, const char *path, double value);

/* What was set, to and from values "tunable/PATH".  A path that is unknown by
 * now is left out.  [compute] */
int32_t nn_tuning_store(const nn_tuning *tuning, nn_checkpoint_writer *writer);
void nn_tuning_restore(nn_tuning *tuning, const nn_checkpoint *checkpoint);

#endif
