/* SPDX-License-Identifier: MIT */
/* standardize_pass.c - see standardize_pass.h.
 *
 * One pass over the inner iterator's data, in double precision.  Within a
 * block of samples the mean is a sum and the squares are of differences from
 * it; blocks are joined by (Chan, Golub, LeVeque, "Updating Formulae and a
 * Pairwise Algorithm for Computing Sample Variances", 1979)
 *
 *     d = m_b - m;  n' = n + n_b;  m' = m + d n_b / n'
 *     M' = M + M_b + d d n n_b / n'
 *
 * with n the count, m the mean and M the sum of squared differences.  Then
 * std = sqrt(M / n), and 1 where that is 0. */
#include "standardize_pass.h"

#include <math.h>

/* Bytes of the blocks of samples in the pass, and samples of one at most. */
#define BLOCK_BYTES (1 << 20)
#define BLOCK_SAMPLES 1024

/* A pass: what it fills, and the block of samples that it reads into. */
typedef struct pass {
    inner *source;
    standardize_field *fields;
    uint32_t count; /* of `fields` */
    int64_t size;   /* samples of a block */
    nn_batch batch;
    void **data;
    int64_t *ids;
    int64_t *wanted;
    uint8_t *begins;
} pass;

/* Means and squared differences of one block of COUNT numbers. */
static void measure_block(standardize_field *field, const void *data,
                          int64_t count)
{
    int64_t groups = field->groups;
    double n = (double)(count / groups);
    int64_t i;
    int64_t g = 0;

    memset(field->block_m, 0, (size_t)groups * sizeof *field->block_m);
    memset(field->block_squares, 0, (size_t)groups * sizeof *field->block_m);
    for (i = 0; i < count; ++i) {
        field->block_m[g] += standardize_number(field, data, i);
        g = g + 1 == groups ? 0 : g + 1;
    }
    for (g = 0; g < groups; ++g)
        field->block_m[g] /= n;
    g = 0;
    for (i = 0; i < count; ++i) {
        double difference = standardize_number(field, data, i) -
                            field->block_m[g];

        field->block_squares[g] += difference * difference;
        g = g + 1 == groups ? 0 : g + 1;
    }
}

/* Joins the block of COUNT numbers at DATA to what is known. */
static void add_block(standardize_field *field, const void *data, int64_t count)
{
    double n = field->count;
    double n_block = (double)(count / field->groups);
    double share = n_block / (n + n_block);
    int64_t g;

    measure_block(field, data, count);
    for (g = 0; g < field->groups; ++g) {
        double d = field->block_m[g] - field->m[g];

        field->m[g] += d * share;
        field->squares[g] += field->block_squares[g] + d * d * n * share;
    }
    field->count = n + n_block;
}

static void add_batch(pass *self)
{
    uint32_t i;

    for (i = 0; i < self->count; ++i)
        if (!self->fields[i].given)
            add_block(&self->fields[i], self->data[self->fields[i].index],
                      self->batch.T * self->batch.B * self->fields[i].features);
}

/* Bytes of one sample of field INDEX of the inner iterator. */
static int64_t sample_bytes(const inner *source, uint32_t index)
{
    return source->info.max_T * inner_features(source, index) *
           nn_dtype_bytes(source->info.fields[index]->dtype);
}

/* Samples of a block: as many as the inner iterator delivers, or what fits
 * BLOCK_BYTES. */
static int64_t block_size(const inner *source)
{
    int64_t bytes = 0;
    int64_t size = source->info.max_B;
    uint32_t i;

    if (!source->can_gather)
        return size;
    for (i = 0; i < source->info.n_fields; ++i)
        bytes += sample_bytes(source, i);
    size = BLOCK_BYTES / (bytes ? bytes : 1);
    if (size > BLOCK_SAMPLES)
        size = BLOCK_SAMPLES;
    return size ? size : 1;
}

/* Makes the block; pass_finish releases what there is of it. */
static int32_t pass_init(pass *self)
{
    const nn_host *host = self->source->host;
    uint32_t n_fields = self->source->info.n_fields;
    size_t size = (size_t)block_size(self->source);
    uint32_t i;

    self->size = (int64_t)size;
    self->data = host->alloc(host, n_fields * sizeof *self->data);
    self->ids = host->alloc(host, size * sizeof *self->ids);
    self->wanted = host->alloc(host, size * sizeof *self->wanted);
    self->begins = host->alloc(host, size);
    if (!self->data || !self->ids || !self->wanted || !self->begins)
        return NN_NO_MEMORY;
    for (i = 0; i < n_fields; ++i) {
        self->data[i] = host->alloc(host,
                                    size *
                                        (size_t)sample_bytes(self->source, i));
        if (!self->data[i])
            return NN_NO_MEMORY;
    }
    self->batch.size = NN_SIZEOF(nn_batch, begins);
    self->batch.n_fields = n_fields;
    self->batch.data = self->data;
    self->batch.ids = self->ids;
    self->batch.begins = self->begins;
    return NN_OK;
}

static void pass_finish(pass *self)
{
    const nn_host *host = self->source->host;
    uint32_t i;

    for (i = 0; self->data && i < self->source->info.n_fields; ++i)
        host->free(host, self->data[i]);
    host->free(host, self->data);
    host->free(host, self->ids);
    host->free(host, self->wanted);
    host->free(host, self->begins);
}

/* Reads all samples by number. */
static int32_t read_by_number(pass *self, const nn_epoch *epoch)
{
    const inner *source = self->source;
    int64_t count = source->info.n_samples;
    int64_t first;
    int64_t i;
    int32_t code = NN_OK;

    for (first = 0; first < count && !code; first += self->size) {
        int64_t left = count - first;

        self->batch.T = source->info.max_T;
        self->batch.B = left < self->size ? left : self->size;
        for (i = 0; i < self->batch.B; ++i)
            self->wanted[i] = first + i;
        code = source->drive->gather(source->child, epoch, self->wanted,
                                     &self->batch);
        if (!code)
            add_batch(self);
    }
    return code;
}

/* Reads the batches of an epoch. */
static int32_t read_in_order(pass *self, const nn_epoch *epoch)
{
    const inner *source = self->source;
    int32_t code = source->drive->start(source->child, epoch);

    while (!code) {
        code = source->drive->next(source->child, &self->batch);
        if (!code)
            add_batch(self);
    }
    return code == NN_END ? NN_OK : code;
}

/* Makes means and standard deviations, as far as they are not given, of the
 * sums of the pass. */
static int32_t settle_statistics(const inner *source, standardize_field *field)
{
    int64_t g;

    if (field->count == 0)
        return nn_fail(source->host, NN_INVALID_ARGUMENT, "standardize.empty",
                       "standardize: the inner iterator holds no samples");
    for (g = 0; g < field->groups; ++g)
        if (!isfinite(field->m[g]) || !isfinite(field->squares[g]))
            return nn_fail(source->host, NN_NOT_FINITE,
                           "standardize.not-finite",
                           "standardize: field '%s' holds numbers that are not "
                           "finite or too large",
                           field->name);
    if (!field->means) {
        field->means = field->m;
        field->n_means = field->groups;
        field->m = NULL;
    }
    if (!field->stds) {
        for (g = 0; g < field->groups; ++g) {
            double std = sqrt(field->squares[g] / field->count);

            field->squares[g] = std > 0 ? std : 1;
        }
        field->stds = field->squares;
        field->n_stds = field->groups;
        field->squares = NULL;
    }
    return NN_OK;
}

/* Room for the sums of FIELD. */
static int32_t prepare_sums(const nn_host *host, standardize_field *field)
{
    size_t bytes = (size_t)field->groups * sizeof *field->m;

    field->m = host->alloc(host, bytes);
    field->squares = host->alloc(host, bytes);
    field->block_m = host->alloc(host, bytes);
    field->block_squares = host->alloc(host, bytes);
    return field->m && field->squares && field->block_m && field->block_squares
               ? NN_OK
               : NN_NO_MEMORY;
}

int32_t standardize_pass_run(inner *source, standardize_field *fields,
                             uint32_t count)
{
    nn_epoch epoch = {NN_SIZEOF(nn_epoch, n_shards), 0, 0, 0, 0, 1};
    pass self = {.source = source, .fields = fields, .count = count};
    int needed = 0;
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < count && !code; ++i)
        if (!fields[i].given) {
            needed = 1;
            code = prepare_sums(source->host, &fields[i]);
        }
    if (code || !needed)
        return code;
    code = pass_init(&self);
    if (!code)
        code = source->can_gather ? read_by_number(&self, &epoch)
                                  : read_in_order(&self, &epoch);
    for (i = 0; i < count && !code; ++i)
        if (!fields[i].given) {
            code = settle_statistics(source, &fields[i]);
            standardize_pass_release(source->host, &fields[i]);
        }
    pass_finish(&self);
    return code;
}

void standardize_pass_release(const nn_host *host, standardize_field *field)
{
    host->free(host, field->m);
    host->free(host, field->squares);
    host->free(host, field->block_m);
    host->free(host, field->block_squares);
    field->m = NULL;
    field->squares = NULL;
    field->block_m = NULL;
    field->block_squares = NULL;
}
