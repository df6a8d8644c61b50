/* SPDX-License-Identifier: MIT */
/* render.c - nn render: a config with every default filled in. */
#include "command.h"
#include "open.h"
#include "talk.h"

static const struct option options[] = {OPTION_SET, OPTION_PLUGIN,
                                        OPTION_HANDLER, OPTION_END};

static int run(const void *values, const struct operands *operands)
{
    nn_config *config = NULL;
    char *from = NULL;
    char *text = NULL;
    int status = open_any_config(values, operands->items[0], &config, &from);

    if (!status && nn_config_render(config, &text))
        status = talk_failure(STATUS_USAGE);
    if (!status)
        fputs(text, stdout);
    nn_free(text);
    nn_free(from);
    nn_config_destroy(config);
    return status;
}

const struct command command_render = {
    .name = "render",
    .operands = "CONFIG|RUN",
    .summary = "A config with every default filled in",
    .detail =
        "Prints CONFIG as YAML with every default filled in, after the options "
        "of the command line were applied; what is printed means the same as "
        "CONFIG. Of a run or checkpoint, prints the network that is kept in "
        "it.",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct common),
    .run = run,
};
