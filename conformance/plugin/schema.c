/* SPDX-License-Identifier: MIT */
/* schema.c - the description of parameters is kept: by its own defaults, by the
 * host, which refuses what it forbids, and by the component, which works with
 * what it allows or says why not. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/data/stream.h"
#include "conformance/hook/run.h"
#include "conformance/layer/cases.h"
#include "conformance/plugin/checks.h"
#include "conformance/plugin/generate.h"
#include "conformance/plugin/process.h"
#include "conformance/training/stepping.h"

#define CASES 1000

/* ---- schema.defaults ---------------------------------------------------- */

static int is_choice(const nn_param *p, const char *text)
{
    uint32_t i;

    for (i = 0; p->choices && p->choices[i]; ++i)
        if (!strcmp(p->choices[i], text))
            return 1;
    return 0;
}

/* 1 if NUMBER is in the bounds of P. */
static int is_within(const nn_param *p, double number)
{
    if (!(p->flags & NN_PARAM_RANGED))
        return 1;
    return number >= p->minimum && number <= p->maximum &&
           !(number == p->minimum && p->flags & NN_PARAM_ABOVE_MINIMUM) &&
           !(number == p->maximum && p->flags & NN_PARAM_BELOW_MAXIMUM);
}

static void judge_default(trial *t, const nn_param *p)
{
    const char *text = p->default_text;
    const char *where = trial_text(t, "default of parameter %s", p->name);
    char *end = NULL;
    double number;

    trial_tested(t, 1);
    if (p->flags & NN_PARAM_RANGED && !(p->minimum <= p->maximum))
        trial_fail(t, trial_text(t, "bounds of parameter %s", p->name),
                   "minimum <= maximum",
                   trial_text(t, "%g and %g", p->minimum, p->maximum));
    if (!text)
        return;
    if (p->type == NN_PARAM_CHOICE && !is_choice(p, text) &&
        !(p->flags & NN_PARAM_NULLABLE))
        trial_fail(t, where, "one of its choices", trial_text(t, "'%s'", text));
    if (p->type != NN_PARAM_INT && p->type != NN_PARAM_REAL)
        return;
    number = strtod(text, &end);
    if (*text && !*end && !is_within(p, number))
        trial_fail(t, where,
                   trial_text(t, "a number from %g to %g", p->minimum,
                              p->maximum),
                   text);
}

/* The component with its parameters written out as they are by default. */
static void judge_written(trial *t, const nn_component *c)
{
    const char *all = generate_defaults(t, c);
    const char *why = NULL;
    nn_part *part = NULL;

    if (!all)
        return;
    trial_tested(t, 1);
    if (nn_part_create(t->plugins, c->kind,
                       trial_text(t, "{%s: %s}", c->name, all), NULL, &part)) {
        nn_error(NULL, &why);
        trial_fail(t, trial_text(t, "all defaults, %s", all),
                   "what is the default may be written out",
                   why ? why : "it is refused without a message");
    }
    nn_part_destroy(part);
}

static void run_defaults(trial *t)
{
    const nn_component *c = t->component->component;
    uint32_t i;

    trial_tested(t, 1);
    for (i = 0; i < c->n_params; ++i)
        judge_default(t, c->params[i]);
    judge_written(t, c);
    if (c->kind == NN_KIND_LAYER && !trial_failures(t) &&
        !layer_cases_make(t, LEVEL_BASIC)->count)
        trial_note(t, "with what is required and nothing else no inputs of the "
                      "suite's fit: give an example in nn_component.cases");
}

const check schema_defaults = {
    .id = "schema.defaults",
    .kind = KIND_ANY,
    .level = LEVEL_BASIC,
    .what = "defaults are in their own bounds and may be written out",
    .why = "a config that is rendered with all defaults is to be one that can "
           "be read again",
    .run = run_defaults,
};

/* ---- schema.fuzz -------------------------------------------------------- */

/* The library's message, or "". */
static const char *message(void)
{
    const char *text = NULL;

    nn_error(NULL, &text);
    return text ? text : "";
}

static void judge_refusal(trial *t, const char *text, int32_t code,
                          const char *why)
{
    trial_tested(t, 1);
    if (code < NN_NOT_FINITE || code >= 0)
        trial_fail(t, text, "0 or a negative code of base.h",
                   trial_text(t, "%d", code));
    else if (!why || !*why)
        trial_fail(t, text, "a refusal with a message",
                   trial_text(t, "code %d alone", code));
}

/* A layer with PARAMS, set up for the inputs of its first case. */
static void try_layer(trial *t, const layer_case *like, check_host *host,
                      const char *params)
{
    layer_case one = *like;
    const char *why = NULL;
    nn_config *config;

    one.params = trial_text(t, "%.*s", (int)strlen(params) - 2, params + 1);
    check_host_clear(host);
    config = layer_config_for(t, layer_case_text(t, &one, NN_FLOAT64, 0),
                              &host->host, &why);
    trial_tested(t, 1);
    if (!config && (!why || !*why || strstr(why, "and no message")))
        trial_fail(t, params, "a refusal with a message", "none");
    nn_config_destroy(config);
}

static void judge_blocks(trial *t, const char *params, const check_host *host)
{
    trial_tested(t, 1);
    if (host->blocks)
        trial_fail(t, params, "all memory of the host is returned",
                   trial_text(t, "%lld blocks are not",
                              (long long)host->blocks));
}

/* An instance with PARAMS, which its description allows. */
static void try_instance(trial *t, const char *params)
{
    uint32_t kind = t->component->component->kind;
    int32_t code;
    stream s;
    run r;

    if (kind == NN_KIND_ITERATOR) {
        code = stream_try(t, params, NULL, &s);
        if (code)
            judge_refusal(t, params, code, s.message);
        else
            stream_close(&s);
        judge_blocks(t, params, &s.host);
    } else if (kind == NN_KIND_HOOK) {
        code = run_try(t, params, NULL, &r);
        if (code)
            judge_refusal(t, params, code, r.message);
        else
            run_close(&r);
        judge_blocks(t, params, &r.host);
    }
}

/* One random config.  Returns 1 if it was accepted. */
static int try_one(trial *t, const layer_case *like, check_host *host)
{
    const nn_component *c = t->component->component;
    const generated *g = generate_random(t, c);
    nn_part *part = NULL;
    int32_t code = nn_part_create(t->plugins, c->kind,
                                  trial_text(t, "{%s: %s}", c->name, g->text),
                                  &host->host, &part);

    trial_tested(t, 1);
    if (code)
        judge_refusal(t, g->text, code, message());
    if (code && !g->wrong && !g->open)
        trial_fail(t, g->text,
                   "the library accepts what the description "
                   "allows",
                   message());
    if (!code && g->wrong)
        trial_fail(t, g->text,
                   trial_text(t, "the library refuses it: %s", g->wrong),
                   "it is accepted");
    nn_part_destroy(part);
    judge_blocks(t, g->text, host);
    if (code)
        return 0;
    if (c->kind == NN_KIND_LAYER && like)
        try_layer(t, like, host, g->text);
    else
        try_instance(t, g->text);
    judge_blocks(t, g->text, host);
    return 1;
}

/* A case for the inputs of the next one; NULL: there is none. */
static const layer_case *pick(trial *t, const layer_cases *cases)
{
    if (!cases || !cases->count)
        return NULL;
    return &cases->items[trial_integer(t, 0, (int64_t)cases->count - 1)];
}

static void run_fuzz(trial *t)
{
    const nn_component *c = t->component->component;
    const layer_cases *cases = NULL;
    process before;
    check_host host;
    int accepted = 0;
    int i;

    if (check_host_init(t, &host))
        return;
    if (c->kind == NN_KIND_LAYER)
        cases = layer_cases_make(t, LEVEL_BASIC);
    /* The first one opens the file, with the threads of its libraries. */
    try_one(t, NULL, &host);
    before = process_look();
    for (i = 0; i < CASES && trial_failures(t) < 4; ++i)
        accepted += try_one(t, pick(t, cases), &host);
    process_judge(t, trial_text(t, "after %d configs", i), before);
    trial_note(t, "%d of %d random configs were accepted", accepted, i);
}

const check schema_fuzz = {
    .id = "schema.fuzz",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "any config is refused with a message or makes an instance",
    .why = "a wrong config is the most common mistake of all; the message is "
           "all that the user gets",
    .seconds = 60,
    .run = run_fuzz,
};
