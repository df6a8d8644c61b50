/* SPDX-License-Identifier: MIT */
/* runs.c - see runs.h. */
#include "core/training/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"
#include "core/util/suggest.h"

#define NO_DECAY (NN_TAG_BIAS | NN_TAG_NOT_REGULARIZED)

/* Settings 2 * k are override number k - 1, or with k = 0 the stepper's own;
 * 2 * k + 1 are the same without decay. */
#define WITHOUT_DECAY 1u

/* ---- parameters -------------------------------------------------------- */

static int is_parameter(const nn_record *record)
{
    return record->sort == NN_SORT_PARAMETER && record->declared;
}

static int by_offset(const void *a, const void *b)
{
    const nn_parameter *x = a;
    const nn_parameter *y = b;

    if (x->parameter.offset == y->parameter.offset)
        return (x->record > y->record) - (x->record < y->record);
    return x->parameter.offset < y->parameter.offset ? -1 : 1;
}

static int32_t describe(const nn_network *network, int32_t record,
                        nn_arena *arena, nn_parameter *out)
{
    const nn_record *records = network->layout->records;
    const nn_record *one = &records[record];
    char name[768];

    snprintf(name, sizeof name, "%s.%s", one->layer->path, one->declared->name);
    out->name = nn_arena_string(arena, name);
    out->tags = one->declared->tags;
    out->frozen = (out->tags & NN_TAG_FROZEN) != 0;
    out->record = record;
    for (out->root = record; records[out->root].alias >= 0;)
        out->root = records[out->root].alias;
    out->parameter = nn_layout_array(network->layout, record, 1, 1);
    out->parameter.memory = network->blocks[NN_BLOCK_PARAMETERS];
    out->gradient = out->parameter;
    out->gradient.memory = network->blocks[NN_BLOCK_GRADIENTS];
    return out->name ? NN_OK : NN_NO_MEMORY;
}

static int32_t list_parameters(const nn_network *network, nn_arena *arena,
                               nn_runs *runs)
{
    const nn_layout *layout = network->layout;
    int32_t code = NN_OK;
    int32_t i;

    runs->parameters = nn_arena_alloc(arena, layout->n_records,
                                      sizeof *runs->parameters);
    if (!runs->parameters)
        return NN_NO_MEMORY;
    for (i = 0; i < layout->n_records && !code; ++i)
        if (is_parameter(&layout->records[i]))
            code = describe(network, i, arena,
                            &runs->parameters[runs->n_parameters++]);
    qsort(runs->parameters, runs->n_parameters, sizeof *runs->parameters,
          by_offset);
    return code;
}

/* ---- patterns ---------------------------------------------------------- */

static int32_t match(const nn_runs *runs, const char *pattern, const char *what,
                     uint8_t *marks)
{
    nn_suggest suggest;
    char tail[128];
    int found = 0;
    uint32_t i;

    nn_suggest_start(&suggest, pattern);
    for (i = 0; i < runs->n_parameters; ++i) {
        nn_suggest_offer(&suggest, runs->parameters[i].name);
        if (!nn_pattern_matches(pattern, runs->parameters[i].name))
            continue;
        marks[i] = 1;
        found = 1;
    }
    if (found)
        return NN_OK;
    return nn_error_set(NN_NOT_FOUND, "training.pattern",
                        "%s: no parameter is called '%s'%s", what, pattern,
                        nn_suggest_tail(&suggest, tail));
}

int32_t nn_runs_match(const nn_runs *runs, const nn_node *node,
                      const char *what, uint8_t *marks)
{
    int32_t code = NN_OK;
    int64_t i;

    if (!node) {
        memset(marks, 1, runs->n_parameters);
        return NN_OK;
    }
    if (node->kind == NN_NODE_SCALAR)
        return match(runs, node->text, what, marks);
    for (i = 0; i < node->count && !code; ++i) {
        const nn_node *item = node->entries[i].node;

        if (node->kind != NN_NODE_LIST || item->kind != NN_NODE_SCALAR)
            break;
        code = match(runs, item->text, what, marks);
    }
    if (code || (node->kind == NN_NODE_LIST && i == node->count && i > 0))
        return code;
    return nn_error_set(NN_INVALID_ARGUMENT, "training.patterns",
                        "%s: parameters are named by a pattern or a list of "
                        "them: [\"*.W\", \"out.*\"]",
                        what);
}

static int32_t freeze(const nn_config *config, nn_runs *runs, uint8_t *marks)
{
    const nn_value *patterns = config->training->values[NN_TRAINING_FREEZE];
    int32_t code = NN_OK;
    uint32_t i;

    memset(marks, 0, runs->n_parameters);
    for (i = 0; i < patterns->count && !code; ++i)
        code = match(runs, patterns->items[i]->text, "freeze", marks);
    for (i = 0; i < runs->n_parameters; ++i)
        runs->parameters[i].frozen |= marks[i];
    return code;
}

/* ---- settings ---------------------------------------------------------- */

/* What override number K - 1 itself gives, or NULL for K = 0. */
static const nn_node *override_node(const nn_config *config, int64_t k)
{
    const nn_node *all = nn_node_find(config->training_node, "overrides");

    return k && all ? all->entries[k - 1].node : NULL;
}

static int32_t add_tunables(const nn_config *config, int64_t k, uint32_t spared,
                            nn_tuning *tuning, nn_tuned *tuned)
{
    const nn_node *own = override_node(config, k);
    int32_t code = NN_OK;
    char prefix[256];
    uint32_t i;

    for (i = 0; i < tuned->params.count && !code; ++i) {
        nn_setting *setting = &tuned->settings[i];

        if (spared && !strcmp(setting->param->name, "decay"))
            continue;
        snprintf(prefix, sizeof prefix, "stepper");
        if (own && nn_node_find(own, setting->param->name))
            snprintf(prefix, sizeof prefix, "overrides.%s",
                     config->override_patterns[k - 1]);
        code = nn_tuning_add(tuning, prefix, setting);
    }
    return code;
}

static const nn_params *given_params(const nn_config *config, int64_t k)
{
    const nn_value *stepper = config->training->values[NN_TRAINING_STEPPER];

    return k ? config->overrides[k - 1] : stepper->child->params;
}

static int has_decay(const nn_params *params)
{
    const nn_setting *decay = nn_schema_find(params, "decay");

    return decay && (decay->value.real != 0 || decay->value.child);
}

static int32_t make_settings(const nn_config *config, nn_tuning *tuning,
                             nn_runs *runs, uint32_t index)
{
    const nn_params *given = given_params(config, index / 2);
    nn_tuned *tuned = &runs->settings[index];
    nn_setting *decay;
    int32_t code;

    if (tuned->settings)
        return NN_OK;
    code = nn_tuned_copy(given, tuning->arena, tuned);
    if (code)
        return code;
    decay = nn_tuned_find(tuned, "decay");
    if ((index & WITHOUT_DECAY) && decay) {
        decay->value.real = 0;
        decay->value.child = NULL;
    }
    /* What a hook may not raise, since biases are not split off. */
    return add_tunables(config, index / 2,
                        (index & WITHOUT_DECAY) || !has_decay(given), tuning,
                        tuned);
}

/* Settings of every parameter that is trained. */
static int32_t choose_settings(const nn_config *config, nn_tuning *tuning,
                               nn_runs *runs, uint8_t *marks)
{
    int32_t code = NN_OK;
    int64_t k;
    uint32_t i;

    runs->settings = nn_arena_alloc(tuning->arena, 2 * config->n_overrides + 2,
                                    sizeof *runs->settings);
    if (!runs->settings)
        return NN_NO_MEMORY;
    for (k = 0; k < config->n_overrides && !code; ++k) {
        memset(marks, 0, runs->n_parameters);
        code = match(runs, config->override_patterns[k], "overrides", marks);
        for (i = 0; i < runs->n_parameters; ++i)
            if (marks[i])
                runs->parameters[i].settings = 2 * (uint32_t)(k + 1);
    }
    for (i = 0; i < runs->n_parameters && !code; ++i) {
        nn_parameter *one = &runs->parameters[i];

        if (one->frozen)
            continue;
        if ((one->tags & NO_DECAY) &&
            has_decay(given_params(config, one->settings / 2)))
            one->settings |= WITHOUT_DECAY;
        code = make_settings(config, tuning, runs, one->settings);
    }
    return code;
}

/* ---- runs -------------------------------------------------------------- */

/* 1 if parameter I goes on with the run of the one before. */
static int goes_on(const nn_network *network, const nn_runs *runs, uint32_t i)
{
    const nn_parameter *a = &runs->parameters[i - 1];
    const nn_parameter *b = &runs->parameters[i];

    return !a->frozen && a->settings == b->settings &&
           (a->root == b->root || !network->layout->redzone);
}

static int32_t make_runs(const nn_network *network, nn_arena *arena,
                         nn_runs *runs)
{
    int64_t bytes = nn_dtype_bytes(network->real);
    uint32_t i;

    runs->items = nn_arena_alloc(arena, runs->n_parameters,
                                 sizeof *runs->items);
    if (!runs->items)
        return NN_NO_MEMORY;
    for (i = 0; i < runs->n_parameters; ++i) {
        const nn_parameter *one = &runs->parameters[i];
        int64_t first = one->parameter.offset / bytes;
        nn_run_of *run;

        if (one->frozen)
            continue;
        if (i == 0 || !goes_on(network, runs, i)) {
            run = &runs->items[runs->count++];
            run->first = first;
            run->settings = one->settings;
        }
        run = &runs->items[runs->count - 1];
        run->count = first + nn_elements(&one->parameter) - run->first;
    }
    return NN_OK;
}

int32_t nn_runs_create(const nn_model *model, nn_tuning *tuning, nn_runs *out)
{
    const nn_network *network = model->network;
    uint8_t *marks;
    int32_t code = list_parameters(network, tuning->arena, out);

    if (code)
        return code;
    if (network->layout->bytes[NN_BLOCK_PARAMETERS] !=
        network->layout->bytes[NN_BLOCK_GRADIENTS])
        return nn_error_set(NN_STATE, "training.no-gradients",
                            "the model was made without gradients: it can not "
                            "be trained");
    marks = nn_arena_alloc(tuning->arena, out->n_parameters, 1);
    if (!marks)
        return NN_NO_MEMORY;
    code = freeze(model->config, out, marks);
    if (!code)
        code = choose_settings(model->config, tuning, out, marks);
    return code ? code : make_runs(network, tuning->arena, out);
}

/* ---- finite ------------------------------------------------------------ */

static int all_finite(const void *values, uint32_t dtype, int64_t count)
{
    const double *wide = values;
    const float *narrow = values;
    int64_t i;

    for (i = 0; i < count; ++i)
        if (!isfinite(dtype == NN_FLOAT64 ? wide[i] : (double)narrow[i]))
            return 0;
    return 1;
}

const char *nn_runs_not_finite(const nn_runs *runs, nn_network *network,
                               int gradients, int32_t *code)
{
    uint32_t i;

    *code = NN_OK;
    for (i = 0; i < runs->n_parameters; ++i) {
        const nn_parameter *one = &runs->parameters[i];
        const nn_array *array = gradients ? &one->gradient : &one->parameter;
        int64_t count = nn_elements(array);
        void *values;
        int good;

        if (gradients && one->frozen)
            continue;
        values = network->interface.map(network->handler, array->memory,
                                        array->offset,
                                        count * nn_dtype_bytes(array->dtype),
                                        NN_MAP_READ);
        if (!values) {
            *code = nn_network_check(network, NULL);
            return NULL;
        }
        good = all_finite(values, array->dtype, count);
        network->interface.unmap(network->handler, array->memory, values,
                                 NN_MAP_READ);
        if (!good)
            return one->name;
    }
    return NULL;
}
