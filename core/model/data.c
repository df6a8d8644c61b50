/* SPDX-License-Identifier: MIT */
/* data.c - opens the iterators of a config and reads batches from them.
 *
 * Buffers for the largest batch are allocated when the data are opened and
 * used for every batch. */
#include "core/model/data.h"

#include <stdlib.h>
#include <string.h>

#include <nn/shape.h>

#include "core/model/inner.h"
#include "core/registry/host.h"
#include "core/util/checked.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

static nn_iterator_interface full_interface(const nn_component *component)
{
    const nn_iterator_interface *theirs = component->interface;
    nn_iterator_interface full;

    memset(&full, 0, sizeof full);
    memcpy(&full, theirs,
           theirs->size < sizeof full ? theirs->size : sizeof full);
    return full;
}

static int32_t failed(int32_t code, const char *what)
{
    if (code < 0 && !nn_error_code())
        nn_error_set(code, "data.failed",
                     "the iterator failed to %s with code %d and no message",
                     what, code);
    return code;
}

/* ---- opening ----------------------------------------------------------- */

int32_t nn_data_request(const nn_config *config, nn_arena *arena,
                        nn_iterator_request *request)
{
    const nn_graph_layer *inputs = &config->graph->layers[0];
    uint32_t count = inputs->outputs.count;
    nn_field *fields = nn_arena_alloc(arena, count, sizeof *fields);
    const nn_field **pointers = nn_arena_alloc(arena, count, sizeof *pointers);
    uint32_t i;

    if (!fields || !pointers)
        return NN_NO_MEMORY;
    for (i = 0; i < count; ++i) {
        const nn_buffer *buffer = &inputs->outputs.items[i];

        fields[i].size = NN_SIZEOF(nn_field, shape);
        fields[i].name = buffer->name;
        fields[i].dtype = buffer->shape.dtype;
        fields[i].ndim = buffer->shape.ndim - 2;
        memcpy(fields[i].shape, buffer->shape.dims + 2,
               fields[i].ndim * sizeof(int64_t));
        pointers[i] = &fields[i];
    }
    request->size = NN_SIZEOF(nn_iterator_request, fields);
    request->real = config->real;
    request->n_fields = count;
    request->reserved = 0;
    request->fields = pointers;
    return NN_OK;
}

static int64_t field_elements(const nn_field *field)
{
    int64_t elements = 1;
    uint32_t i;

    for (i = 0; i < field->ndim; ++i)
        if (!nn_checked_mult(elements, field->shape[i], &elements))
            return -1;
    return elements;
}

int32_t nn_data_make_buffers(nn_data *data)
{
    uint32_t i;

    data->fields = calloc(data->info.n_fields + 1, sizeof *data->fields);
    data->batch.ids = calloc((size_t)data->info.max_B, sizeof(int64_t));
    data->batch.begins = calloc((size_t)data->info.max_B, 1);
    if (!data->fields || !data->batch.ids || !data->batch.begins)
        return nn_error_no_memory("a batch", (uint64_t)data->info.max_B);
    for (i = 0; i < data->info.n_fields; ++i) {
        const nn_field *field = data->info.fields[i];
        int64_t bytes = field_elements(field);

        if (!nn_checked_mult(bytes, nn_dtype_bytes(field->dtype), &bytes) ||
            !nn_checked_mult(bytes, data->info.max_T, &bytes) ||
            !nn_checked_mult(bytes, data->info.max_B, &bytes))
            return nn_error_set(NN_NO_MEMORY, "data.too-large",
                                "a batch of field '%s' is too large for any "
                                "memory",
                                field->name);
        data->fields[i] = malloc((size_t)bytes);
        if (!data->fields[i])
            return nn_error_no_memory("a batch", (uint64_t)bytes);
    }
    data->batch.size = NN_SIZEOF(nn_batch, begins);
    data->batch.n_fields = data->info.n_fields;
    data->batch.data = data->fields;
    return NN_OK;
}

static int32_t check_info(const nn_data *data)
{
    uint32_t i;

    for (i = 0; i < data->info.n_fields; ++i)
        if (data->info.fields[i]->ndim > NN_MAX_DIMS - 2)
            return nn_error_set(NN_SHAPE, "data.axes",
                                "field '%s' has %u axes for features, and %d "
                                "is the most",
                                data->info.fields[i]->name,
                                data->info.fields[i]->ndim, NN_MAX_DIMS - 2);
    if (data->info.max_T >= 1 && data->info.max_B >= 1 && data->info.n_fields)
        return NN_OK;
    return nn_error_set(NN_INTERNAL, "data.info",
                        "the iterator describes batches of %lld time steps, "
                        "%lld samples and %u fields",
                        (long long)data->info.max_T,
                        (long long)data->info.max_B, data->info.n_fields);
}

/* The field is not what the network's input of that name wants. */
static int32_t refuse_field(const nn_field *field, const nn_shape *wanted)
{
    nn_shape shape = *wanted;
    char theirs[NN_SHAPE_ROOM];
    char ours[NN_SHAPE_ROOM];

    shape.dtype = field->dtype;
    shape.ndim = field->ndim + 2;
    memcpy(shape.dims + 2, field->shape, field->ndim * sizeof(int64_t));
    return nn_error_set(NN_SHAPE, "data.field",
                        "field '%s' is %s, the network's input of that name "
                        "%s",
                        field->name, nn_shape_text(&shape, theirs),
                        nn_shape_text(wanted, ours));
}

/* Input INPUT of the network against the field of its name, which must be
 * there if NEEDED is 1. */
static int32_t check_field(const nn_data *data, const nn_buffer *input,
                           int needed)
{
    uint32_t ndim = input->shape.ndim - 2;
    uint32_t i;

    for (i = 0; i < data->info.n_fields; ++i) {
        const nn_field *field = data->info.fields[i];

        if (strcmp(field->name, input->name))
            continue;
        if (field->dtype == input->shape.dtype && field->ndim == ndim &&
            !memcmp(field->shape, input->shape.dims + 2,
                    ndim * sizeof(int64_t)))
            return NN_OK;
        return refuse_field(field, &input->shape);
    }
    if (!needed)
        return NN_OK;
    return nn_error_set(NN_NOT_FOUND, "data.missing-field",
                        "there is no field '%s', which the network reads",
                        input->name);
}

static int32_t check_fields(const nn_config *config, const nn_data *data,
                            int needed)
{
    const nn_buffers *inputs = &config->graph->layers[0].outputs;
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < inputs->count && !code; ++i)
        code = check_field(data, &inputs->items[i], needed);
    return code;
}

int32_t nn_config_check_fields(const nn_config *config, const nn_data *data)
{
    return check_fields(config, data, 1);
}

static int32_t open_entry(nn_config *config, nn_data_entry *entry,
                          nn_data *data)
{
    nn_iterator_request request;
    nn_arena *arena = NULL;
    int32_t code = nn_arena_create(&arena);

    if (!code)
        code = nn_data_request(config, arena, &request);
    if (!code) {
        data->entry = entry;
        data->params = entry->named.params;
        data->interface = full_interface(entry->named.component);
        code = failed(data->interface.create(nn_host_process(), data->params,
                                             &request, &data->iterator),
                      "open");
    }
    if (!code) {
        data->info.size = NN_SIZEOF(nn_iterator_info, reserved);
        data->interface.describe(data->iterator, &data->info);
        code = check_info(data);
    }
    if (!code)
        code = check_fields(config, data, 0);
    if (!code)
        code = nn_data_make_buffers(data);
    nn_arena_destroy(arena);
    return code;
}

/* Opens what ENTRY names, unless it is open. */
static int32_t open_data(nn_config *config, nn_data_entry *entry)
{
    nn_data *data;
    int32_t code;

    if (entry->opened)
        return NN_OK;
    data = calloc(1, sizeof *data);
    if (!data)
        return nn_error_no_memory("data", sizeof *data);
    code = open_entry(config, entry, data);
    if (code) {
        nn_data_destroy(data);
        return nn_error_prefix(code, "data '%s': ", entry->name);
    }
    entry->opened = data;
    return NN_OK;
}

int32_t nn_data_create(nn_config *config, const char *name, nn_data **out)
{
    nn_data_entry *entry;
    int32_t code;

    nn_error_clear();
    *out = NULL;
    code = nn_config_check_sound(config);
    if (code)
        return code;
    entry = (nn_data_entry *)(uintptr_t)nn_config_data(config, name);
    if (!entry)
        return NN_NOT_FOUND;
    if (entry->in_use)
        return nn_error_set(NN_STATE, "data.in-use",
                            "data '%s' are in use already", name);
    code = open_data(config, entry);
    if (code)
        return code;
    *out = entry->opened;
    entry->in_use = 1;
    return NN_OK;
}

void nn_data_destroy(nn_data *data)
{
    uint32_t i;

    if (!data)
        return;
    if (data->iterator)
        data->interface.destroy(data->iterator);
    if (data->params)
        nn_inner_destroy(data->params);
    for (i = 0; data->fields && i < data->info.n_fields; ++i)
        free(data->fields[i]);
    free(data->fields);
    free(data->batch.ids);
    free(data->batch.begins);
    if (data->entry) {
        data->entry->opened = NULL;
        data->entry->in_use = 0;
    }
    free(data);
}

static int32_t open_all(nn_config *config)
{
    int32_t code = nn_config_check_sound(config);
    int64_t i;

    for (i = 0; i < config->n_data && !code; ++i)
        code = open_data(config, &config->data[i]);
    return code;
}

int32_t nn_config_check_data(nn_config *config)
{
    int32_t code;
    int64_t i;

    nn_error_clear();
    code = open_all(config);
    for (i = 0; i < config->n_data && !code; ++i) {
        code = nn_config_check_fields(config, config->data[i].opened);
        if (code)
            nn_error_prefix(code, "data '%s': ", config->data[i].name);
    }
    return code;
}

int32_t nn_config_largest_batch(nn_config *config, int64_t *T, int64_t *B)
{
    int32_t code = open_all(config);
    int64_t i;

    for (i = 0; i < config->n_data && !code; ++i) {
        const nn_data *data = config->data[i].opened;

        if (data->info.max_T > *T)
            *T = data->info.max_T;
        if (data->info.max_B > *B)
            *B = data->info.max_B;
    }
    return code;
}

/* ---- reading ----------------------------------------------------------- */

int32_t nn_data_start(nn_data *data, uint64_t seed, uint64_t epoch)
{
    nn_epoch start = {NN_SIZEOF(nn_epoch, n_shards), 0, seed, epoch, 0, 1};

    nn_error_clear();
    return failed(data->interface.start(data->iterator, &start), "start");
}

int32_t nn_data_next(nn_data *data)
{
    int32_t code;

    nn_error_clear();
    memset(data->batch.begins, 1, (size_t)data->info.max_B);
    code = failed(data->interface.next(data->iterator, &data->batch), "read");
    if (code)
        return code;
    if (data->batch.T >= 1 && data->batch.B >= 1 &&
        data->batch.T <= data->info.max_T && data->batch.B <= data->info.max_B)
        return NN_OK;
    return nn_error_set(NN_INTERNAL, "data.batch",
                        "an iterator gave a batch of %lld time steps and %lld "
                        "samples",
                        (long long)data->batch.T, (long long)data->batch.B);
}

int32_t nn_data_seek(nn_data *data, int64_t batch)
{
    int32_t code = NN_OK;
    int64_t i;

    if (batch == 0)
        return NN_OK;
    if (data->info.can_seek && data->interface.seek)
        return failed(data->interface.seek(data->iterator, batch), "seek");
    for (i = 0; i < batch && !code; ++i)
        code = nn_data_next(data);
    return code;
}

static nn_host_array field_array(const nn_data *data, uint32_t index)
{
    const nn_field *field = data->info.fields[index];
    nn_host_array array;

    memset(&array, 0, sizeof array);
    array.size = sizeof array;
    array.name = field->name;
    array.dtype = field->dtype;
    array.ndim = field->ndim + 2;
    array.shape[0] = data->batch.T;
    array.shape[1] = data->batch.B;
    memcpy(array.shape + 2, field->shape, field->ndim * sizeof(int64_t));
    array.data = data->fields[index];
    return array;
}

int32_t nn_data_field(const nn_data *data, const char *name, nn_host_array *out)
{
    nn_suggest suggest;
    char tail[128];
    uint32_t i;

    nn_error_clear();
    nn_suggest_start(&suggest, name);
    for (i = 0; i < data->info.n_fields; ++i) {
        nn_suggest_offer(&suggest, data->info.fields[i]->name);
        if (strcmp(data->info.fields[i]->name, name))
            continue;
        *out = field_array(data, i);
        return NN_OK;
    }
    return nn_error_set(NN_NOT_FOUND, "data.field",
                        "the data have no field '%s'%s", name,
                        nn_suggest_tail(&suggest, tail));
}

int32_t nn_data_upload(const nn_data *data, nn_network *network)
{
    int32_t code = NN_OK;
    uint32_t i;

    for (i = 0; i < data->info.n_fields && !code; ++i) {
        nn_array array;

        if (nn_network_input(network, data->info.fields[i]->name, &array)) {
            nn_error_clear();
            continue;
        }
        code = nn_network_upload(network, &array, data->fields[i]);
    }
    return code;
}

int64_t nn_data_samples(const nn_data *data)
{
    return data->info.n_samples;
}

int64_t nn_data_batches(const nn_data *data)
{
    return data->info.n_batches;
}

void nn_data_largest(const nn_data *data, int64_t *T, int64_t *B)
{
    *T = data->info.max_T;
    *B = data->info.max_B;
}
