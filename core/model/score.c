/* SPDX-License-Identifier: MIT */
/* score.c - losses and scores over all of some data.
 *
 * Passes are without NN_PASS_TRAIN.  Each part of the loss is averaged with
 * its weight over the batches, so that a short last batch counts as what it
 * is.  Predictions and targets go to the host as float64 for the scorers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nn/training.h>

#include "core/model/model.h"
#include "core/model/sections.h"
#include "core/util/error.h"

/* A buffer on the host, as numbers. */
typedef struct column {
    double *values;
    void *raw;
    int64_t room; /* elements */
    int64_t rows;
    int64_t columns;
} column;

typedef struct scoring {
    nn_model *model;
    const nn_named *scorers;
    uint32_t count;
    double *sums; /* by scorer */
    double *weights;
    double *loss_sums; /* by part of the loss */
    double *loss_weights;
    double *values; /* of one batch */
    double *batch_weights;
    column predictions;
    column targets;
    column mask;
} scoring;

/* Makes room for as many elements as ARRAY has. */
static int32_t fit(column *to, const nn_array *array)
{
    int64_t count = nn_elements(array);

    to->rows = nn_rows(array);
    to->columns = nn_columns(array);
    if (count <= to->room)
        return NN_OK;
    free(to->values);
    free(to->raw);
    to->room = count;
    to->values = malloc((size_t)count * sizeof *to->values);
    to->raw = malloc((size_t)count * sizeof(double));
    if (to->values && to->raw)
        return NN_OK;
    to->room = 0;
    return nn_error_no_memory("scores", (uint64_t)count * 16);
}

static int32_t fetch(nn_network *network, const char *path, column *to)
{
    nn_array array;
    int64_t i;
    int64_t count;
    int32_t code = nn_network_view(network, path, &array);

    if (!code)
        code = fit(to, &array);
    if (!code)
        code = nn_network_download(network, &array, to->raw);
    if (code)
        return code;
    count = nn_elements(&array);
    for (i = 0; i < count; ++i)
        switch (array.dtype) {
        case NN_FLOAT32:
            to->values[i] = ((const float *)to->raw)[i];
            break;
        case NN_FLOAT64:
            to->values[i] = ((const double *)to->raw)[i];
            break;
        case NN_INT32:
            to->values[i] = ((const int32_t *)to->raw)[i];
            break;
        default:
            to->values[i] = ((const uint8_t *)to->raw)[i];
        }
    return NN_OK;
}

/* Hands the batch to every scorer. */
static int32_t score_batch(scoring *s)
{
    const nn_scored_place *place = &s->model->place;
    nn_scored what;
    int32_t code;
    uint32_t i;

    if (!s->count)
        return NN_OK;
    code = fetch(s->model->network, place->predictions, &s->predictions);
    if (!code)
        code = fetch(s->model->network, place->targets, &s->targets);
    if (!code && place->mask[0])
        code = fetch(s->model->network, place->mask, &s->mask);
    memset(&what, 0, sizeof what);
    what.size = NN_SIZEOF(nn_scored, mask);
    what.host = s->model->config->host;
    what.rows = s->predictions.rows;
    what.columns = s->predictions.columns;
    what.target_columns = s->targets.columns;
    what.predictions = s->predictions.values;
    what.targets = s->targets.values;
    if (place->mask[0] && s->mask.rows == what.rows)
        what.mask = s->mask.values;
    if (!code && s->targets.rows != s->predictions.rows)
        code = nn_error_set(NN_SHAPE, "score.rows",
                            "there are %lld targets for %lld predictions",
                            (long long)s->targets.rows,
                            (long long)s->predictions.rows);
    for (i = 0; i < s->count && !code; ++i) {
        const nn_scorer_interface *scorer = s->scorers[i].component->interface;

        what.params = s->scorers[i].params;
        code = scorer->score(&what, &s->sums[i], &s->weights[i]);
        if (code && !nn_error_code())
            nn_error_set(code, "score.failed", "scorer '%s' failed",
                         s->scorers[i].component->name);
    }
    return code;
}

static int32_t add_losses(scoring *s)
{
    uint32_t parts = nn_network_losses(s->model->network);
    int32_t code = nn_network_loss(s->model->network, NULL, s->values,
                                   s->batch_weights);
    uint32_t i;

    for (i = 0; i < parts && !code; ++i) {
        if (s->batch_weights[i] == 0)
            continue;
        s->loss_sums[i] += s->values[i] * s->batch_weights[i];
        s->loss_weights[i] += s->batch_weights[i];
    }
    return code;
}

static int32_t run_batches(scoring *s, nn_data *data)
{
    nn_network *network = s->model->network;
    int32_t carry = nn_model_carries(s->model);
    int32_t code;

    while (!(code = nn_data_next(data))) {
        code = nn_network_begin(network, data->batch.T, data->batch.B, 0);
        if (!code)
            code = nn_data_upload(data, network);
        if (!code)
            code = nn_network_forward(network, carry, data->batch.begins);
        if (!code)
            code = add_losses(s);
        if (!code)
            code = score_batch(s);
        if (code)
            return code;
    }
    return code == NN_END ? NN_OK : code;
}

/* Room for all sums; 0 everywhere. */
static int32_t make_room(scoring *s)
{
    uint32_t parts = nn_network_losses(s->model->network);
    double *all = calloc(2 * (size_t)s->count + 4 * (size_t)parts + 1,
                         sizeof *all);

    if (!all)
        return nn_error_no_memory("scores", 8 * (uint64_t)s->count);
    s->sums = all;
    s->weights = s->sums + s->count;
    s->loss_sums = s->weights + s->count;
    s->loss_weights = s->loss_sums + parts;
    s->values = s->loss_weights + parts;
    s->batch_weights = s->values + parts;
    return NN_OK;
}

double nn_mean_loss(const double *sums, const double *weights, uint32_t parts)
{
    double loss = parts ? 0 : NAN;
    uint32_t i;

    for (i = 0; i < parts; ++i)
        if (weights[i] > 0)
            loss += sums[i] / weights[i];
    return loss;
}

static void report(const scoring *s, nn_score *scores)
{
    uint32_t parts = nn_network_losses(s->model->network);
    uint32_t i;

    scores[0].name = "loss";
    scores[0].value = nn_mean_loss(s->loss_sums, s->loss_weights, parts);
    for (i = 0; i < s->count; ++i) {
        scores[i + 1].name = s->scorers[i].component->name;
        scores[i + 1].value = s->weights[i] > 0 ? s->sums[i] / s->weights[i]
                                                : NAN;
    }
}

static void free_column(column *one)
{
    free(one->values);
    free(one->raw);
}

static int32_t score_all(scoring *s, nn_data *data, nn_score *scores)
{
    const nn_scored_place *place = &s->model->place;
    int32_t code;

    if (s->count && (!place->predictions[0] || !place->targets[0]))
        return nn_error_set(NN_INVALID_ARGUMENT, "score.no-targets",
                            "no layer of the network has predictions and "
                            "targets that could be scored");
    code = make_room(s);
    if (!code)
        code = run_batches(s, data);
    if (!code)
        report(s, scores);
    free(s->sums);
    free_column(&s->predictions);
    free_column(&s->targets);
    free_column(&s->mask);
    return code;
}

/* Sets the frames that were carried before, also after the error CODE, which
 * then stays the one that is told. */
static int32_t put_back(nn_network *network, const void *carried, int64_t B,
                        int32_t code)
{
    nn_kept_error kept;
    int32_t result;

    nn_error_keep(&kept);
    result = nn_network_context_set(network, carried, B);
    if (!code)
        return result;
    nn_error_restore(&kept);
    return code;
}

int32_t nn_model_score(nn_model *model, nn_data *data, const nn_named *scorers,
                       uint32_t count, nn_score *scores)
{
    scoring s = {.model = model, .scorers = scorers, .count = count};
    nn_network *network = model->network;
    int64_t bytes = nn_network_context_bytes(network);
    void *carried = NULL;
    int64_t B = 0;
    int32_t code;

    if (bytes) {
        carried = malloc((size_t)bytes);
        code = carried ? nn_network_context_get(network, carried, &B)
                       : nn_error_no_memory("carried frames", (uint64_t)bytes);
        if (code) {
            free(carried);
            return code;
        }
    }
    network->carrying = 0;
    code = score_all(&s, data, scores);
    if (bytes)
        code = put_back(network, carried, B, code);
    free(carried);
    return code;
}

int32_t nn_model_carries(const nn_model *model)
{
    const nn_params *training = model->config->training;

    return training && nn_param_int(training, NN_TRAINING_CARRY_STATE);
}

void nn_scorer_append(const nn_value *value, nn_named *scorers, uint32_t *count)
{
    uint32_t i;

    if (!value->child || value->child->kind != NN_KIND_SCORER ||
        *count == NN_MAX_SCORERS)
        return;
    for (i = 0; i < *count; ++i)
        if (scorers[i].component == value->child->component)
            return;
    memset(&scorers[*count], 0, sizeof *scorers);
    scorers[*count].component = value->child->component;
    scorers[*count].params = value->child->params;
    ++*count;
}

uint32_t nn_config_scorers(const nn_config *config,
                           nn_named scorers[NN_MAX_SCORERS])
{
    uint32_t count = 0;
    int64_t i;
    uint32_t k;
    uint32_t j;

    for (i = 0; i < config->scorers.count && count < NN_MAX_SCORERS; ++i)
        scorers[count++] = config->scorers.items[i].named;
    for (i = 0; i < config->hooks.count && !config->scorers.count; ++i) {
        const nn_params *params = config->hooks.items[i].named.params;

        for (k = 0; k < params->count; ++k)
            for (j = 0; j < params->values[k]->count; ++j)
                nn_scorer_append(params->values[k]->items[j], scorers, &count);
    }
    return count;
}

int32_t nn_model_evaluate(nn_model *model, nn_data *data, nn_score *scores,
                          uint32_t room, uint32_t *count)
{
    nn_named scorers[NN_MAX_SCORERS];
    nn_score all[NN_MAX_SCORERS + 1];
    uint32_t n = nn_config_scorers(model->config, scorers);
    int32_t code;

    nn_error_clear();
    *count = 0;
    code = nn_model_check_data(model, data,
                               data->entry ? data->entry->name : "arrays");
    if (!code)
        code = nn_data_start(data, model->seed, 0);
    if (!code)
        code = nn_model_score(model, data, scorers, n, all);
    if (code)
        return code;
    *count = n + 1;
    if (room)
        memcpy(scores, all, (n + 1 < room ? n + 1 : room) * sizeof *all);
    return NN_OK;
}
