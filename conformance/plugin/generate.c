/* SPDX-License-Identifier: MIT */
/* generate.c - see generate.h.
 *
 * Each parameter is left out, or gets a value that its description allows; in
 * every second config one of them is then made wrong: out of its bounds, of
 * another type, or of a name that does not exist. */
#include "conformance/plugin/generate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SMALL 8.0 /* how far a number goes from a limit */
#define DEPTH 3

/* What is being made. */
typedef struct maker {
    trial *t;
    generated *out;
} maker;

static int one_in(trial *t, int n)
{
    return trial_integer(t, 1, n) == 1;
}

/* A number that P allows. */
static double number_for(trial *t, const nn_param *p)
{
    int ranged = (p->flags & NN_PARAM_RANGED) != 0;
    double low = ranged && isfinite(p->minimum) ? p->minimum : -SMALL;
    double high = ranged && isfinite(p->maximum) ? p->maximum : low + 2 * SMALL;
    double number;

    if (high > low + 2 * SMALL)
        high = low + 2 * SMALL;
    number = low + (high - low) * trial_uniform(t);
    if (one_in(t, 4) && !(p->flags & NN_PARAM_ABOVE_MINIMUM))
        number = low;
    if (one_in(t, 4) && !(p->flags & NN_PARAM_BELOW_MAXIMUM))
        number = high;
    if (p->type != NN_PARAM_INT)
        return number > low || !(p->flags & NN_PARAM_ABOVE_MINIMUM)
                   ? number
                   : (low + high) / 2;
    number = floor(number);
    if (number < low || (number == low && p->flags & NN_PARAM_ABOVE_MINIMUM))
        number = floor(low) + 1;
    return number;
}

static const char *number_text(trial *t, const nn_param *p, double number)
{
    return p->type == NN_PARAM_INT ? trial_text(t, "%" PRId64, (int64_t)number)
                                   : trial_text(t, "%.17g", number);
}

static const char *value_for(maker *m, const nn_param *p, int depth);

static const char *list_for(maker *m, const nn_param *p, int depth)
{
    int64_t count = trial_integer(m->t, 0, 3);
    int map = p->type == NN_PARAM_MAP;
    const char *text = "";
    int64_t i;

    if (!p->element || depth > DEPTH) {
        m->out->open = 1;
        return map ? "{}" : "[]";
    }
    m->out->open |= count == 0;
    for (i = 0; i < count; ++i) {
        const char *value = value_for(m, p->element, depth + 1);

        text = map ? trial_text(m->t, "%s%sk%" PRId64 ": %s", text,
                                i ? ", " : "", i, value)
                   : trial_text(m->t, "%s%s%s", text, i ? ", " : "", value);
    }
    return trial_text(m->t, map ? "{%s}" : "[%s]", text);
}

static const char *record_for(maker *m, const nn_param *p, int depth)
{
    const char *text = "";
    uint32_t i;

    for (i = 0; p->fields && p->fields[i] && depth <= DEPTH; ++i)
        if (p->fields[i]->flags & NN_PARAM_REQUIRED || one_in(m->t, 2))
            text = trial_text(m->t, "%s%s%s: %s", text, *text ? ", " : "",
                              p->fields[i]->name,
                              value_for(m, p->fields[i], depth + 1));
    return trial_text(m->t, "{%s}", text);
}

/* A value that P allows; where the description does not say enough, one that
 * may be refused. */
static const char *value_for(maker *m, const nn_param *p, int depth)
{
    static const char *const scalars[] = {"1", "a", "0.5", "true"};
    int64_t count = 0;

    if (p->flags & NN_PARAM_NULLABLE && one_in(m->t, 4))
        return "none";
    switch (p->type) {
    case NN_PARAM_INT:
    case NN_PARAM_REAL:
        return number_text(m->t, p, number_for(m->t, p));
    case NN_PARAM_BOOL:
        return one_in(m->t, 2) ? "true" : "false";
    case NN_PARAM_CHOICE:
        while (p->choices && p->choices[count])
            ++count;
        return count ? p->choices[trial_integer(m->t, 0, count - 1)] : "none";
    case NN_PARAM_LIST:
    case NN_PARAM_MAP:
        return list_for(m, p, depth);
    case NN_PARAM_RECORD:
        return record_for(m, p, depth);
    default:
        m->out->open = 1;
        return scalars[trial_integer(m->t, 0, 3)];
    }
}

/* A value that P does not allow, the reason in *WHY; NULL: none is known. */
static const char *wrong_for(trial *t, const nn_param *p, const char **why)
{
    int numeric = p->type == NN_PARAM_INT || p->type == NN_PARAM_REAL;

    if (numeric && p->flags & NN_PARAM_RANGED && one_in(t, 2)) {
        if (isfinite(p->minimum) && fabs(p->minimum) < 1e15) {
            *why = "below its minimum";
            return number_text(t, p,
                               p->minimum - 1 -
                                   floor(SMALL * trial_uniform(t)));
        }
        if (isfinite(p->maximum) && fabs(p->maximum) < 1e15) {
            *why = "above its maximum";
            return number_text(t, p, p->maximum + 1);
        }
    }
    switch (p->type) {
    case NN_PARAM_INT:
        *why = "no integer";
        return one_in(t, 2) ? "1.5" : "[1, 2]";
    case NN_PARAM_REAL:
        *why = "no number";
        return one_in(t, 2) ? "fast" : "[1, 2]";
    case NN_PARAM_BOOL:
        *why = "neither true nor false";
        return "2.5";
    case NN_PARAM_CHOICE:
        *why = "no choice";
        return "no_such_choice";
    default:
        return NULL;
    }
}

/* Makes one of VALUES wrong, or adds a name. */
static void spoil(maker *m, const nn_component *c, const char **values,
                  const char **more)
{
    uint32_t rest = 0;
    uint32_t i;
    int64_t victim;

    for (i = 0; i < c->n_params; ++i)
        rest |= c->params[i]->flags & NN_PARAM_REST;
    victim = trial_integer(m->t, -1, (int64_t)c->n_params - 1);
    if (victim < 0 && !rest) {
        *more = "no_such_parameter: 1";
        m->out->wrong = "there is no such parameter";
    } else if (victim >= 0) {
        const nn_param *p = c->params[victim];
        const char *why = NULL;
        const char *text;

        if (p->flags & (NN_PARAM_TUNABLE | NN_PARAM_REST))
            return;
        if (p->flags & NN_PARAM_REQUIRED && one_in(m->t, 3)) {
            values[victim] = NULL;
            m->out->wrong = trial_text(m->t, "%s is required", p->name);
            return;
        }
        text = wrong_for(m->t, p, &why);
        if (!text)
            return;
        values[victim] = text;
        m->out->wrong = trial_text(m->t, "%s is %s", p->name, why);
    }
}

/* The text of VALUES, one a parameter or NULL, and of MORE. */
static const char *join(trial *t, const nn_component *c,
                        const char *const *values, const char *more)
{
    const char *text = "";
    uint32_t i;

    for (i = 0; i < c->n_params; ++i) {
        const nn_param *p = c->params[i];
        const char *comma = *text ? ", " : "";

        if (!values[i])
            continue;
        if (!(p->flags & NN_PARAM_REST))
            text = trial_text(t, "%s%s%s: %s", text, comma, p->name, values[i]);
        else if (strlen(values[i]) > 2)
            text = trial_text(t, "%s%s%.*s", text, comma,
                              (int)strlen(values[i]) - 2, values[i] + 1);
    }
    return trial_text(t, "{%s%s%s}", text, *text && *more ? ", " : "", more);
}

const generated *generate_random(trial *t, const nn_component *c)
{
    generated *out = trial_alloc(t, sizeof *out);
    const char **values = trial_alloc(t, (c->n_params + 1) * sizeof *values);
    const char *more = "";
    maker m = {t, out};
    uint32_t i;

    for (i = 0; i < c->n_params; ++i)
        if (c->params[i]->flags & NN_PARAM_REQUIRED || one_in(t, 2))
            values[i] = value_for(&m, c->params[i], 0);
    if (one_in(t, 2))
        spoil(&m, c, values, &more);
    out->text = join(t, c, values, more);
    return out;
}

const char *generate_defaults(trial *t, const nn_component *c)
{
    const char **values = trial_alloc(t, (c->n_params + 1) * sizeof *values);
    generated out = {NULL, NULL, 0};
    maker m = {t, &out};
    uint32_t i;

    for (i = 0; i < c->n_params; ++i) {
        const nn_param *p = c->params[i];

        if (p->flags & NN_PARAM_REST && !(p->flags & NN_PARAM_REQUIRED))
            continue;
        if (p->default_text)
            values[i] = p->default_text;
        else if (p->flags & NN_PARAM_REQUIRED)
            values[i] = value_for(&m, p, 0);
        if (out.open)
            return NULL;
    }
    return join(t, c, values, "");
}
