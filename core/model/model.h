/* SPDX-License-Identifier: MIT */
/* model.h - a config brought to life. */
#ifndef NN_CORE_MODEL_MODEL_H
#define NN_CORE_MODEL_MODEL_H

#include "core/model/data.h"
#include "core/network/network.h"
#include "core/store/checkpoint.h"

/* Where predictions and targets are, for scorers and nn_model_predict. */
typedef struct nn_scored_place {
    char predictions[512]; /* path of the buffer; empty: none found */
    char targets[512];     /* path of the buffer that is compared; or empty */
    char mask[512];        /* path, or empty */
} nn_scored_place;

struct nn_model {
    nn_config *config;
    int32_t owns_config; /* 1: made by nn_model_load */
    nn_handler_interface interface;
    nn_handler *handler;
    const nn_params *handler_params; /* of the model's own handler; NULL: the
                                        caller's device is used */
    nn_network *network;
    nn_scored_place place;
    char *device;
    uint64_t seed;
    const char **keep; /* patterns of config, options and place */
    uint32_t n_keep;
    int32_t training; /* 1: made with gradients */
};

/* nn_model_create without the memory of the network.  [setup] */
int32_t nn_model_plan(nn_config *config, const nn_model_options *options,
                      nn_model **out);

/* What CONFIG's network predicts, and what that is compared with.  [any] */
void nn_config_find_scored(const nn_config *config, nn_scored_place *place);

/* Parameters and state to the groups "parameters" and "state" of WRITER, with
 * the config's text as key "config" (defaults filled in).  The data live in
 * ARENA.  [compute] */
int32_t nn_model_store(nn_model *model, nn_checkpoint_writer *writer,
                       nn_arena *arena);

/* The way back: every parameter and state of the network must be there with
 * its shape and type; nothing is changed unless all are.  [compute] */
int32_t nn_model_restore(nn_model *model, const nn_checkpoint *checkpoint);

/* Refuses data whose fields or batches do not fit MODEL; NAME is for messages.
 * [any] */
int32_t nn_model_check_data(const nn_model *model, const nn_data *data,
                            const char *name);

/* Losses and scores over all of DATA, whose epoch was started.  SCORERS are
 * COUNT components; SCORES gets "loss" and then one a scorer.  Carried frames
 * are as before afterwards.  [compute] */
int32_t nn_model_score(nn_model *model, nn_data *data, const nn_named *scorers,
                       uint32_t count, nn_score *scores);

/* The loss over several batches: of each of PARTS the mean, SUMS by WEIGHTS,
 * added up; a part without weight counts for nothing.  NaN if there are no
 * parts.  [any] */
double nn_mean_loss(const double *sums, const double *weights, uint32_t parts);

/* Adds the scorer that VALUE holds to *COUNT of NN_MAX_SCORERS, if it is one
 * and not there yet.  [any] */
void nn_scorer_append(const nn_value *value, nn_named *scorers,
                      uint32_t *count);

/* 1 if the config says that state is carried from batch to batch.  [any] */
int32_t nn_model_carries(const nn_model *model);

#endif
