/* SPDX-License-Identifier: MIT */
/* eval.c - nn eval: losses and scores of a trained network over data. */
#include "command.h"
#include "open.h"
#include "scores.h"
#include "talk.h"

struct eval_options {
    struct common common;
    const char *data;
    const char *config;
};

static const struct option options[] = {
    {"data", "NAME", "Which data of the config; default: test.",
     offsetof(struct eval_options, data), OPTION_TEXT, 'd', 0},
    {"config", "CONFIG",
     "The config that has the data; default: the one in the run, whose files "
     "are looked for from the current folder on.",
     offsetof(struct eval_options, config), OPTION_TEXT, 'c', 0},
    OPTION_HANDLER,
    OPTION_SET,
    OPTION_PLUGIN,
    OPTION_THREADS,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_END};

static int run(const void *values, const struct operands *operands)
{
    const struct eval_options *given = values;
    const char *name = given->data ? given->data : "test";
    const char *path = operands->items[0];
    nn_config *config = NULL;
    nn_model *model = NULL;
    nn_data *data = NULL;
    int64_t T = 0;
    int64_t B = 0;
    int status = check_checkpoint(path);

    if (!status)
        status = open_run_config(&given->common, path, given->config, &config);
    if (!status)
        status = open_data(config, name, &data);
    if (!status) {
        nn_data_largest(data, &T, &B);
        status = open_model(&given->common, path, T, B, NULL, &model);
    }
    if (!status)
        status = print_scores(model, data, name, given->common.json);
    nn_model_destroy(model);
    nn_data_destroy(data);
    nn_config_destroy(config);
    return status;
}

const struct command command_eval = {
    .name = "eval",
    .operands = "RUN",
    .summary = "Loss and scores of a trained network over data",
    .detail =
        "Evaluates the best checkpoint of RUN, or else the last one, or a "
        "checkpoint file, over all of the data and prints a line a score: "
        "`test accuracy: 0.8893`. The scorers are those of the config with "
        "which it was trained.",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct eval_options),
    .run = run,
};
