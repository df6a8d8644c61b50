/* SPDX-License-Identifier: MIT */
/* cases.c - the cases of a layer, in the order in which they are tried.
 *
 * First the component's own, then defaults, then each choice of each
 * enumeration, so that these are checked at every level; then other shapes,
 * limits and other values of parameters, and pairs of them.  Which further
 * inputs fit the first one is found by trying: the same shape, its rows (a last
 * axis of 1), one number a sample; what fitted last is tried first. */
#include "conformance/layer/cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/layer/params.h"

#define MAX_CASES 160u
#define MAX_TRIES 700u

static const char *const shapes[] = {"5", "3, 4", "3, 2, 5", "2, 3, 2, 3",
                                     "1", "7, 5", "13",      "5, 5, 2"};

/* Ways to choose a further input, by port content. */
enum way { ABSENT, SAME, ROWS, ONE, SAME_MORE, ROWS_INTEGER, WAYS };

/* What a search has found so far. */
typedef struct search {
    trial *trial;
    const nn_component *component;
    layer_cases *cases;
    uint32_t wanted; /* cases, then it ends */
    uint32_t tries;
    enum way last[CASE_INPUTS]; /* what was accepted last */
} search;

/* ---- text -------------------------------------------------------------- */

static const char *dtype_text(uint32_t dtype)
{
    return dtype == NN_INT32 ? "int32" : dtype == NN_UINT8 ? "uint8" : "real";
}

/* SHAPE with its last axis replaced by COLUMNS; 0: LAST + MORE. */
static const char *reshape(trial *trial, const char *shape, int64_t columns,
                           int64_t more)
{
    const char *comma = strrchr(shape, ',');
    long long last = 0;

    sscanf(comma ? comma + 1 : shape, "%lld", &last);
    if (!columns)
        columns = last + more;
    return comma ? trial_text(trial, "%.*s, %" PRId64, (int)(comma - shape),
                              shape, columns)
                 : trial_text(trial, "%" PRId64, columns);
}

/* The last axis of SHAPE. */
static const char *columns_of(const char *shape)
{
    const char *comma = strrchr(shape, ',');

    return comma ? comma + 2 : shape;
}

static int can_slice(const case_input *input)
{
    return input->dtype == NN_REAL && *input->shape &&
           !strchr(input->shape, ',');
}

static const char *inputs_text(trial *trial, const layer_case *one, int sliced)
{
    const char *text = "";
    uint32_t i;

    for (i = 0; i < one->n_inputs; ++i) {
        const case_input *input = &one->inputs[i];
        const char *shape = input->shape;

        if (!*shape)
            continue;
        if (sliced && can_slice(input))
            shape = reshape(trial, shape, 0, 5);
        text = trial_text(trial, "%s  in_%u: {shape: [%s], dtype: %s}\n", text,
                          (unsigned)i, shape, dtype_text(input->dtype));
    }
    return *text ? text : "  in_0: [1]\n";
}

/* What reads input INDEX reads this. */
static const char *source_text(trial *trial, const layer_case *one,
                               uint32_t index, int sliced)
{
    const case_input *input = &one->inputs[index];

    if (!*input->shape)
        return "none";
    if (sliced && can_slice(input))
        return trial_text(trial, "\"in_%u[2:%s]\"", (unsigned)index,
                          reshape(trial, input->shape, 0, 2));
    return trial_text(trial, "in_%u", (unsigned)index);
}

static const char *from_text(trial *trial, const layer_case *one, int sliced)
{
    const char *text = "";
    uint32_t i;

    for (i = 0; i < one->n_inputs; ++i)
        text = trial_text(trial, "%s%s%s", text, i ? ", " : "",
                          source_text(trial, one, i, sliced));
    return text;
}

/* Layers behind the subject that read its real inputs. */
static const char *readers_text(trial *trial, const layer_case *one)
{
    const char *text = "";
    uint32_t i;

    for (i = 0; i < one->n_inputs; ++i)
        if (one->inputs[i].dtype == NN_REAL && *one->inputs[i].shape)
            text = trial_text(trial,
                              "%s  - activation: {name: reader_%u, "
                              "from: in_%u, kind: linear}\n",
                              text, (unsigned)i, (unsigned)i);
    return text;
}

const char *layer_case_text(trial *trial, const layer_case *one, uint32_t real,
                            int flags)
{
    const nn_plugin_component *c = trial->component;
    int sliced = flags & TEXT_SLICED;
    const char *other = "";

    if (strstr(one->params, PARAMS_OTHER) && one->n_inputs)
        other = trial_text(trial,
                           "  - fully_connected: {name: " PARAMS_OTHER
                           ", from: %s, size: %s}\n",
                           source_text(trial, one, 0, sliced),
                           columns_of(one->inputs[0].shape));
    return trial_text(trial,
                      "nervenet: 1\nhandler: reference\ndtype: %s\n"
                      "inputs:\n%snetwork:\n%s  - \"%s:%s\": {name: subject, "
                      "from: [%s]%s%s}\n%s",
                      real == NN_FLOAT32 ? "float32" : "float64",
                      inputs_text(trial, one, sliced), other, c->plugin->id,
                      c->component->name, from_text(trial, one, sliced),
                      *one->params ? ", " : "", one->params,
                      flags & TEXT_SHARED ? readers_text(trial, one) : "");
}

nn_config *layer_config_for(trial *trial, const char *text, const nn_host *host,
                            const char **why)
{
    nn_config_options options;
    nn_config *config = NULL;
    const char *message = NULL;
    int32_t code;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.plugins = &trial->path;
    options.n_plugins = 1;
    options.host = host;
    code = nn_config_parse(text, "case", &options, &config);
    if (!code)
        return config;
    if (config)
        message = nn_config_messages(config);
    if (!message || !*message)
        nn_error(NULL, &message);
    if (why)
        *why = trial_text(trial, "%s", message ? message : "no message");
    nn_config_destroy(config);
    return NULL;
}

static const char *label_of(trial *trial, const layer_case *one)
{
    const char *text = trial_text(trial, "{%s}", one->params);
    uint32_t i;

    for (i = 0; i < one->n_inputs; ++i) {
        const case_input *input = &one->inputs[i];

        text = trial_text(trial, "%s%s ", text, i ? "," : " of");
        if (!*input->shape)
            text = trial_text(trial, "%snone", text);
        else if (input->dtype == NN_REAL)
            text = trial_text(trial, "%s(T, B, %s)", text, input->shape);
        else
            text = trial_text(trial, "%s(T, B, %s) %s", text, input->shape,
                              dtype_text(input->dtype));
    }
    return text;
}

/* ---- trying ------------------------------------------------------------ */

static int is_known(const search *s, const layer_case *one)
{
    uint32_t k;
    uint32_t i;

    for (k = 0; k < s->cases->count; ++k) {
        const layer_case *other = &s->cases->items[k];
        int same = other->n_inputs == one->n_inputs &&
                   !strcmp(other->params, one->params);

        for (i = 0; same && i < one->n_inputs; ++i)
            same = !strcmp(other->inputs[i].shape, one->inputs[i].shape) &&
                   other->inputs[i].dtype == one->inputs[i].dtype;
        if (same)
            return 1;
    }
    return 0;
}

static int is_full(const search *s)
{
    return s->cases->count == s->wanted || s->tries == MAX_TRIES;
}

/* Makes ONE a case if it is accepted; 1 if it is, or was before. */
static int try_case(search *s, const layer_case *one)
{
    static const int64_t sizes[][2] = {{2, 3}, {3, 2}, {1, 4},
                                       {4, 1}, {2, 2}, {5, 2}};
    const char *why = NULL;
    layer_case *slot = &s->cases->items[s->cases->count];
    nn_config *config;

    if (is_known(s, one))
        return 1;
    if (is_full(s))
        return 0;
    ++s->tries;
    config = layer_config_for(s->trial,
                              layer_case_text(s->trial, one, NN_FLOAT64, 0),
                              NULL, &why);
    if (!config) {
        if (!s->cases->refused++)
            s->cases->refusal = why;
        return 0;
    }
    nn_config_destroy(config);
    *slot = *one;
    slot->T = sizes[s->cases->count % 6][0];
    slot->B = sizes[s->cases->count % 6][1];
    slot->label = label_of(s->trial, slot);
    ++s->cases->count;
    return 1;
}

/* The input that WAY makes for PORT beside FIRST; 0: it makes none. */
static int make_input(trial *trial, const nn_port *port, uint32_t number,
                      enum way way, const char *first, case_input *input)
{
    int real = (port->dtypes >> NN_REAL & 1) != 0;
    uint32_t whole = port->dtypes >> NN_INT32 & 1   ? NN_INT32
                     : port->dtypes >> NN_UINT8 & 1 ? NN_UINT8
                                                    : NN_REAL;

    input->content = port->content;
    input->dtype = real ? NN_REAL : whole;
    input->shape = first;
    switch (way) {
    case ABSENT:
        input->shape = "";
        return (port->flags & NN_PORT_OPTIONAL) != 0;
    case ROWS:
        input->shape = reshape(trial, first, 1, 0);
        return 1;
    case ONE:
        input->shape = "1";
        return strchr(first, ',') != NULL;
    case SAME_MORE:
        input->shape = reshape(trial, first, 0, number);
        return (port->flags & NN_PORT_VARIADIC) != 0;
    case ROWS_INTEGER:
        input->shape = reshape(trial, first, 1, 0);
        input->dtype = whole;
        return whole != NN_REAL;
    default:
        return 1;
    }
}

/* The order in which ways are tried for PORT. */
static const enum way *ways_of(const nn_port *port)
{
    static const enum way any[] = {SAME, SAME_MORE,    ROWS,
                                   ONE,  ROWS_INTEGER, WAYS};
    static const enum way labels[] = {ROWS_INTEGER, SAME, ROWS, ONE, WAYS};
    static const enum way mask[] = {ROWS, ONE, SAME, ROWS_INTEGER, WAYS};
    static const enum way variadic[] = {SAME_MORE, SAME, WAYS};

    if (port->flags & NN_PORT_VARIADIC)
        return variadic;
    if (port->content == NN_CONTENT_LABELS)
        return labels;
    return port->content == NN_CONTENT_MASK ? mask : any;
}

static const nn_port *port_of(const search *s, uint32_t input)
{
    uint32_t n = s->component->n_inputs;

    return s->component->inputs[input < n ? input : n - 1];
}

/* Sets input INDEX and those after it in each way until one is accepted;
 * FORCED[i] is WAYS, or the way that must be taken. */
static int complete(search *s, layer_case *one, uint32_t index,
                    const enum way *forced)
{
    const enum way *ways;
    const nn_port *port;
    uint32_t k;

    if (index == one->n_inputs)
        return try_case(s, one);
    port = port_of(s, index);
    one->inputs[index].port = index < s->component->n_inputs
                                  ? index
                                  : s->component->n_inputs - 1;
    ways = ways_of(port);
    for (k = 0; forced[index] == WAYS && s->last[index] && k < 1; ++k)
        if (make_input(s->trial, port, index, s->last[index],
                       one->inputs[0].shape, &one->inputs[index]) &&
            complete(s, one, index + 1, forced))
            return 1;
    for (k = 0; ways[k] != WAYS; ++k) {
        enum way way = forced[index] == WAYS ? ways[k] : forced[index];

        if (way != s->last[index] || forced[index] != WAYS)
            if (make_input(s->trial, port, index, way, one->inputs[0].shape,
                           &one->inputs[index]) &&
                complete(s, one, index + 1, forced)) {
                s->last[index] = way ? way : s->last[index];
                return 1;
            }
        if (forced[index] != WAYS)
            return 0;
    }
    return 0;
}

/* A case of PARAMS with first input SHAPE and N further inputs in all, if there
 * is one. */
static int add(search *s, const char *params, const char *shape, uint32_t n,
               const enum way *forced, uint32_t flags)
{
    layer_case one;

    memset(&one, 0, sizeof one);
    one.params = params;
    one.flags = flags;
    one.n_inputs = n;
    if (n) {
        make_input(s->trial, port_of(s, 0), 0, SAME, shape, &one.inputs[0]);
        return complete(s, &one, 1, forced);
    }
    return try_case(s, &one);
}

static void force_all(const search *s, enum way *forced, int present)
{
    uint32_t i;

    for (i = 0; i < CASE_INPUTS; ++i) {
        int optional = i < s->component->n_inputs &&
                       (s->component->inputs[i]->flags & NN_PORT_OPTIONAL);

        forced[i] = optional && !present ? ABSENT : WAYS;
    }
}

static uint32_t count_inputs(const search *s)
{
    return s->component->n_inputs < CASE_INPUTS ? s->component->n_inputs
                                                : CASE_INPUTS;
}

static int add_plain(search *s, const char *params, const char *shape,
                     uint32_t flags)
{
    enum way forced[CASE_INPUTS];

    force_all(s, forced, 0);
    return add(s, params, shape, count_inputs(s), forced, flags);
}

static int add_full(search *s, const char *params, const char *shape,
                    uint32_t flags)
{
    enum way forced[CASE_INPUTS];

    force_all(s, forced, 1);
    return add(s, params, shape, count_inputs(s), forced, flags);
}

/* Every way for every further input, the others as they fit. */
static void add_ways(search *s, const char *params, const char *shape)
{
    enum way forced[CASE_INPUTS];
    uint32_t n = count_inputs(s);
    uint32_t i;
    uint32_t k;

    for (i = 1; i < n; ++i)
        for (k = 0; ways_of(port_of(s, i))[k] != WAYS; ++k) {
            force_all(s, forced, 0);
            forced[i] = ways_of(port_of(s, i))[k];
            add(s, params, shape, n, forced, 0);
        }
    if (!n || !(port_of(s, n - 1)->flags & NN_PORT_VARIADIC))
        return;
    for (k = n + 1; k <= n + 2 && k <= CASE_INPUTS; ++k) {
        force_all(s, forced, 0);
        add(s, params, shape, k, forced, 0);
        force_all(s, forced, 1);
        add(s, params, shape, k, forced, 0);
    }
}

/* ---- the order --------------------------------------------------------- */

static void add_authors(search *s)
{
    const nn_component *component = s->component;
    const nn_case *const *own;

    if (!NN_HAS(component, cases) || !component->cases)
        return;
    for (own = component->cases; *own; ++own) {
        const char *params = params_inner(s->trial, component, (*own)->params);
        layer_case one;
        uint32_t i;

        if (!(*own)->inputs) {
            add_plain(s, params, shapes[0], CASE_AUTHOR);
            add_plain(s, params, shapes[1], CASE_AUTHOR);
            add_plain(s, params, shapes[2], CASE_AUTHOR);
            continue;
        }
        memset(&one, 0, sizeof one);
        one.params = params;
        one.flags = CASE_AUTHOR;
        for (i = 0; (*own)->inputs[i] && i < CASE_INPUTS; ++i) {
            make_input(s->trial, port_of(s, i), i, SAME, (*own)->inputs[i],
                       &one.inputs[i]);
            one.inputs[i].port = i < component->n_inputs
                                     ? i
                                     : component->n_inputs - 1;
            if (one.inputs[i].content == NN_CONTENT_LABELS &&
                port_of(s, i)->dtypes >> NN_INT32 & 1)
                one.inputs[i].dtype = NN_INT32;
        }
        one.n_inputs = i;
        try_case(s, &one);
    }
}

/* The first shape that PARAMS accept, in FOUND. */
static int add_first(search *s, const char *params, uint32_t flags,
                     const char **found)
{
    uint32_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; ++i)
        if (add_plain(s, params, shapes[i], flags) ||
            add_full(s, params, shapes[i], flags)) {
            *found = shapes[i];
            return 1;
        }
    return 0;
}

static void add_choices(search *s, const param_set *set, uint32_t kinds,
                        uint32_t flags, const char *shape)
{
    uint32_t i;

    for (i = 0; i < set->count; ++i)
        if (set->items[i].kind & kinds)
            if (!add_plain(s, set->items[i].text, shape,
                           flags | set->items[i].flags))
                add_full(s, set->items[i].text, shape,
                         flags | set->items[i].flags);
}

static void fill_cases(search *s)
{
    const param_set *set = params_make(s->trial, s->component);
    const char *first = shapes[0];
    uint32_t i;

    if (!set->base) {
        s->cases->refusal = trial_text(
            s->trial, "no value of '%s' can be made from its description",
            set->missing);
        return;
    }
    add_first(s, set->base, 0, &first);
    add_full(s, set->base, first, 0);
    add_choices(s, set, PARAM_CHOICE, CASE_CHOICE, first);
    for (i = 1; i < 4; ++i)
        add_full(s, set->base, shapes[i], 0);
    add_ways(s, set->base, first);
    add_choices(s, set, PARAM_LIMIT | PARAM_OTHER, 0, first);
    for (i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        add_plain(s, set->base, shapes[i], 0);
        add_full(s, set->base, shapes[i], 0);
    }
    add_ways(s, set->base, shapes[2]);
    add_choices(s, set, PARAM_PAIR, 0, first);
    add_choices(s, set, PARAM_CHOICE | PARAM_LIMIT | PARAM_OTHER, 0, shapes[2]);
}

const layer_cases *layer_cases_or_skip(trial *trial)
{
    const layer_cases *cases = layer_cases_make(trial, trial->level);

    if (cases->count)
        return cases;
    if (trial->component->component->flags & NN_LAYER_INPUT)
        trial_skip(trial, "its outputs are the network's inputs: there is "
                          "nothing to compute");
    else
        trial_skip(trial,
                   "no configuration made from the description is accepted; "
                   "give examples in nn_component.cases: %s",
                   cases->refusal ? cases->refusal : "none was found");
    return cases;
}

const layer_cases *layer_cases_make(trial *trial, enum level level)
{
    static const uint32_t wanted[] = {12, 12, 30, MAX_CASES, MAX_CASES};
    layer_cases *cases = trial_alloc(trial, sizeof *cases);
    search s;

    memset(&s, 0, sizeof s);
    s.trial = trial;
    s.component = trial->component->component;
    s.cases = cases;
    s.wanted = wanted[level <= LEVEL_SOAK ? level : LEVEL_SOAK];
    cases->items = trial_alloc(trial, MAX_CASES * sizeof *cases->items);
    if (s.component->flags & NN_LAYER_INPUT)
        return cases;
    add_authors(&s);
    fill_cases(&s);
    return cases;
}
