/* SPDX-License-Identifier: MIT */
/* texts.c - see texts.h.
 *
 * Numbers stay small: of limits those up to 16 are tried. */
#include "conformance/data/texts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_VALUES 16u
#define MAX_TEXTS 64u
#define LARGEST 16.0

typedef struct values {
    const char *items[MAX_VALUES];
    uint32_t count;
} values;

typedef struct maker {
    trial *t;
    const nn_component *component;
    texts_value value;
    void *self;
} maker;

static void offer(values *list, const char *text)
{
    uint32_t i;

    for (i = 0; i < list->count; ++i)
        if (!strcmp(list->items[i], text))
            return;
    if (list->count < MAX_VALUES)
        list->items[list->count++] = text;
}

static void offer_number(const maker *m, const nn_param *param, double number,
                         values *list)
{
    uint32_t flags = param->flags;

    if (flags & NN_PARAM_RANGED &&
        (number < param->minimum || number > param->maximum ||
         (number == param->minimum && flags & NN_PARAM_ABOVE_MINIMUM) ||
         (number == param->maximum && flags & NN_PARAM_BELOW_MAXIMUM)))
        return;
    if (fabs(number) > LARGEST)
        return;
    if (param->type == NN_PARAM_INT)
        offer(list, trial_text(m->t, "%" PRId64, (int64_t)number));
    else
        offer(list, trial_text(m->t, "%.17g", number));
}

static void offer_numbers(const maker *m, const nn_param *param, values *list)
{
    static const double whole[] = {3, 2, 1, 0};
    static const double real[] = {0.0625, 0.5, 2, 0};
    uint32_t i;

    for (i = 0; i < 4; ++i)
        offer_number(m, param, param->type == NN_PARAM_INT ? whole[i] : real[i],
                     list);
    if (param->flags & NN_PARAM_RANGED) {
        offer_number(m, param, param->minimum, list);
        offer_number(m, param, param->maximum, list);
    }
}

static void offer_values(const maker *m, const nn_param *param, values *list);

static void offer_collection(const maker *m, const nn_param *param,
                             values *list)
{
    values one = {0};
    uint32_t i;

    if (param->element)
        offer_values(m, param->element, &one);
    for (i = 0; i < one.count; ++i)
        offer(list,
              trial_text(m->t, param->type == NN_PARAM_MAP ? "{x: %s}" : "[%s]",
                         one.items[i]));
}

static void offer_record(const maker *m, const nn_param *param, values *list)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; param->fields && param->fields[i]; ++i) {
        values field = {0};

        offer_values(m, param->fields[i], &field);
        for (k = 0; k < field.count && k < 2; ++k)
            offer(list, trial_text(m->t, "{%s: %s}", param->fields[i]->name,
                                   field.items[k]));
    }
}

static void offer_values(const maker *m, const nn_param *param, values *list)
{
    const char *given = m->value ? m->value(m->t, param, m->self) : NULL;
    uint32_t i;

    if (given) {
        offer(list, given);
        return;
    }
    switch (param->type) {
    case NN_PARAM_INT:
    case NN_PARAM_REAL:
        offer_numbers(m, param, list);
        break;
    case NN_PARAM_BOOL:
        offer(list, "true");
        offer(list, "false");
        break;
    case NN_PARAM_CHOICE:
        for (i = 0; param->choices && param->choices[i]; ++i)
            offer(list, param->choices[i]);
        break;
    case NN_PARAM_SCALAR:
        offer(list, "1");
        break;
    case NN_PARAM_LIST:
    case NN_PARAM_MAP:
        offer_collection(m, param, list);
        break;
    case NN_PARAM_RECORD:
        offer_record(m, param, list);
        break;
    default:
        break;
    }
    if (param->flags & NN_PARAM_NULLABLE)
        offer(list, "none");
}

/* The text of CHOSEN, one value a parameter or NULL.  The entries of a REST
 * map stand beside the other parameters. */
static const char *join(const maker *m, const char *const *chosen)
{
    const char *text = "{";
    uint32_t i;

    for (i = 0; i < m->component->n_params; ++i) {
        const nn_param *param = m->component->params[i];
        const char *comma = text[1] ? ", " : "";
        const char *value = chosen[i];

        if (!value)
            continue;
        if (param->flags & NN_PARAM_REST && *value == '{')
            text = trial_text(m->t, "%s%s%.*s", text, comma,
                              (int)strlen(value) - 2, value + 1);
        else
            text = trial_text(m->t, "%s%s%s: %s", text, comma, param->name,
                              value);
    }
    return trial_text(m->t, "%s}", text);
}

static void add(text_set *out, const char *text)
{
    uint32_t i;

    for (i = 0; i < out->count; ++i)
        if (!strcmp(out->items[i], text))
            return;
    if (out->count < MAX_TEXTS)
        out->items[out->count++] = text;
}

static void add_cases(const maker *m, text_set *out)
{
    const nn_component *component = m->component;
    uint32_t i;

    if (!NN_HAS(component, cases) || !component->cases)
        return;
    for (i = 0; component->cases[i]; ++i)
        if (component->cases[i]->params)
            add(out, component->cases[i]->params);
}

static void add_values(const maker *m, const values *lists, const char **chosen,
                       text_set *out)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < m->component->n_params; ++i) {
        const char *before = chosen[i];

        for (k = 0; k < lists[i].count; ++k) {
            chosen[i] = lists[i].items[k];
            add(out, join(m, chosen));
        }
        chosen[i] = before;
    }
}

const text_set *texts_make(trial *t, texts_value value, void *self)
{
    const maker m = {t, t->component->component, value, self};
    uint32_t n = m.component->n_params;
    values *lists = trial_alloc(t, (n + 1) * sizeof *lists);
    const char **chosen = trial_alloc(t, (n + 1) * sizeof *chosen);
    text_set *out = trial_alloc(t, sizeof *out);
    uint32_t i;

    out->items = trial_alloc(t, MAX_TEXTS * sizeof *out->items);
    add_cases(&m, out);
    out->sure = out->count;
    for (i = 0; i < n; ++i) {
        const nn_param *param = m.component->params[i];

        offer_values(&m, param, &lists[i]);
        if (!(param->flags & NN_PARAM_REQUIRED))
            continue;
        if (!lists[i].count) {
            if (!out->count)
                out->missing = trial_text(
                    t,
                    "no value can be made for the parameter '%s': the "
                    "component brings no case",
                    param->name);
            return out;
        }
        chosen[i] = lists[i].items[0];
    }
    add(out, join(&m, chosen));
    if (!out->sure)
        out->sure = 1;
    add_values(&m, lists, chosen, out);
    return out;
}

const char *texts_plain(trial *t, texts_value value, void *self)
{
    const text_set *all = texts_make(t, value, self);

    return all->count ? all->items[0] : NULL;
}

void texts_each(trial *t, const text_set *set, texts_run run)
{
    uint32_t count = t->level >= LEVEL_STANDARD ? set->count : set->sure;
    uint32_t i;

    if (set->missing)
        trial_skip(t, "%s", set->missing);
    for (i = 0; i < count && trial_failures(t) < 4; ++i)
        run(t, set->items[i], i < set->sure);
}
