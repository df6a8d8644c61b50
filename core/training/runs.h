/* SPDX-License-Identifier: MIT */
/* runs.h - parameters in runs of equal settings.
 *
 * All parameters are one contiguous array, and so are all gradients, in the
 * same layout.  A stepper is called once for each maximal range whose
 * parameters have the same settings; padding between parameters is zero, has
 * zero gradients and so stays zero, and may lie within a range.  (A handler
 * that wants red zones gets a range for each parameter, since red zones are
 * no padding.)
 *
 * Settings are the values of the stepper: its own, or those of the last
 * override whose pattern matches; in each case with `decay` 0 for biases and
 * other parameters that weight decay passes by.  What is frozen, by the config
 * or by its layer, is in no range. */
#ifndef NN_CORE_TRAINING_RUNS_H
#define NN_CORE_TRAINING_RUNS_H

#include "core/model/model.h"
#include "core/training/tuning.h"

/* One parameter. */
typedef struct nn_parameter {
    const char *name; /* "hidden.W" */
    uint32_t tags;    /* NN_TAG_... */
    int32_t frozen;
    int32_t record;     /* of the layout */
    int32_t root;       /* record that holds its memory */
    uint32_t settings;  /* index, unless it is frozen */
    nn_array parameter; /* with memory */
    nn_array gradient;
} nn_parameter;

/* One range, in elements of the block. */
typedef struct nn_run_of {
    int64_t first;
    int64_t count;
    uint32_t settings;
} nn_run_of;

typedef struct nn_runs {
    nn_parameter *parameters; /* in the order of memory */
    uint32_t n_parameters;
    uint32_t count;
    nn_run_of *items;
    nn_tuned *settings;
} nn_runs;

/* Finds the runs of MODEL's network and adds what may change of the settings
 * to TUNING: "stepper.NAME" for the stepper and for the overrides that do not
 * give NAME themselves, "overrides.PATTERN.NAME" for those that do.  A pattern
 * that no parameter matches is an error.  Memory is TUNING's.  [setup] */
int32_t nn_runs_create(const nn_model *model, nn_tuning *tuning, nn_runs *out);

/* Patterns: NODE is one or a list of them, NULL: all.  Marks the parameters
 * that match in MARKS (n_parameters); what matches nothing is an error in
 * which WHAT ("modifier 'l2'") is named.  [setup] */
int32_t nn_runs_match(const nn_runs *runs, const nn_node *node,
                      const char *what, uint8_t *marks);

/* The name of what is no longer finite among all parameters, or with GRADIENTS
 * 1 among the gradients of those that are trained; NULL if all are.  *CODE gets
 * the handler's error.  [compute] */
const char *nn_runs_not_finite(const nn_runs *runs, nn_network *network,
                               int gradients, int32_t *code);

#endif
