/* SPDX-License-Identifier: MIT */
/* summary.c - nn summary: layers, shapes, parameters, multiply-adds, memory.
 *
 * The layout is made as training would make it, so the bytes are exact; but
 * nothing is allocated. */
#include <string.h>

#include "command.h"
#include "json.h"
#include "open.h"
#include "table.h"
#include "talk.h"

#define DEFAULT_BATCH 128 /* samples, where no data say it */

struct summary_options {
    struct common common;
    struct option_count batch;
    struct option_count steps;
};

static const struct option options[] = {
    {"batch", "N",
     "Samples of a batch; without it, as the config's data have them.",
     offsetof(struct summary_options, batch), OPTION_COUNT, 'b', 1},
    {"steps", "N",
     "Time steps of a batch; without it, as the config's data have them.",
     offsetof(struct summary_options, steps), OPTION_COUNT, 0, 1},
    OPTION_SET,
    OPTION_PLUGIN,
    OPTION_HANDLER,
    OPTION_JSON,
    OPTION_END};

/* The memory of both kinds of network, and for which batches. */
struct memory {
    nn_memory_summary training;
    nn_memory_summary inference;
};

static int32_t measure(nn_config *config, int64_t T, int64_t B,
                       struct memory *memory)
{
    int32_t code;

    memset(memory, 0, sizeof *memory);
    memory->training.size = sizeof memory->training;
    memory->inference.size = sizeof memory->inference;
    code = nn_config_memory(config, T, B, 1, &memory->training);
    if (!code)
        code = nn_config_memory(config, T, B, 0, &memory->inference);
    return code;
}

/* The bytes for the batches wanted, or as the data have them; if those cannot
 * be opened, for the batches that a model has without data. */
static int find_memory(nn_config *config, const struct summary_options *given,
                       struct memory *memory)
{
    int64_t T = given->steps.value;
    int64_t B = given->batch.value;
    const char *text = NULL;

    if (!measure(config, T, B, memory))
        return STATUS_OK;
    if (T && B)
        return talk_failure(STATUS_FAILED);
    nn_error(NULL, &text);
    talk_warning("%s", text);
    T = T ? T : 1;
    B = B ? B : DEFAULT_BATCH;
    if (measure(config, T, B, memory))
        return talk_failure(STATUS_FAILED);
    return STATUS_OK;
}

/* ---- for people -------------------------------------------------------- */

static int print_layers(const nn_config *config)
{
    struct table table = table_of("rllllrrl");
    nn_layer_summary layer;
    int64_t parameters = 0;
    int64_t operations = 0;
    char number[32];
    char other[32];
    uint32_t i;

    table_add(&table, "#");
    table_add(&table, "LAYER");
    table_add(&table, "TYPE");
    table_add(&table, "INPUTS");
    table_add(&table, "OUTPUT");
    table_add(&table, "PARAMETERS");
    table_add(&table, "MULTIPLY-ADDS");
    table_add(&table, "NOTES");
    for (i = 0; nn_config_layer(config, i, &layer); ++i) {
        int known = layer.multiply_adds >= 0;

        parameters += layer.parameters;
        operations += known ? layer.multiply_adds : 0;
        table_add(&table, "%u", i);
        table_add(&table, "%s", layer.name);
        table_add(&table, "%s", layer.type);
        table_add(&table, "%s", layer.inputs);
        table_add(&table, "%s", layer.shape);
        table_add(&table, "%s", grouped(layer.parameters, number));
        table_add(&table, "%s",
                  known ? grouped(layer.multiply_adds, other) : "?");
        table_add(&table, "%s", layer.notes);
    }
    i = (uint32_t)table_print(&table, stdout);
    printf("\n%s parameters; %s multiply-adds forward for one sample\n\n",
           grouped(parameters, number), grouped(operations, other));
    return (int)i;
}

static void add_bytes(struct table *table, int64_t bytes)
{
    char number[32];
    char text[32];

    table_add(table, "%s", grouped(bytes, number));
    table_add(table, "%s", bytes_text(bytes, text));
}

static void add_row(struct table *table, const char *name, int64_t training,
                    int64_t inference)
{
    table_add(table, "%s", name);
    add_bytes(table, training);
    add_bytes(table, inference);
}

static int print_memory(const struct memory *memory)
{
    const nn_memory_summary *a = &memory->training;
    const nn_memory_summary *b = &memory->inference;
    struct table table = table_of("lrrrr");

    printf("Memory for batches of %lld samples and %lld time step%s:\n\n",
           (long long)a->B, (long long)a->T, a->T == 1 ? "" : "s");
    table_add(&table, "BYTES");
    table_add(&table, "TRAINING");
    table_add(&table, "%s", "");
    table_add(&table, "INFERENCE");
    table_add(&table, " ");
    add_row(&table, "parameters", a->parameters, b->parameters);
    add_row(&table, "gradients", a->gradients, b->gradients);
    add_row(&table, "stepper", a->stepper, b->stepper);
    add_row(&table, "state", a->state, b->state);
    add_row(&table, "activations", a->activations, b->activations);
    add_row(&table, "carried frames", a->carried, b->carried);
    add_row(&table, "total", a->total, b->total);
    return table_print(&table, stdout);
}

/* ---- JSON -------------------------------------------------------------- */

static void json_layer(struct json *json, const nn_layer_summary *layer)
{
    json_open(json, NULL, '{');
    json_text(json, "name", layer->name);
    json_text(json, "type", layer->type);
    json_text(json, "inputs", layer->inputs);
    json_text(json, "output", layer->shape);
    json_int(json, "parameters", layer->parameters);
    if (layer->multiply_adds >= 0)
        json_int(json, "multiply_adds", layer->multiply_adds);
    else
        json_text(json, "multiply_adds", NULL);
    json_text(json, "notes", layer->notes);
    json_close(json, '}');
}

static void json_memory(struct json *json, const char *key,
                        const nn_memory_summary *memory)
{
    json_open(json, key, '{');
    json_int(json, "parameters", memory->parameters);
    json_int(json, "gradients", memory->gradients);
    json_int(json, "stepper", memory->stepper);
    json_int(json, "state", memory->state);
    json_int(json, "activations", memory->activations);
    json_int(json, "carried", memory->carried);
    json_int(json, "total", memory->total);
    json_close(json, '}');
}

static int print_json(const nn_config *config, const struct memory *memory)
{
    struct json json = {stdout, 0, 0};
    nn_layer_summary layer;
    uint32_t i;

    json_open(&json, NULL, '{');
    json_open(&json, "layers", '[');
    for (i = 0; nn_config_layer(config, i, &layer); ++i)
        json_layer(&json, &layer);
    json_close(&json, ']');
    json_open(&json, "memory", '{');
    json_int(&json, "T", memory->training.T);
    json_int(&json, "B", memory->training.B);
    json_memory(&json, "training", &memory->training);
    json_memory(&json, "inference", &memory->inference);
    json_close(&json, '}');
    json_close(&json, '}');
    return STATUS_OK;
}

static int run(const void *values, const struct operands *operands)
{
    const struct summary_options *given = values;
    struct memory memory;
    nn_config *config = NULL;
    char *from = NULL;
    int status = open_any_config(&given->common, operands->items[0], &config,
                                 &from);

    if (!status)
        status = find_memory(config, given, &memory);
    if (!status && given->common.json)
        status = print_json(config, &memory);
    else if (!status) {
        status = print_layers(config);
        if (!status)
            status = print_memory(&memory);
    }
    nn_config_destroy(config);
    nn_free(from);
    return status;
}

const struct command command_summary = {
    .name = "summary",
    .operands = "CONFIG|RUN",
    .summary = "Layers, shapes, parameters, multiply-adds and memory",
    .detail =
        "Prints the layers of CONFIG, or of a run or checkpoint, in the order "
        "in which they run, with the shape of the output, the number of "
        "parameters and the multiply-adds of a forward pass for one sample and "
        "time step; then the exact bytes that the network takes for training "
        "and for inference. Nothing is allocated for it.",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct summary_options),
    .run = run,
};
