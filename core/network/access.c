/* SPDX-License-Identifier: MIT */
/* access.c - buffers by name, and their way to and from the host. */
#include "core/network/network.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/checked.h"
#include "core/util/error.h"
#include "core/util/suggest.h"

nn_array nn_network_array(const nn_network *network, int32_t record)
{
    nn_array array = nn_layout_array(network->layout, record, network->now->T,
                                     network->now->B);

    array.memory = network->blocks[network->layout->records[record].block];
    return array;
}

nn_array nn_network_carried(const nn_network *network, int32_t record)
{
    const nn_record *one = &network->layout->records[record];
    nn_array array = nn_network_array(network, record);

    array.memory = network->blocks[NN_BLOCK_CARRY];
    array.offset = one->carry;
    array.shape[0] = one->context_before;
    return array;
}

void nn_network_zero(const nn_network *network, int32_t record)
{
    nn_array array = nn_network_array(network, record);

    nn_fill(nn_completed_operations(network->completed), &array, 0);
}

nn_array nn_network_block(const nn_network *network, uint32_t block)
{
    nn_array array;

    memset(&array, 0, sizeof array);
    if (!network->layout->bytes[block])
        return array;
    array.memory = network->blocks[block];
    array.dtype = block == NN_BLOCK_STATE || block == NN_BLOCK_CARRY
                      ? NN_UINT8
                      : network->real;
    array.ndim = 1;
    array.shape[0] = array.pitch = network->layout->bytes[block] /
                                   nn_dtype_bytes(array.dtype);
    return array;
}

int32_t nn_network_input(nn_network *network, const char *name, nn_array *array)
{
    const nn_graph_layer *inputs = &network->graph->layers[0];
    nn_suggest suggest;
    char tail[128];
    uint32_t i;

    nn_error_clear();
    nn_suggest_start(&suggest, name);
    for (i = 0; i < inputs->outputs.count; ++i) {
        nn_suggest_offer(&suggest, inputs->outputs.items[i].name);
        if (strcmp(inputs->outputs.items[i].name, name))
            continue;
        *array = network->now->top->layers[0].context.outputs[i];
        return NN_OK;
    }
    return nn_error_set(NN_NOT_FOUND, "network.input",
                        "the network has no input '%s'%s", name,
                        nn_suggest_tail(&suggest, tail));
}

/* ---- to and from the host ---------------------------------------------- */

/* Bytes from the first to behind the last element of ARRAY. */
static int64_t span(const nn_array *array)
{
    return ((nn_rows(array) - 1) * array->pitch + nn_columns(array)) *
           nn_dtype_bytes(array->dtype);
}

static int32_t no_mapping(nn_network *network)
{
    int32_t code = nn_network_check(network, NULL);

    return code ? code
                : nn_error_set(NN_DEVICE, "network.map",
                               "the handler gave no access to its memory");
}

int32_t nn_network_upload(nn_network *network, const nn_array *array,
                          const void *data)
{
    uint32_t access = nn_is_dense(array) ? NN_MAP_WRITE
                                         : NN_MAP_READ | NN_MAP_WRITE;
    size_t row = (size_t)(nn_columns(array) * nn_dtype_bytes(array->dtype));
    int64_t pitch = array->pitch * nn_dtype_bytes(array->dtype);
    int64_t rows = nn_rows(array);
    const char *from = data;
    char *to = network->interface.map(network->handler, array->memory,
                                      array->offset, span(array), access);
    int64_t i;

    nn_error_clear();
    if (!to)
        return no_mapping(network);
    if (nn_is_dense(array))
        memcpy(to, from, row * (size_t)rows);
    for (i = 0; i < rows && !nn_is_dense(array); ++i)
        memcpy(to + i * pitch, from + (size_t)i * row, row);
    network->interface.unmap(network->handler, array->memory, to, access);
    return nn_network_check(network, NULL);
}

int32_t nn_network_download(nn_network *network, const nn_array *array,
                            void *data)
{
    size_t row = (size_t)(nn_columns(array) * nn_dtype_bytes(array->dtype));
    int64_t pitch = array->pitch * nn_dtype_bytes(array->dtype);
    int64_t rows = nn_rows(array);
    char *to = data;
    char *from = network->interface.map(network->handler, array->memory,
                                        array->offset, span(array),
                                        NN_MAP_READ);
    int64_t i;

    nn_error_clear();
    if (!from)
        return no_mapping(network);
    for (i = 0; i < rows; ++i)
        memcpy(to + (size_t)i * row, from + i * pitch, row);
    network->interface.unmap(network->handler, array->memory, from,
                             NN_MAP_READ);
    return nn_network_check(network, NULL);
}

/* ---- by path ----------------------------------------------------------- */

/* 1 if the memory of RECORD still holds it when the pass is over. */
static int is_pinned(const nn_layout *layout, int32_t record)
{
    const nn_record *one = &layout->records[record];
    int32_t n = layout->graph->n_layers;
    int32_t end = layout->training ? 2 * n : n;

    if (one->block != NN_BLOCK_ARENA)
        return 1;
    return one->last == end;
}

int32_t nn_network_view(nn_network *network, const char *path, nn_array *array)
{
    const nn_layout *layout = network->layout;
    int32_t record = nn_layout_find(layout, path);
    nn_suggest suggest;
    char tail[128];
    int32_t i;

    nn_error_clear();
    if (record < 0) {
        nn_suggest_start(&suggest, path);
        for (i = 0; i < layout->n_records; ++i)
            nn_suggest_offer(&suggest, layout->records[i].path);
        return nn_error_set(NN_NOT_FOUND, "network.path",
                            "the network has no buffer '%s'%s", path,
                            nn_suggest_tail(&suggest, tail));
    }
    if (!is_pinned(layout, record))
        return nn_error_set(NN_STATE, "network.not-kept",
                            "the memory of '%s' is used again during a pass; "
                            "add \"%s\" to `keep`",
                            path, layout->records[record].path);
    *array = nn_network_array(network, record);
    return NN_OK;
}

int32_t nn_network_snapshot(nn_network *network, const char *path,
                            nn_host_array *out)
{
    nn_array array;
    int32_t code = nn_network_view(network, path, &array);
    int64_t bytes;

    memset(out, 0, sizeof *out);
    if (code)
        return code;
    bytes = nn_elements(&array) * nn_dtype_bytes(array.dtype);
    out->size = sizeof *out;
    out->name =
        network->layout->records[nn_layout_find(network->layout, path)].path;
    out->dtype = array.dtype;
    out->ndim = array.ndim;
    memcpy(out->shape, array.shape, sizeof out->shape);
    out->data = malloc((size_t)bytes);
    if (!out->data)
        return nn_error_no_memory(path, (uint64_t)bytes);
    code = nn_network_download(network, &array, out->data);
    if (code) {
        free(out->data);
        out->data = NULL;
    }
    return code;
}

const char *nn_network_path(const nn_network *network, uint32_t index)
{
    return index < (uint32_t)network->layout->n_records
               ? network->layout->records[index].path
               : NULL;
}

nn_array nn_network_parameters(const nn_network *network)
{
    return nn_network_block(network, NN_BLOCK_PARAMETERS);
}

nn_array nn_network_gradients(const nn_network *network)
{
    return nn_network_block(network, NN_BLOCK_GRADIENTS);
}

/* ---- carried frames ---------------------------------------------------- */

/* The frames of record INDEX as bytes, of the largest B; ndim 0 if it carries
 * none. */
static nn_array carried_bytes(const nn_network *network, int32_t index)
{
    const nn_layout *layout = network->layout;
    const nn_record *record = &layout->records[index];
    nn_array array;

    memset(&array, 0, sizeof array);
    if (nn_layout_carry_bytes(record, layout->B) == 0)
        return array;
    array.memory = network->blocks[NN_BLOCK_CARRY];
    array.offset = record->carry;
    array.dtype = NN_UINT8;
    array.ndim = 1;
    array.shape[0] = array.pitch = nn_layout_carry_bytes(record, layout->B);
    return array;
}

/* Bytes that FRAMES take on the host: whatever the handler leaves around them,
 * the layout is the same. */
static int64_t room_of(const nn_array *frames)
{
    return nn_align_up(frames->shape[0], 64);
}

int64_t nn_network_context_bytes(const nn_network *network)
{
    int64_t bytes = 0;
    int32_t i;

    for (i = 0; i < network->layout->n_records; ++i) {
        nn_array frames = carried_bytes(network, i);

        bytes += room_of(&frames);
    }
    return bytes;
}

int32_t nn_network_context_get(nn_network *network, void *bytes, int64_t *B)
{
    char *to = bytes;
    int32_t code = NN_OK;
    int32_t i;

    nn_error_clear();
    *B = network->carrying ? network->carried_B : 0;
    for (i = 0; i < network->layout->n_records && !code; ++i) {
        nn_array frames = carried_bytes(network, i);

        if (!frames.ndim)
            continue;
        code = nn_network_download(network, &frames, to);
        memset(to + frames.shape[0], 0,
               (size_t)(room_of(&frames) - frames.shape[0]));
        to += room_of(&frames);
    }
    return code;
}

int32_t nn_network_context_set(nn_network *network, const void *bytes,
                               int64_t B)
{
    const char *from = bytes;
    int32_t code = NN_OK;
    int32_t i;

    nn_error_clear();
    if (B < 0 || B > network->layout->B)
        return nn_error_set(NN_INVALID_ARGUMENT, "network.context",
                            "frames of %lld samples do not fit a network made "
                            "for %lld",
                            (long long)B, (long long)network->layout->B);
    network->carrying = B > 0;
    network->carried_B = B;
    for (i = 0; i < network->layout->n_records && !code; ++i) {
        nn_array frames = carried_bytes(network, i);

        if (!frames.ndim)
            continue;
        code = nn_network_upload(network, &frames, from);
        from += room_of(&frames);
    }
    return code;
}
