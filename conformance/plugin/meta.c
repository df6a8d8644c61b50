/* SPDX-License-Identifier: MIT */
/* meta.c - what a file and its components say of themselves, for people and for
 * configs. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "conformance/layer/cases.h"
#include "conformance/plugin/checks.h"
#include "conformance/plugin/entry.h"
#include "conformance/plugin/utf8.h"

#define WIDEST 72 /* characters of a word of documentation */

/* ---- rules -------------------------------------------------------------- */

/* [a-z][a-z0-9_]* */
static int is_name(const char *text)
{
    if (!text || *text < 'a' || *text > 'z')
        return 0;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* "org.example.square": at least two words of [A-Za-z0-9_-]. */
static int is_reverse_dns(const char *text)
{
    int words = 0;

    while (text) {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

        if (!length)
            return 0;
        ++words;
        text += length;
        if (!*text)
            return words >= 2;
        if (*text++ != '.')
            return 0;
    }
    return 0;
}

/* "1.0", "1.0.2", "1.0.2-rc1+5". */
static int is_version(const char *text)
{
    int numbers = 0;

    for (;;) {
        size_t length = strspn(text, "0123456789");

        if (!length)
            return 0;
        ++numbers;
        text += length;
        if (*text != '.')
            break;
        ++text;
    }
    if (numbers < 2 || numbers > 3)
        return 0;
    if (!*text)
        return 1;
    return (*text == '-' || *text == '+') && text[1] &&
           !text[1 + strspn(text + 1, "abcdefghijklmnopqrstuvwxyz.+-"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")];
}

/* One line without blanks around and without a full stop. */
static int is_line(const char *text)
{
    size_t length = text ? strlen(text) : 0;

    return length && !strchr(text, '\n') && !isspace((unsigned char)*text) &&
           !isspace((unsigned char)text[length - 1]) && text[length - 1] != '.';
}

static int is_empty(const char *text)
{
    return !text || !text[strspn(text, " \n\t")];
}

static void need(trial *t, int good, const char *where, const char *expected,
                 const char *got)
{
    trial_tested(t, 1);
    if (!good)
        trial_fail(t, where, expected,
                   got ? trial_text(t, "'%s'", got) : "nothing");
}

/* ---- meta.plugin -------------------------------------------------------- */

/* Letters of an SPDX expression; a licence that is on no list is a note. */
static void judge_license(trial *t, const char *text)
{
    static const char *const known[] = {"MIT",       "Apache-2.0",  "BSD-",
                                        "GPL-",      "LGPL-",       "AGPL-",
                                        "MPL-",      "ISC",         "Zlib",
                                        "Unlicense", "CC0-1.0",     "BSL-1.0",
                                        "0BSD",      "LicenseRef-", "EPL-",
                                        NULL};
    uint32_t i;

    need(t,
         text && *text &&
             !text[strspn(text, "abcdefghijklmnopqrstuvwxyz.+-() "
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")],
         "nn_plugin_v1.license", "an SPDX expression such as MIT", text);
    for (i = 0; text && known[i]; ++i)
        if (strstr(text, known[i]))
            return;
    if (text)
        trial_note(t, "the licence '%s' is not a usual SPDX identifier", text);
}

static void judge_duplicates(trial *t, const nn_plugin *e)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < e->n_components; ++i)
        for (k = 0; k < i; ++k)
            if (e->components[i]->kind == e->components[k]->kind &&
                !strcmp(e->components[i]->name, e->components[k]->name))
                trial_fail(t,
                           trial_text(t, "component %s",
                                      e->components[i]->name),
                           "one of its kind and name", "two");
}

static void run_plugin(trial *t)
{
    const nn_plugin *e = entry_open(t);

    if (!e)
        return;
    need(t, is_reverse_dns(e->id), "nn_plugin_v1.id",
         "a name in reverse DNS, org.example.square", e->id);
    need(t, !is_empty(e->name), "nn_plugin_v1.name", "a name", e->name);
    need(t, e->version && is_version(e->version), "nn_plugin_v1.version",
         "1.0 or 1.0.2, see semver.org", e->version);
    judge_license(t, e->license);
    need(t, is_line(e->summary), "nn_plugin_v1.summary",
         "one line without a full stop", e->summary);
    need(t, e->n_components > 0, "nn_plugin_v1.n_components",
         "at least one component", NULL);
    judge_duplicates(t, e);
}

const check meta_plugin = {
    .id = "meta.plugin",
    .level = LEVEL_LOAD,
    .what = "the file says who it is: id, version, licence, summary",
    .why = "a config may name the plugin by its id, and people look up the "
           "rest with `nn plugins`",
    .run = run_plugin,
};

/* ---- meta.component ----------------------------------------------------- */

static void judge_param(trial *t, const nn_component *c, uint32_t index)
{
    const nn_param *p = c->params[index];
    const char *where = trial_text(t, "parameter %s",
                                   p->name ? p->name : "without a name");
    uint32_t i;

    need(t, is_name(p->name), where, "a name of a-z, 0-9 and _", p->name);
    need(t, !is_empty(p->doc), trial_text(t, "doc of %s", where),
         "one sentence: meaning and unit", p->doc);
    need(t, !(p->flags & NN_PARAM_REQUIRED && p->default_text),
         trial_text(t, "default of %s", where), "none, since it is required",
         p->default_text);
    for (i = 0; i < index; ++i)
        need(t, !p->name || strcmp(p->name, c->params[i]->name) != 0, where,
             "one of this name", "two");
}

static void judge_ports(trial *t, const char *what, uint32_t count,
                        const nn_port *const *ports)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < count; ++i) {
        const char *where = trial_text(t, "%s %u", what, i);

        need(t, is_name(ports[i]->name), where, "a name of a-z, 0-9 and _",
             ports[i]->name);
        need(t, !is_empty(ports[i]->doc), trial_text(t, "doc of %s", where),
             "what it holds, with its shape", ports[i]->doc);
        need(t, !(ports[i]->flags & NN_PORT_VARIADIC) || i + 1 == count, where,
             "a variadic port is the last one", ports[i]->name);
        for (k = 0; k < i; ++k)
            need(t, strcmp(ports[i]->name, ports[k]->name) != 0, where,
                 "one of this name", "two");
    }
}

static void judge_main_and_rest(trial *t, const nn_component *c)
{
    uint32_t main = 0;
    uint32_t rest = 0;
    uint32_t i;

    for (i = 0; i < c->n_params; ++i) {
        main += (c->params[i]->flags & NN_PARAM_MAIN) != 0;
        rest += (c->params[i]->flags & NN_PARAM_REST) != 0;
    }
    need(t, main <= 1, "NN_PARAM_MAIN", "at most one parameter", "several");
    need(t, rest <= 1, "NN_PARAM_REST", "at most one parameter", "several");
}

/* Equal texts, NULL being equal to NULL. */
static int same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* The description that a scan made in another process, without init, is the
 * one that the instance has after it. */
static void judge_same(trial *t, const nn_component *scanned)
{
    int32_t code = 0;
    nn_part *part = trial_part(t, "", NULL, &code);
    const nn_component *live;
    uint32_t i;

    if (!part)
        return;
    live = nn_part_component(part);
    need(t,
         live->n_params == scanned->n_params &&
             live->n_inputs == scanned->n_inputs &&
             live->n_outputs == scanned->n_outputs &&
             live->flags == scanned->flags && same(live->name, scanned->name) &&
             same(live->summary, scanned->summary) &&
             same(live->doc, scanned->doc),
         "the description after init", "the one before it", "another one");
    for (i = 0; i < live->n_params && i < scanned->n_params; ++i) {
        const nn_param *a = live->params[i];
        const nn_param *b = scanned->params[i];

        need(t,
             a->type == b->type && a->flags == b->flags &&
                 same(a->name, b->name) &&
                 same(a->default_text, b->default_text) && same(a->doc, b->doc),
             trial_text(t, "parameter %s after init", b->name), "as before it",
             "another one");
    }
}

static void run_component(trial *t)
{
    const nn_component *c = t->component->component;
    uint32_t i;

    need(t, is_name(c->name), "name", "a name of a-z, 0-9 and _", c->name);
    need(t, is_line(c->summary), "summary", "one line without a full stop",
         c->summary);
    need(t, !is_empty(c->doc), "doc",
         "formulas with every letter defined, or "
         "what it does",
         c->doc);
    for (i = 0; i < c->n_params; ++i)
        judge_param(t, c, i);
    judge_main_and_rest(t, c);
    judge_ports(t, "input", c->n_inputs, c->inputs);
    judge_ports(t, "output", c->n_outputs, c->outputs);
    judge_same(t, c);
}

const check meta_component = {
    .id = "meta.component",
    .kind = KIND_ANY,
    .level = LEVEL_LOAD,
    .what = "the component, its parameters and ports have names and texts",
    .why = "help, error messages and the manual are made of them; nothing "
           "else tells a user what a parameter means",
    .run = run_component,
};

/* ---- meta.doc ----------------------------------------------------------- */

/* Nothing but printable text, in lines that fit a terminal. */
static void judge_text(trial *t, const char *where, const char *text)
{
    int width = 0;

    trial_tested(t, 1);
    if (!text)
        return;
    if (!utf8_is_valid(text)) {
        trial_fail(t, where, "UTF-8", "other bytes");
        return;
    }
    for (; *text; ++text) {
        unsigned char c = (unsigned char)*text;

        /* The program breaks lines at blanks. */
        width = c == '\n' || c == ' ' ? 0 : width + ((c & 0xC0) != 0x80);
        if ((c < ' ' && c != '\n') || c == 0x7F) {
            trial_fail(t, where, "printable text", trial_text(t, "byte %u", c));
            return;
        }
        if (width > WIDEST) {
            trial_fail(t, where, "words that fit a line",
                       trial_text(t, "more than %d characters", WIDEST));
            return;
        }
    }
}

static void judge_texts(trial *t, const nn_component *c)
{
    uint32_t i;

    judge_text(t, "summary", c->summary);
    judge_text(t, "doc", c->doc);
    for (i = 0; i < c->n_params; ++i)
        judge_text(t, trial_text(t, "doc of parameter %s", c->params[i]->name),
                   c->params[i]->doc);
    for (i = 0; i < c->n_inputs; ++i)
        judge_text(t, trial_text(t, "doc of input %s", c->inputs[i]->name),
                   c->inputs[i]->doc);
    for (i = 0; i < c->n_outputs; ++i)
        judge_text(t, trial_text(t, "doc of output %s", c->outputs[i]->name),
                   c->outputs[i]->doc);
}

/* The example PARAMS alone, as a config would write it. */
static void judge_example(trial *t, const nn_component *c, const char *params)
{
    const char *text = trial_text(t, "{%s: %s}", c->name, params);
    const char *why = NULL;
    nn_part *part = NULL;

    trial_tested(t, 1);
    if (nn_part_create(t->plugins, c->kind, text, NULL, &part)) {
        nn_error(NULL, &why);
        trial_fail(t, trial_text(t, "example %s", text), "it is accepted",
                   why ? why : "it is not, without a message");
    }
    nn_part_destroy(part);
}

static void judge_layer_examples(trial *t, uint32_t examples)
{
    const layer_cases *cases = layer_cases_make(t, LEVEL_BASIC);
    uint32_t accepted = 0;
    uint32_t i;

    for (i = 0; i < cases->count; ++i)
        accepted += (cases->items[i].flags & CASE_AUTHOR) != 0;
    if (!accepted)
        trial_fail(t, trial_text(t, "%u examples", examples),
                   "the layer sets up as they say",
                   cases->refusal ? cases->refusal : "it does not");
}

static void run_doc(trial *t)
{
    const nn_component *c = t->component->component;
    uint32_t i;

    judge_texts(t, c);
    if (!NN_HAS(c, cases) || !c->cases)
        return;
    for (i = 0; c->cases[i]; ++i)
        if (c->cases[i]->params)
            judge_example(t, c, c->cases[i]->params);
    if (i && c->kind == NN_KIND_LAYER && !trial_failures(t))
        judge_layer_examples(t, i);
}

const check meta_doc = {
    .id = "meta.doc",
    .kind = KIND_ANY,
    .level = LEVEL_BASIC,
    .what = "its help can be printed, and its examples work",
    .why = "`nn plugins NAME` shows them as they are; an example that is "
           "refused is worse than none",
    .run = run_doc,
};
