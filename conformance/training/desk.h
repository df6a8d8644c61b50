/* SPDX-License-Identifier: MIT */
/* desk.h - a handler with arrays that the suite reads and writes, each between
 * guard elements. */
#ifndef NN_CONFORMANCE_TRAINING_DESK_H
#define NN_CONFORMANCE_TRAINING_DESK_H

#include <nn/training.h>

#include "conformance/data/host.h"
#include "conformance/data/texts.h"

#define DESK_ARRAYS 64
#define DESK_GUARD 16 /* elements on each side */

typedef struct desk {
    trial *t;
    check_host host;
    nn_part *part;
    nn_device *device;
    const nn_handler_interface *f;
    nn_handler *handler;
    uint32_t real;
    nn_array arrays[DESK_ARRAYS]; /* that were made, each a whole block */
    nn_memory *memories[DESK_ARRAYS];
    uint32_t count;
    uint32_t n_memories;
} desk;

/* A desk with HANDLER, as a config would write it, for REAL.  Returns 0, or -1
 * after saying why not. */
int desk_open(trial *t, const char *handler, uint32_t real, desk *out);
void desk_close(desk *d);

/* An array of zeros, between guard elements. */
nn_array desk_array(desk *d, uint32_t ndim, const int64_t *shape);
nn_array desk_vector(desk *d, int64_t count);

/* Memory of BYTES without guards; absent for 0. */
nn_array desk_bytes(desk *d, int64_t bytes);

/* Copies the numbers of an array from and to the host. */
void desk_set(desk *d, const nn_array *array, const double *values);
void desk_get(desk *d, const nn_array *array, double *values);

/* Whether all guard elements are whole, said under WHERE; and that the
 * operations had no error. */
void desk_judge(desk *d, const char *where);

#endif
