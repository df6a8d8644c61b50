/* SPDX-License-Identifier: MIT */
/* dump_compare.c - `nn dump --sha256` and `nn dump --diff`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "command.h"
#include "dump.h"
#include "open.h"
#include "table.h"
#include "talk.h"

/* ---- hash -------------------------------------------------------------- */

/* VALUE as 8 bytes, little end first. */
static void hash_number(SHA2_CTX *hash, uint64_t value)
{
    uint8_t bytes[8];
    uint32_t i;

    for (i = 0; i < 8; ++i)
        bytes[i] = (uint8_t)(value >> 8 * i);
    SHA256Update(hash, bytes, sizeof bytes);
}

/* Name with its NUL, type, number of axes, axes, bytes of the data in the
 * machine's order. */
static void hash_tensor(SHA2_CTX *hash, const nn_tensor *tensor)
{
    uint32_t i;

    SHA256Update(hash, (const uint8_t *)tensor->name, strlen(tensor->name) + 1);
    hash_number(hash, tensor->dtype);
    hash_number(hash, tensor->ndim);
    for (i = 0; i < tensor->ndim; ++i)
        hash_number(hash, (uint64_t)tensor->shape[i]);
    SHA256Update(hash, tensor->data, (size_t)tensor->bytes);
}

int dump_hash(const char *path)
{
    nn_checkpoint *checkpoint = NULL;
    char text[SHA256_DIGEST_STRING_LENGTH];
    nn_tensor tensor;
    SHA2_CTX hash;
    uint32_t i;
    int status = open_checkpoint(path, &checkpoint);

    if (status)
        return status;
    SHA256Init(&hash);
    for (i = 0; parameter_at(checkpoint, i, &tensor); ++i)
        hash_tensor(&hash, &tensor);
    SHA256End(&hash, text);
    printf("%s  %s\n", text, path);
    nn_checkpoint_close(checkpoint);
    return STATUS_OK;
}

/* ---- difference -------------------------------------------------------- */

static int find_parameter(const nn_checkpoint *checkpoint, const char *name,
                          nn_tensor *out)
{
    uint32_t i;

    for (i = 0; parameter_at(checkpoint, i, out); ++i)
        if (!strcmp(out->name, name))
            return 1;
    return 0;
}

static int is_same_shape(const nn_tensor *a, const nn_tensor *b)
{
    return a->ndim == b->ndim &&
           !memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape);
}

/* The largest |a - b|, and where; NaN where one of both is not finite. */
static double largest_difference(const nn_tensor *a, const nn_tensor *b,
                                 int64_t *where)
{
    int64_t count = tensor_elements(a);
    double largest = 0;
    int64_t i;

    *where = 0;
    for (i = 0; i < count; ++i) {
        double far = fabs(tensor_element(a, i) - tensor_element(b, i));

        if (!isfinite(far)) {
            *where = i;
            return NAN;
        }
        if (far > largest) {
            largest = far;
            *where = i;
        }
    }
    return largest;
}

/* The indices of element INDEX, "[3, 17]", in BUFFER. */
static const char *index_text(const nn_tensor *tensor, int64_t index,
                              char buffer[256])
{
    int64_t indices[NN_MAX_DIMS] = {0};
    size_t length;
    uint32_t i;

    for (i = tensor->ndim; i-- > 0; index /= tensor->shape[i])
        indices[i] = index % tensor->shape[i];
    shape_text(indices, tensor->ndim, buffer);
    length = strlen(buffer);
    buffer[0] = '[';
    buffer[length - 1] = ']';
    return buffer;
}

/* One row; returns 1 if the parameter differs by more than TOLERANCE. */
static int compare(struct table *table, const nn_tensor *a,
                   const nn_checkpoint *other, double tolerance)
{
    nn_tensor b;
    char number[32];
    char text[256];
    double far;
    int64_t where;
    int is_far;

    table_add(table, "%s", a->name);
    if (!find_parameter(other, a->name, &b) || !is_same_shape(a, &b)) {
        table_add(table, "-");
        table_add(table, "not in %s with this shape",
                  nn_checkpoint_path(other));
        return 1;
    }
    far = largest_difference(a, &b, &where);
    is_far = !(far <= tolerance);
    table_add(table, "%s", real_text(far, 6, number));
    if (far == 0)
        table_add(table, "%s", "");
    else
        table_add(table, "at %s%s", index_text(a, where, text),
                  is_far ? ", more than the tolerance" : "");
    return is_far;
}

/* A row for each parameter of B that A lacks; returns how many. */
static int list_missing(struct table *table, const nn_checkpoint *a,
                        const nn_checkpoint *b)
{
    nn_tensor tensor;
    nn_tensor other;
    int missing = 0;
    uint32_t i;

    for (i = 0; parameter_at(b, i, &tensor); ++i) {
        if (find_parameter(a, tensor.name, &other))
            continue;
        table_add(table, "%s", tensor.name);
        table_add(table, "-");
        table_add(table, "not in %s", nn_checkpoint_path(a));
        ++missing;
    }
    return missing;
}

static int print_differences(const nn_checkpoint *a, const nn_checkpoint *b,
                             double tolerance)
{
    struct table table = table_of("lrl");
    nn_tensor tensor;
    int different = 0;
    uint32_t i;
    int status;

    table_add(&table, "PARAMETER");
    table_add(&table, "LARGEST DIFFERENCE");
    table_add(&table, "%s", "");
    for (i = 0; parameter_at(a, i, &tensor); ++i)
        different += compare(&table, &tensor, b, tolerance);
    different += list_missing(&table, a, b);
    status = table_print(&table, stdout);
    return different ? STATUS_FAILED : status;
}

int dump_difference(const char *a, const char *b, double tolerance)
{
    nn_checkpoint *first = NULL;
    nn_checkpoint *second = NULL;
    int status = open_checkpoint(a, &first);

    if (!status)
        status = open_checkpoint(b, &second);
    if (!status) {
        talk_note("%s against %s", nn_checkpoint_path(first),
                  nn_checkpoint_path(second));
        status = print_differences(first, second, tolerance);
    }
    nn_checkpoint_close(first);
    nn_checkpoint_close(second);
    return status;
}
