/* SPDX-License-Identifier: MIT */
/* stepping.h - the stepper, once for every run of parameters. */
#ifndef NN_CORE_TRAINING_STEPPING_H
#define NN_CORE_TRAINING_STEPPING_H

#include "core/training/runs.h"

typedef struct nn_stepping nn_stepping;

/* One run; the context is first: the functions behind it find the rest. */
typedef struct nn_step {
    nn_stepper_context context;
    nn_stepping *owner;
    nn_array parameters;
    nn_array gradients;
    nn_array *vectors;
    nn_plan *plans[NN_PLAN_SLOTS];
} nn_step;

struct nn_stepping {
    nn_network *network;
    const nn_component *component;
    nn_stepper_interface interface; /* full size */
    nn_step *steps;
    uint32_t n_steps;
    nn_memory *vectors; /* one layout of the parameters behind the other */
    int64_t vector_bytes;
    nn_memory **memories; /* workspace and reserves of the plans */
    uint32_t n_memories;
};

/* Makes vectors (zeros), contexts and plans for RUNS.  OUT is finished by the
 * caller, also after an error.  [setup] */
int32_t nn_stepping_init(nn_model *model, const nn_runs *runs, nn_arena *arena,
                         nn_stepping *out);
void nn_stepping_finish(nn_stepping *stepping);

/* Update number UPDATE, from 1.  [compute] */
int32_t nn_stepping_step(nn_stepping *stepping, int64_t update);

/* Vector INDEX as far as it belongs to PARAMETER, in its shape.  [compute] */
nn_array nn_stepping_vector(const nn_stepping *stepping, uint32_t index,
                            const nn_parameter *parameter);

#endif
