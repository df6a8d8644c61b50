/* SPDX-License-Identifier: MIT */
/* scale.c - multiplies fields by a number and adds another.
 *
 *     y = factor x + offset
 *
 * for every number x of a field, in double precision, rounded once.  What one
 * field gets depends on the config alone, so the same words around training
 * and test data treat them alike. */
#include <nn/iterator.h>

#include "inner.h"

enum { PARAM_FIELDS, PARAM_INNER };
enum { FIELD_FACTOR, FIELD_OFFSET };

/* One field that is scaled. */
typedef struct scaled {
    uint32_t index; /* of the field */
    uint32_t dtype;
    int64_t features;
    double factor;
    double offset;
} scaled;

struct nn_iterator {
    inner inner; /* first */
    uint32_t count;
    scaled *scaled;
};

static void destroy(nn_iterator *self)
{
    if (self) {
        self->inner.host->free(self->inner.host, self->scaled);
        self->inner.host->free(self->inner.host, self);
    }
}

/* Finds the fields that the config names. */
static int32_t settle_fields(nn_iterator *self, const nn_value *names)
{
    const nn_host *host = self->inner.host;
    int32_t code = NN_OK;
    uint32_t i;

    self->scaled = host->alloc(host, names->count * sizeof *self->scaled);
    if (!self->scaled)
        return NN_NO_MEMORY;
    self->count = names->count;
    for (i = 0; i < self->count && !code; ++i) {
        const nn_value *record = names->items[i];
        scaled *field = &self->scaled[i];

        code = inner_find_real(&self->inner, names->keys[i], &field->index);
        if (code)
            break;
        field->dtype = self->inner.info.fields[field->index]->dtype;
        field->features = inner_features(&self->inner, field->index);
        field->factor = record->items[FIELD_FACTOR]->real;
        field->offset = record->items[FIELD_OFFSET]->real;
    }
    return code;
}

/* Scales COUNT numbers at DATA. */
static void apply(const scaled *field, void *data, int64_t count)
{
    float *single = data;
    double *real = data;
    int64_t i;

    if (field->dtype == NN_FLOAT32)
        for (i = 0; i < count; ++i)
            single[i] = (float)(field->factor * single[i] + field->offset);
    else
        for (i = 0; i < count; ++i)
            real[i] = field->factor * real[i] + field->offset;
}

/* Scales the fields of a batch that the inner iterator has filled. */
static void change(nn_iterator *self, const nn_batch *batch)
{
    uint32_t i;

    for (i = 0; i < self->count; ++i)
        apply(&self->scaled[i], batch->data[self->scaled[i].index],
              batch->T * batch->B * self->scaled[i].features);
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
    code = inner_create_real(&self->inner, host, "scale",
                             nn_param_child(params, PARAM_INNER), request,
                             names);
    if (!code)
        code = settle_fields(self, names);
    if (code)
        destroy(self);
    else
        *iterator = self;
    return code;
}

static const nn_iterator_interface interface = INNER_CHANGE_INTERFACE(create,
                                                                      destroy);

static const nn_param factor_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .flags = NN_PARAM_MAIN,
    .name = "factor",
    .doc = "What every number is multiplied by",
    .default_text = "1",
};

static const nn_param offset_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_REAL,
    .name = "offset",
    .doc = "What is added afterwards",
    .default_text = "0",
};

static const nn_param *const field_params[] = {&factor_param, &offset_param,
                                               NULL};

static const nn_param field_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_RECORD,
    .name = "field",
    .doc = "A factor, or `{factor: F, offset: O}`",
    .fields = field_params,
};

static const nn_param fields_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_MAP,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_REST,
    .name = "fields",
    .doc = "What each field is multiplied by, as `NAME: FACTOR`",
    .element = &field_param,
};

static const nn_param inner_param = INNER_PARAM;

static const nn_param *const params[] = {&fields_param, &inner_param};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_ITERATOR,
    .n_params = sizeof params / sizeof *params,
    .name = "scale",
    .summary = "Multiplies fields by a number and adds another",
    .doc =
        "    scale: {images: 1/255, inner: {idx: {images: FILE}}}\n"
        "    scale: {x: {factor: 2, offset: -1}, inner: ...}\n"
        "\n"
        "y = factor x + offset for every number x of each field that is "
        "named; other fields pass. The field arrives in the network's real "
        "type; integer fields cannot be scaled. Set the same around training, "
        "validation and test data.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(iterator_scale) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.iterator.scale",
    .name = "scale",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Multiplies fields by a number and adds another",
    .n_components = 1,
    .components = components,
};
