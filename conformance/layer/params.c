/* SPDX-License-Identifier: MIT */
/* params.c - values of parameters that a layer can be checked with.
 *
 * Sizes stay small: an integer without a maximum is tried with its minimum and
 * 1, 2 and 3, and a maximum above 16 is not tried.  What names a file, or a
 * component of a kind other than layer, is left at its default. */
#include "conformance/layer/params.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/layer/cases.h"

#define MAX_ITEMS 256u
#define MAX_PARAMS 32u
#define MAX_VALUES 24u
#define LARGEST 16.0 /* of what a limit is tried at */

/* One value of one parameter. */
typedef struct value {
    const char *text;
    uint32_t kind; /* PARAM_... */
} value;

typedef struct values {
    value items[MAX_VALUES];
    uint32_t count;
} values;

static void offer(values *list, const char *text, uint32_t kind)
{
    uint32_t i;

    for (i = 0; i < list->count; ++i)
        if (!strcmp(list->items[i].text, text))
            return;
    if (list->count < MAX_VALUES) {
        list->items[list->count].text = text;
        list->items[list->count++].kind = kind;
    }
}

static int allows(const nn_param *param, double number)
{
    if (!(param->flags & NN_PARAM_RANGED))
        return 1;
    if (number < param->minimum ||
        (number == param->minimum && param->flags & NN_PARAM_ABOVE_MINIMUM))
        return 0;
    return number < param->maximum ||
           (number == param->maximum &&
            !(param->flags & NN_PARAM_BELOW_MAXIMUM));
}

static void offer_number(trial *trial, const nn_param *param, values *list,
                         double number, uint32_t kind)
{
    if (!allows(param, number) || fabs(number) > LARGEST)
        return;
    if (param->type == NN_PARAM_INT && number != floor(number))
        return;
    offer(list,
          param->type == NN_PARAM_INT
              ? trial_text(trial, "%" PRId64, (int64_t)number)
              : trial_text(trial, "%.17g", number),
          kind);
}

/* Numbers for PARAM: limits, then others, those of the base first. */
static void offer_numbers(trial *trial, const nn_param *param, values *list,
                          uint32_t index)
{
    static const double whole[] = {3, 2, 5, 1, 4, 0};
    static const double real[] = {0.5, 1.5, 0.25, -0.75, 3, 0};
    const double *from = param->type == NN_PARAM_INT ? whole : real;
    uint32_t i;

    for (i = 0; i < 6; ++i)
        offer_number(trial, param, list, from[(i + index) % 3 + i / 3 * 3],
                     PARAM_OTHER);
    if (!(param->flags & NN_PARAM_RANGED))
        return;
    offer_number(trial, param, list, param->minimum, PARAM_LIMIT);
    offer_number(trial, param, list, param->maximum, PARAM_LIMIT);
    for (i = 0; i < list->count; ++i)
        if (!strcmp(list->items[i].text,
                    trial_text(trial, "%.17g", param->minimum)) ||
            !strcmp(list->items[i].text,
                    trial_text(trial, "%.17g", param->maximum)))
            list->items[i].kind = PARAM_LIMIT;
}

static void offer_values(trial *trial, const nn_param *param, values *list,
                         uint32_t index);

/* Lists of one and of two elements, and for maps the same with keys. */
static void offer_lists(trial *trial, const nn_param *param, values *list,
                        uint32_t index)
{
    int map = param->type == NN_PARAM_MAP;
    values one = {0};

    if (!param->element)
        return;
    offer_values(trial, param->element, &one, index);
    if (!one.count)
        return;
    offer(list, trial_text(trial, map ? "{a: %s}" : "[%s]", one.items[0].text),
          PARAM_OTHER);
    offer(list,
          trial_text(trial, map ? "{a: %s, b: %s}" : "[%s, %s]",
                     one.items[0].text, one.items[one.count > 1 ? 1 : 0].text),
          PARAM_OTHER);
}

static void offer_record(trial *trial, const nn_param *param, values *list,
                         uint32_t index)
{
    uint32_t i;

    for (i = 0; param->fields && param->fields[i]; ++i) {
        values field = {0};
        uint32_t k;

        offer_values(trial, param->fields[i], &field, index);
        for (k = 0; k < field.count && k < 2; ++k)
            offer(list,
                  trial_text(trial, "{%s: %s}", param->fields[i]->name,
                             field.items[k].text),
                  PARAM_OTHER);
    }
}

static void offer_values(trial *trial, const nn_param *param, values *list,
                         uint32_t index)
{
    uint32_t i;

    switch (param->type) {
    case NN_PARAM_INT:
    case NN_PARAM_REAL:
        offer_numbers(trial, param, list, index);
        break;
    case NN_PARAM_BOOL:
        offer(list, "true", PARAM_CHOICE);
        offer(list, "false", PARAM_CHOICE);
        break;
    case NN_PARAM_CHOICE:
        for (i = 0; param->choices && param->choices[i]; ++i)
            offer(list, param->choices[i], PARAM_CHOICE);
        break;
    case NN_PARAM_STRING:
        if (param->flags & NN_PARAM_REQUIRED)
            offer(list, PARAMS_OTHER, PARAM_OTHER);
        break;
    case NN_PARAM_SCALAR:
        if (param->flags & NN_PARAM_REQUIRED)
            offer(list, "1", PARAM_OTHER);
        break;
    case NN_PARAM_LIST:
    case NN_PARAM_MAP:
        offer_lists(trial, param, list, index);
        break;
    case NN_PARAM_RECORD:
        offer_record(trial, param, list, index);
        break;
    case NN_PARAM_COMPONENT:
        if (param->kind == NN_KIND_LAYER)
            offer(list, "{activation: tanh}", PARAM_OTHER);
        break;
    case NN_PARAM_NETWORK:
        offer(list,
              "[{fully_connected: {size: 3, activation: tanh, name: a}}, "
              "{activation: {kind: tanh, name: b}}]",
              PARAM_OTHER);
        break;
    default:
        break;
    }
}

/* ---- sets -------------------------------------------------------------- */

/* The text of all VALUES that are not NULL. */
static const char *join(trial *trial, const nn_component *component,
                        const char *const *texts)
{
    const char *text = "";
    uint32_t i;

    for (i = 0; i < component->n_params && i < MAX_PARAMS; ++i)
        if (texts[i])
            text = trial_text(trial, "%s%s%s: %s", text, *text ? ", " : "",
                              component->params[i]->name, texts[i]);
    return text;
}

static void add_item(param_set *set, const char *text, uint32_t kind)
{
    if (set->count == MAX_ITEMS)
        return;
    set->items[set->count].text = text;
    set->items[set->count].kind = kind;
    set->items[set->count].flags = kind == PARAM_LIMIT    ? CASE_LIMIT
                                   : kind == PARAM_CHOICE ? CASE_CHOICE
                                                          : 0;
    ++set->count;
}

/* One value that differs from the base. */
static void add_singles(trial *trial, const nn_component *component,
                        const char **base, const values *lists, param_set *set)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < component->n_params && i < MAX_PARAMS; ++i) {
        const char *before = base[i];

        for (k = 0; k < lists[i].count; ++k) {
            base[i] = lists[i].items[k].text;
            add_item(set, join(trial, component, base), lists[i].items[k].kind);
        }
        base[i] = before;
    }
}

/* Two of them: each value of a parameter with one of every later parameter. */
static void add_pairs(trial *trial, const nn_component *component,
                      const char **base, const values *lists, param_set *set)
{
    uint32_t n = component->n_params < MAX_PARAMS ? component->n_params
                                                  : MAX_PARAMS;
    uint32_t i;
    uint32_t j;
    uint32_t k;

    for (i = 0; i < n; ++i)
        for (j = i + 1; j < n; ++j) {
            const char *first = base[i];
            const char *second = base[j];

            for (k = 0; k < lists[i].count && lists[j].count; ++k) {
                base[i] = lists[i].items[k].text;
                base[j] = lists[j].items[k % lists[j].count].text;
                add_item(set, join(trial, component, base), PARAM_PAIR);
            }
            base[i] = first;
            base[j] = second;
        }
}

const param_set *params_make(trial *trial, const nn_component *component)
{
    param_set *set = trial_alloc(trial, sizeof *set);
    values *lists = trial_alloc(trial, MAX_PARAMS * sizeof *lists);
    const char *base[MAX_PARAMS] = {NULL};
    uint32_t i;

    set->items = trial_alloc(trial, MAX_ITEMS * sizeof *set->items);
    for (i = 0; i < component->n_params && i < MAX_PARAMS; ++i) {
        const nn_param *param = component->params[i];

        offer_values(trial, param, &lists[i], i);
        if (!(param->flags & NN_PARAM_REQUIRED))
            continue;
        if (!lists[i].count) {
            set->missing = param->name;
            return set;
        }
        base[i] = lists[i].items[0].text;
    }
    set->base = join(trial, component, base);
    add_singles(trial, component, base, lists, set);
    add_pairs(trial, component, base, lists, set);
    return set;
}

const char *params_inner(trial *trial, const nn_component *component,
                         const char *text)
{
    size_t length = text ? strlen(text) : 0;
    uint32_t i;

    if (!length || !strcmp(text, "{}"))
        return "";
    if (text[0] == '{' && text[length - 1] == '}')
        return trial_text(trial, "%.*s", (int)(length - 2), text + 1);
    for (i = 0; !strchr(text, ':') && i < component->n_params; ++i)
        if (component->params[i]->flags & NN_PARAM_MAIN)
            return trial_text(trial, "%s: %s", component->params[i]->name,
                              text);
    return text;
}
