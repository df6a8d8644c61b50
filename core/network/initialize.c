/* SPDX-License-Identifier: MIT */
/* initialize.c - the first values of parameters and state.
 *
 * What fills a parameter is looked for in this order: the config's rules, the
 * last one that matches `layer.parameter` first; the layer's own `initialize`,
 * also from the end; what the layer declares.  Rules that match nothing are
 * errors; one that a later one outdoes is none.  A rule is a number or an initializer.  Values are
 * made in float64 on the host and rounded once, so that they do not depend on
 * the handler, nor on the real type but for the rounding. */
#include "core/network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/random.h>
#include <nn/training.h>

#include "core/util/error.h"
#include "core/util/number.h"

typedef struct initializing {
    nn_network *network;
    nn_diagnostics *diagnostics;
    const nn_node *rules;
    uint8_t *used; /* by rule: it matched something */
    nn_arena *arena;
} initializing;

/* Room for the longest path of a layer and a buffer of it. */
#define ROOM (NN_GRAPH_PATH + NN_GRAPH_NAME)

/* "layer.W" of a parameter's record. */
static void short_name(const nn_record *record, char name[ROOM])
{
    snprintf(name, ROOM, "%s.%s", record->layer->path, record->declared->name);
}

/* ---- which rule -------------------------------------------------------- */

static const nn_node *matching(const nn_node *rules, const char *name,
                               uint8_t *used)
{
    const nn_node *found = NULL;
    int64_t i;

    for (i = rules ? rules->count - 1 : -1; i >= 0; --i) {
        if (!nn_pattern_matches(rules->entries[i].key, name))
            continue;
        if (used)
            used[i] = 1;
        if (!found)
            found = rules->entries[i].node;
    }
    return found;
}

/* The node that fills RECORD; *OWNED is 1 if the caller destroys it; *OUT NULL
 * stands for the declared value. */
static int32_t find_rule(initializing *all, const nn_record *record,
                         nn_node **owned, const nn_node **out)
{
    const nn_buffer *buffer = record->declared;
    char name[ROOM];

    *owned = NULL;
    short_name(record, name);
    *out = matching(all->rules, name, all->used);
    if (!*out)
        *out = matching(record->layer->initialize, buffer->name, NULL);
    if (*out || !buffer->initializer)
        return NN_OK;
    *out = NULL;
    return nn_node_read(buffer->initializer, strlen(buffer->initializer),
                        record->layer->component->name, all->diagnostics,
                        owned);
}

/* ---- filling ----------------------------------------------------------- */

static nn_initialize describe(const initializing *all, const nn_record *record,
                              const char *name, double *values)
{
    const nn_shape *shape = &record->shape;
    nn_initialize what;

    memset(&what, 0, sizeof what);
    what.size = NN_SIZEOF(nn_initialize, values);
    what.ndim = shape->ndim;
    what.host = all->network->host;
    what.name = name;
    what.shape = shape->dims;
    what.fan_in = record->declared->fan_in;
    what.fan_out = record->declared->fan_out;
    if (!what.fan_in)
        what.fan_in = nn_shape_product(shape, 1);
    if (!what.fan_out)
        what.fan_out = shape->dims[0] * nn_shape_product(shape, 2);
    what.random.seed = all->network->seed;
    what.random.stream = nn_hash_name(name) + 1;
    what.values = values;
    return what;
}

static int32_t run_initializer(const initializing *all, const nn_record *record,
                               const nn_node *node, double *values)
{
    const nn_initializer_interface *interface;
    nn_initialize what;
    nn_named named;
    char name[ROOM];
    int32_t code;

    code = nn_schema_component(all->network->graph->catalog,
                               NN_KIND_INITIALIZER, node, "initializer", NULL,
                               all->arena, all->diagnostics, &named);
    if (code)
        return code;
    short_name(record, name);
    what = describe(all, record, name, values);
    what.params = named.params;
    interface = named.component->interface;
    code = interface->fill(&what);
    if (code && !nn_error_code())
        nn_error_set(code, "initializer.failed",
                     "initializer '%s' cannot fill '%s'", named.component->name,
                     name);
    return code;
}

static int32_t fill_values(initializing *all, const nn_record *record,
                           double *values, int64_t count)
{
    const nn_node *node;
    nn_node *owned;
    double value = record->declared->value;
    int32_t code = find_rule(all, record, &owned, &node);
    int64_t i;

    if (code)
        return code;
    if (owned)
        node = owned;
    if (node && (node->kind != NN_NODE_SCALAR ||
                 nn_number_parse_real(node->text, strlen(node->text), &value)))
        code = run_initializer(all, record, node, values);
    else
        for (i = 0; i < count; ++i)
            values[i] = value;
    nn_node_destroy(owned);
    return code;
}

/* VALUE, or the limit that it passes; NaN is LOW. */
static double within(double value, double low, double high)
{
    return value > high ? high : value >= low ? value : low;
}

/* VALUES to the record's own type, in place where it is smaller. */
static void convert(double *values, int64_t count, uint32_t dtype)
{
    float *singles = (float *)(void *)values;
    int32_t *ints = (int32_t *)(void *)values;
    uint8_t *bytes = (uint8_t *)(void *)values;
    int64_t i;

    for (i = 0; i < count; ++i) {
        double value = values[i];

        if (dtype == NN_FLOAT32)
            singles[i] = (float)value;
        else if (dtype == NN_INT32)
            ints[i] = (int32_t)within(value, INT32_MIN, INT32_MAX);
        else if (dtype == NN_UINT8)
            bytes[i] = (uint8_t)within(value, 0, UINT8_MAX);
    }
}

static int32_t fill_record(initializing *all, int32_t index)
{
    nn_network *network = all->network;
    const nn_record *record = &network->layout->records[index];
    nn_array array = nn_network_array(network, index);
    int64_t count = nn_elements(&array);
    double *values = malloc((size_t)count * sizeof *values);
    int64_t i;
    int32_t code = NN_OK;

    if (!values)
        return nn_error_no_memory(record->path,
                                  (uint64_t)count * sizeof *values);
    if (record->sort == NN_SORT_PARAMETER)
        code = fill_values(all, record, values, count);
    else
        for (i = 0; i < count; ++i)
            values[i] = record->declared->value;
    if (!code) {
        convert(values, count, array.dtype);
        code = nn_network_upload(network, &array, values);
    }
    free(values);
    return code;
}

/* The layer's own rules match its own parameters, which those of a sharing
 * layer are not. */
static int32_t check_layer(const initializing *all, const nn_graph_layer *layer)
{
    const nn_node *rules = layer->initialize;
    uint32_t count = layer->share < 0 ? layer->parameters.count : 0;
    int64_t i;
    uint32_t k;

    if (rules && rules->kind != NN_NODE_MAP)
        return nn_diagnostics_error(all->diagnostics, NN_INVALID_ARGUMENT,
                                    "initialize.map", &rules->place,
                                    "layer '%s': 'initialize' maps names of "
                                    "parameters to numbers or initializers",
                                    layer->path);
    for (i = 0; rules && i < rules->count; ++i) {
        for (k = 0; k < count; ++k)
            if (nn_pattern_matches(rules->entries[i].key,
                                   layer->parameters.items[k].name))
                break;
        if (k == count)
            return nn_diagnostics_error(all->diagnostics, NN_NOT_FOUND,
                                        "initialize.unused",
                                        &rules->entries[i].key_place,
                                        "layer '%s' has no parameter of its "
                                        "own that matches '%s'",
                                        layer->path, rules->entries[i].key);
    }
    return NN_OK;
}

static int32_t check_layers(const initializing *all, const nn_graph *graph)
{
    int32_t code = NN_OK;
    int32_t i;
    uint32_t c;

    for (i = 1; i < graph->n_layers && !code; ++i) {
        const nn_graph_layer *layer = &graph->layers[i];

        code = check_layer(all, layer);
        for (c = 0; c < layer->n_children && !code; ++c)
            code = check_layers(all, layer->children[c].graph);
    }
    return code;
}

/* A rule that no parameter matches is a mistake. */
static int32_t check_used(const initializing *all)
{
    int64_t i;

    for (i = 0; all->rules && i < all->rules->count; ++i)
        if (!all->used[i])
            return nn_diagnostics_error(all->diagnostics, NN_NOT_FOUND,
                                        "initialize.unused",
                                        &all->rules->entries[i].key_place,
                                        "no parameter matches '%s'",
                                        all->rules->entries[i].key);
    return NN_OK;
}

int32_t nn_network_initialize(nn_network *network, const nn_node *rules,
                              nn_diagnostics *diagnostics)
{
    initializing all = {network, diagnostics, rules, NULL, NULL};
    int32_t code = nn_arena_create(&all.arena);
    int32_t i;

    if (code)
        return code;
    all.used = nn_arena_alloc(all.arena, rules ? rules->count : 0, 1);
    code = all.used ? check_layers(&all, network->graph) : NN_NO_MEMORY;
    for (i = 0; i < network->layout->n_records && !code; ++i) {
        const nn_record *record = &network->layout->records[i];

        if (record->declared && (record->sort == NN_SORT_PARAMETER ||
                                 record->sort == NN_SORT_STATE))
            code = fill_record(&all, i);
    }
    if (!code)
        code = check_used(&all);
    network->carrying = 0;
    nn_arena_destroy(all.arena);
    return code;
}
