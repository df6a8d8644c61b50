/* SPDX-License-Identifier: MIT */
/* modifying.h - modifiers of gradients, before the step, and of parameters,
 * after it.  What is frozen no modifier sees. */
#ifndef NN_CORE_TRAINING_MODIFYING_H
#define NN_CORE_TRAINING_MODIFYING_H

#include "core/training/runs.h"

/* One modifier; the context is first: the functions behind it find the rest. */
typedef struct nn_modifying_one {
    nn_modifier_context context;
    nn_network *network;
    const nn_component *component;
    nn_modifier_interface interface; /* full size */
    nn_tuned tuned;
    nn_modified *modified;
} nn_modifying_one;

typedef struct nn_modifying {
    nn_network *network;
    nn_modifying_one *items;
    int64_t count;
    nn_memory *scratch; /* of all */
} nn_modifying;

/* Makes the modifiers of MODEL's config for the parameters of RUNS; what may
 * change of their values is added to TUNING as "modifiers.NAME.VALUE".  OUT is
 * finished by the caller, also after an error.  [setup] */
int32_t nn_modifying_init(nn_model *model, const nn_runs *runs,
                          nn_tuning *tuning, nn_modifying *out);
void nn_modifying_finish(nn_modifying *modifying);

/* Calls those that work WHEN (NN_MODIFY_...), in the config's order, for
 * update number UPDATE.  [compute] */
int32_t nn_modifying_call(nn_modifying *modifying, uint32_t when,
                          int64_t update);

#endif
