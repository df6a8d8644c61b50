/* SPDX-License-Identifier: MIT */
/* standardize.c - shifts and scales fields to mean 0 and standard deviation 1.
 *
 *     y = (x - mean) / std
 *
 * The numbers of a sample are divided into groups: all are one group, each
 * feature is one, or each entry of the last axis (a channel) is one.  Number i
 * of a sample belongs to group i % G, where G is 1, the number of features, or
 * the length of the last axis.
 *
 * What the config does not give is computed when the iterator is made:
 * standardize_pass.c. */
#include <nn/iterator.h>

#include "inner.h"
#include "number.h"
#include "standardize_pass.h"

enum { PARAM_FIELDS, PARAM_INNER };
enum { FIELD_AXIS, FIELD_MEAN, FIELD_STD };
enum { AXIS_FEATURE, AXIS_ALL, AXIS_CHANNEL };

struct nn_iterator {
    inner inner; /* first */
    uint32_t count;
    standardize_field *fields;
};

static void destroy(nn_iterator *self)
{
    const nn_host *host;
    uint32_t i;

    if (!self)
        return;
    host = self->inner.host;
    for (i = 0; i < self->count; ++i) {
        standardize_pass_release(host, &self->fields[i]);
        host->free(host, self->fields[i].means);
        host->free(host, self->fields[i].stds);
    }
    host->free(host, self->fields);
    host->free(host, self);
}

/* ------------------------------------------------------------ the batches */

/* Changes the numbers of one frame of one sample. */
static void apply(const standardize_field *field, void *data)
{
    float *single = data;
    double *real = data;
    int64_t mean = 0;
    int64_t std = 0;
    int64_t i;

    for (i = 0; i < field->features; ++i) {
        double value = (standardize_number(field, data, i) -
                        field->means[mean]) /
                       field->stds[std];

        if (field->dtype == NN_FLOAT32)
            single[i] = (float)value;
        else
            real[i] = value;
        mean = mean + 1 == field->n_means ? 0 : mean + 1;
        std = std + 1 == field->n_stds ? 0 : std + 1;
    }
}

/* Changes the fields of a batch that the inner iterator has filled. */
static void change(nn_iterator *self, const nn_batch *batch)
{
    uint32_t k;
    int64_t i;

    for (k = 0; k < self->count; ++k) {
        const standardize_field *field = &self->fields[k];
        int64_t step = field->features * nn_dtype_bytes(field->dtype);
        char *data = batch->data[field->index];

        for (i = 0; i < batch->T * batch->B; ++i)
            apply(field, data + i * step);
    }
}

/* ------------------------------------------------------------- the config */

/* Entries of the last axis of FIELD. */
static int64_t channels(const nn_field *field)
{
    return field->ndim ? field->shape[field->ndim - 1] : 1;
}

/* Copies the numbers LIST that are given for FIELD, if they are, to *OUT. */
static int32_t take_given(const nn_iterator *self,
                          const standardize_field *field, const nn_value *list,
                          double **out, int64_t *count)
{
    const nn_host *host = self->inner.host;
    int64_t last = channels(self->inner.info.fields[field->index]);
    uint32_t i;

    if (list->type == 0)
        return NN_OK;
    if (list->count != 1 && list->count != last &&
        list->count != field->features)
        return nn_fail(host, NN_SHAPE, "standardize.given",
                       "standardize: %u numbers are given for field '%s', "
                       "which has %lld features, %lld on the last axis",
                       list->count, field->name, (long long)field->features,
                       (long long)last);
    *out = host->alloc(host, list->count * sizeof **out);
    if (!*out)
        return NN_NO_MEMORY;
    *count = list->count;
    for (i = 0; i < list->count; ++i)
        (*out)[i] = list->items[i]->real;
    return NN_OK;
}

/* Fills FIELD from what the config says of it. */
static int32_t settle_field(nn_iterator *self, standardize_field *field,
                            const nn_value *record)
{
    const nn_field *described;
    int64_t i;
    int32_t code = inner_find_real(&self->inner, field->name, &field->index);

    if (code)
        return code;
    described = self->inner.info.fields[field->index];
    field->dtype = described->dtype;
    field->features = inner_features(&self->inner, field->index);
    field->groups = field->features;
    if (record->items[FIELD_AXIS]->integer == AXIS_ALL)
        field->groups = 1;
    else if (record->items[FIELD_AXIS]->integer == AXIS_CHANNEL)
        field->groups = channels(described);
    code = take_given(self, field, record->items[FIELD_MEAN], &field->means,
                      &field->n_means);
    if (!code)
        code = take_given(self, field, record->items[FIELD_STD], &field->stds,
                          &field->n_stds);
    for (i = 0; i < field->n_stds && !code; ++i)
        if (field->stds[i] == 0)
            field->stds[i] = 1;
    field->given = field->means && field->stds;
    return code;
}

static int32_t settle_fields(nn_iterator *self, const nn_value *names)
{
    const nn_host *host = self->inner.host;
    int32_t code = NN_OK;
    uint32_t i;

    self->fields = host->alloc(host, names->count * sizeof *self->fields);
    if (!self->fields)
        return NN_NO_MEMORY;
    self->count = names->count;
    for (i = 0; i < self->count && !code; ++i) {
        self->fields[i].name = names->keys[i];
        code = settle_field(self, &self->fields[i], names->items[i]);
    }
    return code;
}

/* Tells the program the numbers of fields with few groups, so that they can be
 * written into the configs of other data. */
static void log_statistics(const nn_iterator *self)
{
    char mean[32];
    char std[32];
    char text[256];
    uint32_t i;

    for (i = 0; i < self->count; ++i) {
        const standardize_field *field = &self->fields[i];

        if (field->given || field->n_means != 1 || field->n_stds != 1)
            continue;
        snprintf(text, sizeof text,
                 "standardize: field '%s' has mean %s and std %s", field->name,
                 number_text(field->means[0], mean),
                 number_text(field->stds[0], std));
        self->inner.host->log(self->inner.host, NN_LOG_INFO, text);
    }
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    const nn_value *names = nn_param_value(params, PARAM_FIELDS);
    nn_iterator *self = host->alloc(host, sizeof *self);
    int32_t code;

    *iterator = NULL;
    if (!self)
        return NN_NO_MEMORY;
    self->inner.host = host;
    self->inner.change = change;
    code = inner_create_real(&self->inner, host, "standardize",
                             nn_param_child(params, PARAM_INNER), request,
                             names);
    if (!code)
        code = settle_fields(self, names);
    if (!code)
        code = standardize_pass_run(&self->inner, self->fields, self->count);
    if (code) {
        destroy(self);
        return code;
    }
    log_statistics(self);
    *iterator = self;
    return NN_OK;
}

static const nn_iterator_interface interface = INNER_CHANGE_INTERFACE(create,
                                                                      destroy);

/* ------------------------------------------------------------- the schema */

static const char *const axis_choices[] = {"feature", "all", "channel", NULL};

static const nn_param axis_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .flags = NN_PARAM_MAIN,
    .name = "axis",
    .doc = "What has a mean and a std of its own: each feature, all features "
           "together, or each entry of the last axis",
    .default_text = "feature",
    .choices = axis_choices,
};

static const nn_param mean_item = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .name = "mean",
    .doc = "A mean",
};

static const nn_param mean_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_LIST,
    .flags = NN_PARAM_NULLABLE,
    .name = "mean",
    .doc = "One number, or one for each entry of the last axis or each "
           "feature; `none`: computed",
    .default_text = "none",
    .element = &mean_item,
};

static const nn_param std_item = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_RANGED,
    .name = "std",
    .doc = "A standard deviation; 0 stands for 1",
    .minimum = 0,
    .maximum = INFINITY,
};

static const nn_param std_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_LIST,
    .flags = NN_PARAM_NULLABLE,
    .name = "std",
    .doc = "The same for the standard deviation",
    .default_text = "none",
    .element = &std_item,
};

static const nn_param *const field_params[] = {&axis_param, &mean_param,
                                               &std_param, NULL};

static const nn_param field_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_RECORD,
    .name = "field",
    .doc = "An axis, or `{mean: [M], std: [S]}`",
    .fields = field_params,
};

static const nn_param fields_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_MAP,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_REST,
    .name = "fields",
    .doc = "How each field is standardized, as `NAME: {mean: [M], std: [S]}` "
           "or `NAME: AXIS`",
    .element = &field_param,
};

static const nn_param inner_param = INNER_PARAM;

static const nn_param *const params[] = {&fields_param, &inner_param};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "standardize",
    .summary = "Shifts and scales fields to mean 0 and standard deviation 1",
    .doc =
        "    standardize: {images: {mean: [72.94], std: [90.02]}, inner: ...}\n"
        "    standardize: {x: feature, inner: ...}\n"
        "\n"
        "y = (x - mean) / std for every number x of each field that is named; "
        "other fields pass. The field arrives in the network's real type.\n"
        "\n"
        "Validation and test data need the numbers of the training data, so "
        "the first form, with the numbers written down, is the usual one: it "
        "is the same around all of them. What is not given is computed from "
        "the inner iterator's own data, when the run begins, in one pass over "
        "all of them: for each feature, over all of a sample's features, or "
        "for each entry of the last axis (`channel`). With `all` the two "
        "numbers are logged, to be copied. The standard deviation is that of "
        "the data, the root of the mean squared difference; 0 counts as 1, so "
        "that a constant feature becomes 0.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_standardize) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.standardize",
    .name = "standardize",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Shifts and scales fields to mean 0 and standard deviation 1",
    .n_components = 1,
    .components = components,
};
