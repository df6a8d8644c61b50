/* SPDX-License-Identifier: MIT */
/* data.h - the core's side of iterators. */
#ifndef NN_CORE_MODEL_DATA_H
#define NN_CORE_MODEL_DATA_H

#include <nn/iterator.h>

#include "core/model/configuration.h"

struct nn_data {
    nn_iterator_interface interface; /* full size */
    nn_iterator *iterator;
    const nn_params *params; /* of its component, for the children */
    nn_data_entry *entry;    /* of the config; NULL: the caller's arrays */
    nn_iterator_info info;
    nn_batch batch; /* the current one */
    void **fields;  /* batch.data */
};

/* What CONFIG's network reads; from an arena of the caller.  [setup] */
int32_t nn_data_request(const nn_config *config, nn_arena *arena,
                        nn_iterator_request *request);

/* Refuses data without a field of the right shape and type for every input of
 * CONFIG's network; the message does not name the data.  [any] */
int32_t nn_config_check_fields(const nn_config *config, const nn_data *data);

/* Allocates what one batch of data->info needs.  [setup] */
int32_t nn_data_make_buffers(nn_data *data);

/* Makes batch number BATCH of the epoch the next one.  [compute] */
int32_t nn_data_seek(nn_data *data, int64_t batch);

/* Copies the current batch's fields to the inputs of the pass begun on
 * NETWORK; fields that no input is called are left out.  [compute] */
int32_t nn_data_upload(const nn_data *data, nn_network *network);

/* The largest T and B of all data of CONFIG, opened on the way and kept for
 * nn_data_create; leaves them alone if there are none.  [setup] */
int32_t nn_config_largest_batch(nn_config *config, int64_t *T, int64_t *B);

#endif
