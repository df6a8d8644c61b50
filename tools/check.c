/* SPDX-License-Identifier: MIT */
/* check.c - nn check: is a config right?
 *
 * Reads the config, finds its plugins, checks keys, types, ranges, connections
 * and shapes.  Data are opened only if asked for. */
#include "command.h"
#include "open.h"
#include "table.h"
#include "talk.h"

struct check_options {
    struct common common;
    int32_t data;
};

static const struct option options[] = {
    OPTION_SET,
    OPTION_PLUGIN,
    OPTION_HANDLER,
    {"data", NULL,
     "Open the data as well, and check that they fit the network.",
     offsetof(struct check_options, data), OPTION_FLAG, 'd', 0},
    OPTION_QUIET,
    OPTION_END};

static void report(const nn_config *config, const char *path)
{
    nn_layer_summary layer;
    int64_t parameters = 0;
    char number[32];
    uint32_t layers = 0;

    for (; nn_config_layer(config, layers, &layer); ++layers)
        parameters += layer.parameters;
    printf("%s: ok, %u layers, %s parameters\n", path, layers,
           grouped(parameters, number));
}

static int run(const void *values, const struct operands *operands)
{
    const struct check_options *given = values;
    nn_config *config = NULL;
    int status = open_config(&given->common, operands->items[0], NULL, &config);

    if (!status && given->data && nn_config_check_data(config))
        status = talk_failure(STATUS_DATA);
    if (!status && !given->common.quiet)
        report(config, operands->items[0]);
    nn_config_destroy(config);
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "CONFIG",
    .summary = "Is a config right?",
    .detail =
        "Reads CONFIG, finds the plugins that it names and checks keys, types, "
        "ranges, connections and shapes. Each error is shown with file, line "
        "and column, the line itself and what was probably meant; then the "
        "exit status is 2. Nothing is computed, and no data are opened unless "
        "--data is given.",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct check_options),
    .run = run,
};
