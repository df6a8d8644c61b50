/* SPDX-License-Identifier: MIT */
/* dump.c - nn dump: the tensors of a checkpoint; hashes and differences. */
#include "dump.h"

#include <math.h>
#include <string.h>

#include <nn/shape.h>

#include "command.h"
#include "json.h"
#include "open.h"
#include "table.h"
#include "talk.h"

#define DIGITS 6 /* of the numbers in the table */

struct dump_options {
    struct common common;
    int32_t hash;
    int32_t difference;
    int32_t config;
    double tolerance;
};

static const struct option options[] = {
    {"sha256", NULL,
     "Of each RUN print `HASH  RUN`: SHA-256 over its parameters, each with "
     "name, type, shape and bytes, in their order.",
     offsetof(struct dump_options, hash), OPTION_FLAG, 0, 0},
    {"diff", NULL,
     "Print the largest difference of each parameter of two RUNs; exit with 1 "
     "if one is larger than the tolerance.",
     offsetof(struct dump_options, difference), OPTION_FLAG, 0, 0},
    {"tolerance", "X",
     "With --diff: the difference that is still equal; "
     "default: 0.",
     offsetof(struct dump_options, tolerance), OPTION_REAL, 0, 0},
    {"config", NULL, "Print the config that is kept in it, as it is.",
     offsetof(struct dump_options, config), OPTION_FLAG, 'c', 0},
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_END};

/* What is known of the values of a tensor; the first three over those that are
 * finite. */
struct statistics {
    double minimum;
    double mean;
    double maximum;
    int64_t not_finite;
};

int parameter_at(const nn_checkpoint *checkpoint, uint32_t index,
                 nn_tensor *out)
{
    uint32_t i;

    for (i = 0; nn_checkpoint_tensor(checkpoint, i, out); ++i)
        if (!strcmp(out->group, "parameters") && index-- == 0)
            return 1;
    return 0;
}

int64_t tensor_elements(const nn_tensor *tensor)
{
    int64_t bytes = nn_dtype_bytes(tensor->dtype);

    return bytes ? tensor->bytes / bytes : 0;
}

double tensor_element(const nn_tensor *tensor, int64_t index)
{
    switch (tensor->dtype) {
    case NN_FLOAT32:
        return ((const float *)tensor->data)[index];
    case NN_FLOAT64:
        return ((const double *)tensor->data)[index];
    case NN_INT32:
        return ((const int32_t *)tensor->data)[index];
    default:
        return ((const uint8_t *)tensor->data)[index];
    }
}

static struct statistics measure(const nn_tensor *tensor)
{
    struct statistics found = {INFINITY, 0, -INFINITY, 0};
    int64_t count = tensor_elements(tensor);
    int64_t finite;
    int64_t i;

    for (i = 0; i < count; ++i) {
        double value = tensor_element(tensor, i);

        if (!isfinite(value)) {
            ++found.not_finite;
            continue;
        }
        found.mean += value;
        found.minimum = value < found.minimum ? value : found.minimum;
        found.maximum = value > found.maximum ? value : found.maximum;
    }
    finite = count - found.not_finite;
    found.mean = finite ? found.mean / (double)finite : NAN;
    if (!finite)
        found.minimum = found.maximum = NAN;
    return found;
}

static void add_tensor(struct table *table, const nn_tensor *tensor)
{
    struct statistics found = measure(tensor);
    char text[256];
    char number[32];

    table_add(table, "%s", tensor->group);
    table_add(table, "%s", tensor->name);
    table_add(table, "%s", nn_dtype_name(tensor->dtype));
    table_add(table, "%s", shape_text(tensor->shape, tensor->ndim, text));
    table_add(table, "%s", real_text(found.minimum, DIGITS, number));
    table_add(table, "%s", real_text(found.mean, DIGITS, number));
    table_add(table, "%s", real_text(found.maximum, DIGITS, number));
    table_add(table, "%lld", (long long)found.not_finite);
}

static int print_table(const nn_checkpoint *checkpoint)
{
    static const char *const heads[] = {"GROUP",   "TENSOR",    "TYPE",
                                        "SHAPE",   "MINIMUM",   "MEAN",
                                        "MAXIMUM", "NOT FINITE"};
    struct table table = table_of("llllrrrr");
    nn_tensor tensor;
    uint32_t i;

    for (i = 0; i < 8; ++i)
        table_add(&table, "%s", heads[i]);
    for (i = 0; nn_checkpoint_tensor(checkpoint, i, &tensor); ++i)
        add_tensor(&table, &tensor);
    return table_print(&table, stdout);
}

static void json_tensor(struct json *json, const nn_tensor *tensor)
{
    struct statistics found = measure(tensor);
    uint32_t i;

    json_open(json, NULL, '{');
    json_text(json, "group", tensor->group);
    json_text(json, "name", tensor->name);
    json_text(json, "type", nn_dtype_name(tensor->dtype));
    json_open(json, "shape", '[');
    for (i = 0; i < tensor->ndim; ++i)
        json_int(json, NULL, tensor->shape[i]);
    json_close(json, ']');
    json_real(json, "minimum", found.minimum);
    json_real(json, "mean", found.mean);
    json_real(json, "maximum", found.maximum);
    json_int(json, "not_finite", found.not_finite);
    json_close(json, '}');
}

static int print_json(const nn_checkpoint *checkpoint)
{
    struct json json = {stdout, 0, 0};
    nn_tensor tensor;
    uint32_t i;

    json_open(&json, NULL, '{');
    json_text(&json, "file", nn_checkpoint_path(checkpoint));
    json_open(&json, "tensors", '[');
    for (i = 0; nn_checkpoint_tensor(checkpoint, i, &tensor); ++i)
        json_tensor(&json, &tensor);
    json_close(&json, ']');
    json_close(&json, '}');
    return STATUS_OK;
}

static int dump_one(const struct dump_options *given, const char *path)
{
    nn_checkpoint *checkpoint = NULL;
    int status = open_checkpoint(path, &checkpoint);

    if (status)
        return status;
    talk_note("%s", nn_checkpoint_path(checkpoint));
    if (given->config)
        fputs(nn_checkpoint_config(checkpoint), stdout);
    else
        status = given->common.json ? print_json(checkpoint)
                                    : print_table(checkpoint);
    nn_checkpoint_close(checkpoint);
    return status;
}

static int run(const void *values, const struct operands *operands)
{
    const struct dump_options *given = values;
    int status = STATUS_OK;
    uint32_t i;

    if (given->hash + given->difference + given->config > 1)
        return talk_usage("--sha256, --diff and --config exclude each other");
    if (given->difference && operands->count != 2)
        return talk_usage("--diff compares two runs");
    if (!given->hash && !given->difference && operands->count != 1)
        return talk_usage("one run at a time, but with --sha256 or --diff");
    if (given->difference)
        return dump_difference(operands->items[0], operands->items[1],
                               given->tolerance);
    if (!given->hash)
        return dump_one(given, operands->items[0]);
    for (i = 0; i < operands->count; ++i) {
        int one = dump_hash(operands->items[i]);

        status = status ? status : one;
    }
    return status;
}

const struct command command_dump = {
    .name = "dump",
    .operands = "RUN...",
    .summary = "The tensors of a checkpoint; hashes and differences",
    .detail =
        "Lists the tensors in the best checkpoint of RUN, or else in the last "
        "one, or in a checkpoint file, with shape, minimum, mean, maximum and "
        "the number of values that are not finite. Every checksum of the file "
        "is verified on the way.\n"
        "\n"
        "--sha256 and --diff look at the parameters alone: equal hashes mean "
        "networks that are equal to the bit. In --diff a value that is not "
        "finite differs from everything.",
    .options = options,
    .least = 1,
    .most = UINT32_MAX,
    .size = sizeof(struct dump_options),
    .run = run,
};
