/* SPDX-License-Identifier: MIT */
/* predict.c - nn predict: outputs of a trained network.
 *
 * The inputs come from .npy files, or batch by batch from data of a config. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "npy.h"
#include "open.h"
#include "talk.h"
#include "writer.h"

#define MOST_INPUTS 64u
#define INPUT_PREFIX "inputs.outputs." /* of the paths of a network's inputs */

struct predict_options {
    struct common common;
    const char *data;
    const char *config;
    const char *buffer;
    const char *out;
    const char *format;
};

static const struct option options[] = {
    {"data", "NAME", "Take the inputs from these data of the config.",
     offsetof(struct predict_options, data), OPTION_TEXT, 'd', 0},
    {"config", "CONFIG",
     "The config that has the data; default: the one in the run, whose files "
     "are looked for from the current folder on.",
     offsetof(struct predict_options, config), OPTION_TEXT, 'c', 0},
    {"buffer", "PATH",
     "Print this buffer, such as hidden.outputs.default, instead of the "
     "predictions.",
     offsetof(struct predict_options, buffer), OPTION_TEXT, 'b', 0},
    {"out", "FILE", "Write to FILE instead of stdout.",
     offsetof(struct predict_options, out), OPTION_TEXT, 'o', 0},
    {"format", "FORMAT",
     "npy, csv or jsonl; default: by the end of FILE, or csv.",
     offsetof(struct predict_options, format), OPTION_TEXT, 'f', 0},
    OPTION_HANDLER,
    OPTION_SET,
    OPTION_PLUGIN,
    OPTION_THREADS,
    OPTION_QUIET,
    OPTION_END};

/* Computes the output of INPUTS and writes it. */
static int predict(nn_model *model, const char *buffer,
                   const nn_host_array *inputs, uint32_t n,
                   struct writer *writer)
{
    nn_host_array output;
    int status;

    if (nn_model_predict(model, inputs, n, buffer, &output))
        return talk_failure(STATUS_USAGE);
    status = writer_add(writer, &output);
    nn_free(output.data);
    return status;
}

/* ---- from files -------------------------------------------------------- */

/* Reads NAME=FILE. */
static int read_input(nn_model *model, const char *operand,
                      nn_host_array *input)
{
    nn_network *network = nn_model_network(model);
    const char *equals = strchr(operand, '=');
    char *name = equals ? text_format("%.*s", (int)(equals - operand), operand)
                        : NULL;
    nn_array array;
    int status = STATUS_OK;

    if (!equals)
        return talk_usage("an input is NAME=FILE.npy, not '%s'", operand);
    if (!name)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    if (nn_network_begin(network, 1, 1, 0) ||
        nn_network_input(network, name, &array))
        status = talk_failure(STATUS_USAGE);
    if (!status)
        status = npy_read(equals + 1, &array, input);
    input->name = name; /* freed with the data */
    return status;
}

/* Reads all inputs that OPERANDS name, then predicts.  The model was made for
 * one time step; for more it is made again. */
static int predict_files(const struct predict_options *given,
                         const struct operands *operands, nn_model **model,
                         struct writer *writer)
{
    nn_host_array inputs[MOST_INPUTS];
    uint32_t n = operands->count - 1;
    uint32_t i;
    int status = STATUS_OK;

    memset(inputs, 0, sizeof inputs);
    for (i = 0; i < n && !status; ++i)
        status = read_input(*model, operands->items[i + 1], &inputs[i]);
    if (!status && inputs[0].shape[0] > 1) {
        nn_model_destroy(*model);
        status = open_model(&given->common, operands->items[0],
                            inputs[0].shape[0], 0, given->buffer, model);
    }
    if (!status)
        status = predict(*model, given->buffer, inputs, n, writer);
    for (i = 0; i < n; ++i) {
        free(inputs[i].data);
        free((char *)(uintptr_t)inputs[i].name);
    }
    return status;
}

static int predict_from_files(const struct predict_options *given,
                              const struct operands *operands,
                              struct writer *writer)
{
    nn_model *model = NULL;
    int status = open_model(&given->common, operands->items[0], 0, 0,
                            given->buffer, &model);

    if (!status)
        status = predict_files(given, operands, &model, writer);
    nn_model_destroy(model);
    return status;
}

/* ---- from data --------------------------------------------------------- */

/* The fields of the current batch that the network reads. */
static uint32_t collect_fields(nn_model *model, const nn_data *data,
                               nn_host_array inputs[MOST_INPUTS])
{
    const nn_network *network = nn_model_network(model);
    size_t length = strlen(INPUT_PREFIX);
    const char *path;
    uint32_t n = 0;
    uint32_t i;

    for (i = 0; (path = nn_network_path(network, i)) && n < MOST_INPUTS; ++i)
        if (!strncmp(path, INPUT_PREFIX, length) &&
            !nn_data_field(data, path + length, &inputs[n]))
            ++n;
    return n;
}

static int predict_batches(nn_model *model, const char *buffer, nn_data *data,
                           struct writer *writer)
{
    nn_host_array inputs[MOST_INPUTS];
    int status = STATUS_OK;
    int32_t code = nn_data_start(data, 1, 0);

    while (!code && !status) {
        code = nn_data_next(data);
        if (!code)
            status = predict(model, buffer, inputs,
                             collect_fields(model, data, inputs), writer);
    }
    if (code < 0)
        status = talk_failure(STATUS_DATA);
    return status;
}

static int predict_from_data(const struct predict_options *given,
                             const char *path, struct writer *writer)
{
    nn_config *config = NULL;
    nn_model *model = NULL;
    nn_data *data = NULL;
    int64_t T = 0;
    int64_t B = 0;
    int status = open_run_config(&given->common, path, given->config, &config);

    if (!status)
        status = open_data(config, given->data, &data);
    if (!status) {
        nn_data_largest(data, &T, &B);
        status = open_model(&given->common, path, T, B, given->buffer, &model);
    }
    if (!status)
        status = predict_batches(model, given->buffer, data, writer);
    nn_model_destroy(model);
    nn_data_destroy(data);
    nn_config_destroy(config);
    return status;
}

static int run(const void *values, const struct operands *operands)
{
    const struct predict_options *given = values;
    uint32_t format = WRITER_CSV;
    struct writer *writer = NULL;
    int status;

    if (given->data && operands->count > 1)
        return talk_usage("--data and files of inputs exclude each other");
    if (!given->data && operands->count < 2)
        return talk_usage("it wants inputs: NAME=FILE.npy, or --data NAME");
    status = writer_choose(given->format, given->out, &format);
    if (!status)
        status = check_checkpoint(operands->items[0]);
    if (!status)
        status = writer_open(given->out, format, &writer);
    if (!status)
        status = given->data
                     ? predict_from_data(given, operands->items[0], writer)
                     : predict_from_files(given, operands, writer);
    return writer_close(writer, status);
}

const struct command command_predict = {
    .name = "predict",
    .operands = "RUN [NAME=FILE.npy...]",
    .summary = "Outputs of a trained network, as npy, csv or JSON lines",
    .detail =
        "Runs the best checkpoint of RUN, or else the last one, or a "
        "checkpoint file, and writes the predictions, one sample after "
        "another. Inputs are arrays of NumPy, NAME=FILE.npy, whose first axis "
        "counts the samples (a second one may be time); they get no "
        "preparation, so scale them as the training data were. With --data "
        "they come from data of the config, prepared as that says. Inputs that "
        "the output does not depend on, such as labels, can be left out.",
    .options = options,
    .least = 1,
    .most = MOST_INPUTS,
    .size = sizeof(struct predict_options),
    .run = run,
};
