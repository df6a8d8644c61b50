/* SPDX-License-Identifier: MIT */
/* iterator.c - an iterator to copy: points of a straight line.
 *
 * What you change, in the order of this file: the instance, `create` and
 * `destroy`, `describe`, `gather`, `start`, `next`, `seek`, the parameters of
 * the config, and the names at the end.  `make` builds the plugin, `make check`
 * says whether it is right; a config then names the iterator:
 *
 *     {minibatches: {size: 10, shuffle: true, inner: {straight_line: {samples: 100}}}}
 *
 * An iterator that has samples by number offers `gather`; others leave it out,
 * and cannot be shuffled.  It changes no data: what it delivers is a function
 * of its parameters, the seed, the epoch and the number of the sample.
 *
 * Sample i of N has two fields of one number each:
 *
 *     x = i / N,  y = slope x
 */
#include <string.h>

#include <nn/iterator.h>

/* Indices, in the order in which things are described below. */
enum { SAMPLES, SLOPE };           /* parameters of the config */
enum { FIELD_X, FIELD_Y, FIELDS }; /* fields of a batch */

/* The instance: whatever it has to know.  No global variables: there can be
 * two of them, for training and for validation data. */
struct nn_iterator {
    const nn_host *host;
    int64_t samples;
    double slope;
    nn_field fields[FIELDS];
    const nn_field *list[FIELDS];
    int64_t next;      /* number of the next batch */
    int64_t n_batches; /* of the epoch */
    uint32_t shard;
    uint32_t n_shards;
};

static void destroy(nn_iterator *self)
{
    if (self)
        self->host->free(self->host, self);
}

/* The type in which the network wants field NAME; what it does not name may
 * have any. */
static uint32_t wanted_dtype(const nn_iterator_request *request,
                             const char *name)
{
    uint32_t i;

    for (i = 0; i < request->n_fields; ++i)
        if (strcmp(request->fields[i]->name, name) == 0)
            return request->fields[i]->dtype;
    return request->real;
}

/* Everything that can go wrong for good goes wrong here, with a message; all
 * memory is allocated here too. */
static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    static const char *const names[FIELDS] = {"x", "y"};
    nn_iterator *self = host->alloc(host, sizeof *self);
    uint32_t i;

    *iterator = NULL;
    if (!self)
        return NN_NO_MEMORY; /* alloc has set the message */
    self->host = host;
    self->samples = nn_param_int(params, SAMPLES);
    self->slope = nn_param_real(params, SLOPE);
    for (i = 0; i < FIELDS; ++i) {
        nn_field *field = &self->fields[i];

        field->size = NN_SIZEOF(nn_field, shape);
        field->name = names[i];
        field->dtype = wanted_dtype(request, names[i]);
        field->ndim = 1; /* without T and B */
        field->shape[0] = 1;
        self->list[i] = field;
        if (field->dtype != NN_FLOAT32 && field->dtype != NN_FLOAT64) {
            destroy(self);
            return nn_fail(host, NN_UNSUPPORTED, "straight_line.type",
                           "straight_line: field '%s' has real numbers only", names[i]);
        }
    }
    *iterator = self;
    return NN_OK;
}

/* Lengths, largest batch, fields.  The caller may know fewer members than this
 * file: info->size says how many bytes it has. */
static void describe(nn_iterator *self, nn_iterator_info *info)
{
    nn_iterator_info mine = {0};
    uint32_t size = NN_SIZEOF(nn_iterator_info, reserved);

    mine.size = info->size;
    mine.n_fields = FIELDS;
    mine.fields = self->list;
    mine.n_samples = self->samples;
    mine.n_batches = self->n_shards ? self->n_batches : self->samples;
    mine.max_T = 1;
    mine.max_B = 1;
    mine.can_seek = 1;
    memcpy(info, &mine, info->size < size ? info->size : size);
}

/* Writes VALUE as number INDEX of field FIELD. */
static void put(const nn_iterator *self, nn_batch *batch, int field,
                int64_t index, double value)
{
    if (self->fields[field].dtype == NN_FLOAT64)
        ((double *)batch->data[field])[index] = value;
    else
        ((float *)batch->data[field])[index] = (float)value;
}

/* Fills batch->B samples, those that IDS names; the arrays are the caller's
 * and dense: (T, B, features...). */
static int32_t gather(nn_iterator *self, const nn_epoch *epoch,
                      const int64_t *ids, nn_batch *batch)
{
    int64_t i;

    (void)epoch; /* for what changes the data at random: see nn/random.h */
    batch->T = 1;
    for (i = 0; i < batch->B; ++i) {
        double x = (double)ids[i] / (double)self->samples;

        if (ids[i] < 0 || ids[i] >= self->samples)
            return nn_fail(self->host, NN_INVALID_ARGUMENT, "straight_line.sample",
                           "straight_line: there is no sample %lld", (long long)ids[i]);
        put(self, batch, FIELD_X, i, x);
        put(self, batch, FIELD_Y, i, self->slope * x);
        batch->ids[i] = ids[i];
        batch->begins[i] = 1; /* each sample is a sequence of its own */
    }
    return NN_OK;
}

/* Begins an epoch.  Of several processes each gets every n-th batch, and all
 * get the same number. */
static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    if (epoch->shard >= epoch->n_shards)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "straight_line.shard",
                       "straight_line: there is no shard %u of %u",
                       (unsigned)epoch->shard, (unsigned)epoch->n_shards);
    if (self->samples < epoch->n_shards)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "straight_line.shards",
                       "straight_line: %lld samples are too few for %u processes",
                       (long long)self->samples, (unsigned)epoch->n_shards);
    self->shard = epoch->shard;
    self->n_shards = epoch->n_shards;
    self->n_batches = self->samples / epoch->n_shards;
    self->next = 0;
    return NN_OK;
}

/* The next batch in the iterator's own order: here, of one sample. */
static int32_t next(nn_iterator *self, nn_batch *batch)
{
    int64_t id = self->next * self->n_shards + self->shard;

    if (self->next == self->n_batches)
        return NN_END;
    ++self->next;
    batch->B = 1;
    return gather(self, NULL, &id, batch);
}

/* Goes to batch BATCH of the epoch, for runs that are resumed. */
static int32_t seek(nn_iterator *self, int64_t batch)
{
    if (batch < 0 || batch > self->n_batches)
        return nn_fail(self->host, NN_INVALID_ARGUMENT, "straight_line.seek",
                       "straight_line: there is no batch %lld", (long long)batch);
    self->next = batch;
    return NN_OK;
}

/* The rest is data.  The core checks configs against it and prints it as help,
 * without calling the functions. */
static const nn_iterator_interface interface = {
    .size = NN_SIZEOF(nn_iterator_interface, gather),
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .start = start,
    .next = next,
    .seek = seek,
    .gather = gather,
};

static const nn_param samples = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED | NN_PARAM_MAIN, /* {line: 100} sets it */
    .name = "samples",
    .doc = "number N of points",
    .default_text = "100",
    .minimum = 1,
    .maximum = 1e9,
};

static const nn_param slope = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .name = "slope",
    .doc = "slope of the line",
    .default_text = "1",
};

static const nn_param *const params[] = {
    [SAMPLES] = &samples,
    [SLOPE] = &slope,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, cases),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "straight_line",
    .summary = "Points of a straight line",
    .doc = "Sample i of N has the fields x = i / N and y = slope x, of one "
           "number each.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_straight_line) = {
    NN_PLUGIN_HEAD,
    .id = "org.example.iterator.straight_line", /* a domain of yours, in reverse */
    .name = "straight_line",
    .version = "1.0.0",
    .license = "MIT",
    .author = "Your name",
    .summary = "Points of a straight line",
    .n_components = 1,
    .components = components,
};
