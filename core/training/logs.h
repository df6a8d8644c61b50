/* SPDX-License-Identifier: MIT */
/* logs.h - named series of numbers that training writes and hooks read.
 *
 * Values are only appended.  At the end of training the logs are frozen: what
 * is appended after that is read like everything else, but belongs to no
 * checkpoint and is gone when training goes on, so that a run which was broken
 * has the logs of one that was not. */
#ifndef NN_CORE_TRAINING_LOGS_H
#define NN_CORE_TRAINING_LOGS_H

#include "core/store/checkpoint.h"

/* One series. */
typedef struct nn_series {
    char *name; /* "training.loss"; owned */
    double *values;
    int64_t count;
    int64_t room;
    int64_t kept; /* of a frozen series: values of the checkpoint */
} nn_series;

/* Start with zeros.  Series keep their places. */
typedef struct nn_logs {
    nn_series *items;
    uint32_t count;
    uint32_t room;
    int32_t frozen;
} nn_logs;

void nn_logs_finish(nn_logs *logs);

/* Appends VALUE to the series NAME, which is made if it is new.  Returns 0 or
 * NN_NO_MEMORY.  [compute] */
int32_t nn_logs_append(nn_logs *logs, const char *name, double value);

/* The series NAME, or NULL.  [compute] */
const nn_series *nn_logs_find(const nn_logs *logs, const char *name);

/* The end of training, and its going on: see above.  [compute] */
void nn_logs_freeze(nn_logs *logs);
void nn_logs_thaw(nn_logs *logs);

/* To and from tensors of group "logs".  The values live until the write;
 * restore fills empty logs.  [compute] */
int32_t nn_logs_store(const nn_logs *logs, nn_checkpoint_writer *writer);
int32_t nn_logs_restore(nn_logs *logs, const nn_checkpoint *checkpoint);

#endif
