/* SPDX-License-Identifier: MIT */
/* modifying.c - see modifying.h. */
#include "core/training/modifying.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/util/error.h"

/* ---- what a modifier sees ---------------------------------------------- */

static double read_element(const nn_modifier_context *context,
                           const nn_array *array, int64_t index)
{
    const nn_modifying_one *one = (const nn_modifying_one *)context;
    nn_array element = nn_slice(array, index, 1);
    double wide = NAN;
    float narrow = NAN;

    if (element.dtype == NN_FLOAT64)
        return nn_network_download(one->network, &element, &wide) ? NAN : wide;
    return nn_network_download(one->network, &element, &narrow)
               ? NAN
               : (double)narrow;
}

static int32_t list_modified(const nn_runs *runs, const nn_node *on,
                             nn_arena *arena, nn_modifying_one *one)
{
    uint8_t *marks = nn_arena_alloc(arena, runs->n_parameters, 1);
    uint32_t n = 0;
    char what[128];
    int32_t code;
    uint32_t i;

    one->modified = nn_arena_alloc(arena, runs->n_parameters,
                                   sizeof *one->modified);
    if (!marks || !one->modified)
        return NN_NO_MEMORY;
    snprintf(what, sizeof what, "modifier '%s'", one->component->name);
    code = nn_runs_match(runs, on, what, marks);
    for (i = 0; i < runs->n_parameters && !code; ++i) {
        const nn_parameter *parameter = &runs->parameters[i];
        nn_modified *modified = &one->modified[n];

        if (!marks[i] || parameter->frozen)
            continue;
        modified->size = NN_SIZEOF(nn_modified, gradient);
        modified->tags = parameter->tags;
        modified->name = parameter->name;
        modified->parameter = parameter->parameter;
        modified->gradient = parameter->gradient;
        if (one->interface.when == NN_MODIFY_GRADIENT)
            modified->parameter.flags = NN_READ_ONLY;
        else
            modified->gradient.flags = NN_READ_ONLY;
        ++n;
    }
    one->context.n_modified = n;
    return code;
}

static int32_t add_tunables(nn_tuning *tuning, nn_modifying_one *one)
{
    int32_t code = NN_OK;
    char prefix[128];
    uint32_t i;

    snprintf(prefix, sizeof prefix, "modifiers.%s", one->component->name);
    for (i = 0; i < one->tuned.params.count && !code; ++i)
        code = nn_tuning_add(tuning, prefix, &one->tuned.settings[i]);
    return code;
}

static int32_t make_one(nn_model *model, const nn_runs *runs,
                        const nn_extra *extra, nn_tuning *tuning,
                        nn_modifying_one *one)
{
    const nn_modifier_interface *theirs = extra->named.component->interface;
    nn_modifier_context *context = &one->context;
    int32_t code;

    one->network = model->network;
    one->component = extra->named.component;
    memcpy(&one->interface, theirs,
           theirs->size < sizeof one->interface ? theirs->size
                                                : sizeof one->interface);
    code = nn_tuned_copy(extra->named.params, tuning->arena, &one->tuned);
    if (!code)
        code = add_tunables(tuning, one);
    if (!code)
        code = list_modified(runs, extra->on, tuning->arena, one);
    context->size = NN_SIZEOF(nn_modifier_context, read);
    context->host = model->config->host;
    context->params = &one->tuned.params;
    context->ops = nn_completed_operations(model->network->completed);
    context->modified = one->modified;
    context->modified_size = sizeof *one->modified;
    context->read = read_element;
    return code;
}

/* One block for all, as long as the longest wants it. */
static int32_t make_scratch(nn_modifying *modifying)
{
    nn_network *network = modifying->network;
    int64_t most = 0;
    int32_t code;
    int64_t i;

    for (i = 0; i < modifying->count; ++i)
        if (modifying->items[i].context.n_modified + 1 > most)
            most = modifying->items[i].context.n_modified + 1;
    if (!most)
        return NN_OK;
    code = network->interface.allocate(network->handler,
                                       most * nn_dtype_bytes(network->real),
                                       &modifying->scratch);
    for (i = 0; i < modifying->count && !code; ++i) {
        nn_array *scratch = &modifying->items[i].context.scratch;

        scratch->memory = modifying->scratch;
        scratch->dtype = network->real;
        scratch->ndim = 1;
        scratch->shape[0] = modifying->items[i].context.n_modified + 1;
        scratch->pitch = scratch->shape[0];
    }
    return code;
}

int32_t nn_modifying_init(nn_model *model, const nn_runs *runs,
                          nn_tuning *tuning, nn_modifying *out)
{
    const nn_extras *extras = &model->config->modifiers;
    int32_t code = NN_OK;
    int64_t i;

    memset(out, 0, sizeof *out);
    out->network = model->network;
    out->items = nn_arena_alloc(tuning->arena, extras->count,
                                sizeof *out->items);
    if (!out->items)
        return NN_NO_MEMORY;
    out->count = extras->count;
    for (i = 0; i < extras->count && !code; ++i)
        code = make_one(model, runs, &extras->items[i], tuning, &out->items[i]);
    return code ? code : make_scratch(out);
}

void nn_modifying_finish(nn_modifying *modifying)
{
    if (modifying->scratch)
        modifying->network->interface.release(modifying->network->handler,
                                              modifying->scratch);
    memset(modifying, 0, sizeof *modifying);
}

/* ---- calls ------------------------------------------------------------- */

int32_t nn_modifying_call(nn_modifying *modifying, uint32_t when,
                          int64_t update)
{
    int32_t code = NN_OK;
    int64_t i;

    for (i = 0; i < modifying->count && !code; ++i) {
        nn_modifying_one *one = &modifying->items[i];

        if (!(one->interface.when & when))
            continue;
        one->context.update = update;
        nn_network_track(modifying->network, NN_TRACK_STEP,
                         one->component->name);
        code = one->interface.modify(&one->context);
        nn_network_track(modifying->network, NN_TRACK_OUTSIDE, NULL);
        if (code >= 0)
            code = nn_network_check(modifying->network, NULL);
        else if (!nn_error_code())
            nn_error_set(code, "modifier.failed",
                         "it failed with code %d and no message", code);
        if (code)
            nn_error_prefix(code, "modifier '%s': ", one->component->name);
    }
    return code;
}
