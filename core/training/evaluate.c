/* SPDX-License-Identifier: MIT */
/* evaluate.c - the data that a trainer reads, and what hooks evaluate.
 *
 * Data are known by name: those that the caller added, those that are trained
 * on as "train" unless something else was added under that name, and those of
 * the config, opened when they are asked for and kept open.  Evaluation reads
 * epoch 0, always the same.  If it reads what is trained on, the place of
 * training is lost and taken again before the next batch. */
#include <stdlib.h>
#include <string.h>

#include "core/training/trainer.h"
#include "core/util/error.h"

/* ---- data by name ------------------------------------------------------ */

int32_t nn_trainer_keep_data(nn_trainer *trainer, const char *name,
                             nn_data *data, int32_t owned)
{
    nn_named_data *one = calloc(1, sizeof *one);

    if (one)
        one->name = strdup(name);
    if (!one || !one->name) {
        free(one);
        return nn_error_no_memory("data", sizeof *one);
    }
    one->data = data;
    one->owned = owned;
    one->next = trainer->data;
    trainer->data = one;
    return NN_OK;
}

void nn_trainer_drop_data(nn_trainer *trainer)
{
    while (trainer->data) {
        nn_named_data *one = trainer->data;

        trainer->data = one->next;
        if (one->owned)
            nn_data_destroy(one->data);
        free(one->name);
        free(one);
    }
}

int32_t nn_trainer_add_data(nn_trainer *trainer, const char *name,
                            nn_data *data)
{
    int32_t code;

    nn_error_clear();
    code = nn_model_check_data(trainer->model, data, name);
    return code ? code : nn_trainer_keep_data(trainer, name, data, 0);
}

/* The data NAME, opened if need be. */
static int32_t find_data(nn_trainer *trainer, const char *name, nn_data **out)
{
    const nn_named_data *one;
    int32_t code;

    for (one = trainer->data; one; one = one->next)
        if (!strcmp(one->name, name)) {
            *out = one->data;
            return NN_OK;
        }
    *out = trainer->train;
    if (!strcmp(name, "train"))
        return NN_OK;
    code = nn_data_create(trainer->config, name, out);
    if (!code)
        code = nn_model_check_data(trainer->model, *out, name);
    if (!code)
        code = nn_trainer_keep_data(trainer, name, *out, 1);
    if (code)
        nn_data_destroy(*out);
    return code;
}

/* ---- evaluation -------------------------------------------------------- */

/* Room for the scorers that VALUE lists, and for what they say. */
typedef struct scores {
    nn_named *scorers;
    nn_score *values;
    uint32_t count;
} scores;

static int32_t list_scorers(const nn_value *value, scores *out)
{
    uint32_t most = value ? value->count : 0;
    uint32_t i;

    out->scorers = calloc((size_t)most + 1, sizeof *out->scorers);
    out->values = calloc((size_t)most + 1, sizeof *out->values);
    if (!out->scorers || !out->values)
        return nn_error_no_memory("scores", most * sizeof *out->scorers);
    for (i = 0; i < most; ++i)
        nn_scorer_append(value->items[i], out->scorers, &out->count);
    return NN_OK;
}

static int32_t log_scores(nn_trainer *trainer, const char *name,
                          const scores *all)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i <= all->count && !code; ++i) {
        nn_text log = {0};

        nn_text_format(&log, "%s.%s", name, all->values[i].name);
        code = nn_text_status(&log);
        if (!code)
            code = nn_logs_append(&trainer->logs, nn_text_string(&log),
                                  all->values[i].value);
        nn_text_finish(&log);
    }
    return code;
}

int32_t nn_trainer_evaluate(nn_trainer *trainer, const char *name,
                            const nn_value *value)
{
    scores all = {0};
    nn_data *data = NULL;
    int32_t code = find_data(trainer, name, &data);

    if (code)
        return code;
    if (data == trainer->train)
        trainer->placed = 0;
    code = list_scorers(value, &all);
    if (!code)
        code = nn_data_start(data, trainer->seed, 0);
    if (!code)
        code = nn_model_score(trainer->model, data, all.scorers, all.count,
                              all.values);
    if (!code)
        code = log_scores(trainer, name, &all);
    free(all.scorers);
    free(all.values);
    return code ? nn_error_prefix(code, "data '%s': ", name) : NN_OK;
}
