/* SPDX-License-Identifier: MIT */
/* describe.c - `nn plugins NAME`: the description of a component as text. */
#include <math.h>
#include <string.h>

#include <nn/shape.h>
#include <nn/text.h>

#include "options.h"
#include "plugins.h"
#include "table.h"

/* ---- parameters in words ----------------------------------------------- */

static void add_type(nn_text *text, const nn_param *param)
{
    static const char *const names[] = {"unknown",   "int",     "real",
                                        "bool",      "string",  "choice",
                                        "file",      "list",    "map",
                                        "component", "network", "text",
                                        "record"};
    const char *kind = nn_kind_name(param->kind);

    nn_text_add(text, param->type < sizeof names / sizeof *names
                          ? names[param->type]
                          : names[0]);
    if (param->type == NN_PARAM_COMPONENT && kind) {
        nn_text_add(text, " of kind ");
        nn_text_add(text, kind);
    }
    if (param->element &&
        (param->type == NN_PARAM_LIST || param->type == NN_PARAM_MAP)) {
        nn_text_add(text, " of ");
        add_type(text, param->element);
    }
    if (param->flags & NN_PARAM_NULLABLE)
        nn_text_add(text, " or none");
}

const char *param_type(const nn_param *param, char *buffer, size_t size)
{
    nn_text text = nn_text_in(buffer, size);

    add_type(&text, param);
    return buffer;
}

static void add_limit(nn_text *text, const char *sign, double limit)
{
    if (text->used)
        nn_text_add(text, ", ");
    nn_text_add(text, sign);
    nn_text_add_real(text, limit, 0);
}

static void add_range(nn_text *text, const nn_param *param)
{
    const char *const *choice = param->choices;

    if (param->type == NN_PARAM_CHOICE && choice) {
        nn_text_add(text, "one of ");
        for (; *choice; ++choice) {
            nn_text_add(text, choice == param->choices ? "" : ", ");
            nn_text_add(text, *choice);
        }
    }
    if (!(param->flags & NN_PARAM_RANGED))
        return;
    if (isfinite(param->minimum))
        add_limit(text, param->flags & NN_PARAM_ABOVE_MINIMUM ? "> " : ">= ",
                  param->minimum);
    if (isfinite(param->maximum))
        add_limit(text, param->flags & NN_PARAM_BELOW_MAXIMUM ? "< " : "<= ",
                  param->maximum);
}

const char *param_range(const nn_param *param, char *buffer, size_t size)
{
    nn_text text = nn_text_in(buffer, size);

    add_range(&text, param);
    if (!text.used && param->element)
        add_range(&text, param->element);
    return buffer;
}

/* ---- ports in words ---------------------------------------------------- */

static void add_word(nn_text *text, const char *word)
{
    if (text->used)
        nn_text_add(text, ", ");
    nn_text_add(text, word);
}

const char *port_flags(const nn_port *port, char *buffer, size_t size)
{
    static const char *const names[] = {
        "optional",          "any number", "dense", "in place",
        "may consume delta", "no delta",   "loss",  "weight of the loss"};
    nn_text text = nn_text_in(buffer, size);
    uint32_t i;

    for (i = 0; i < sizeof names / sizeof *names; ++i)
        if (port->flags & (1u << i))
            add_word(&text, names[i]);
    return buffer;
}

const char *port_dtypes(const nn_port *port, char *buffer, size_t size)
{
    nn_text text = nn_text_in(buffer, size);
    uint32_t i;

    for (i = 0; i <= NN_BFLOAT16; ++i)
        if (port->dtypes & (1u << i))
            add_word(&text, nn_dtype_name(i));
    return buffer;
}

/* ---- the page ---------------------------------------------------------- */

/* TEXT, broken and indented; a line that begins with a blank stays as it is. */
static void print_doc(const char *text, int indent)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        if (!length || *text == ' ' || *text == '\t') {
            printf("%*s%.*s\n", length ? indent : 0, "", (int)length, text);
        } else {
            char line[4096];

            snprintf(line, sizeof line, "%.*s", (int)length, text);
            printf("%*s", indent, "");
            print_wrapped(stdout, line, indent, indent);
        }
        text += length + (text[length] == '\n');
    }
}

static void describe_param(const nn_param *param, int indent)
{
    char type[256];
    char range[1024];
    uint32_t i;

    printf("%*s%s: %s", indent, "", param->name,
           param_type(param, type, sizeof type));
    if (param_range(param, range, sizeof range)[0])
        printf(", %s", range);
    if (param->flags & NN_PARAM_REQUIRED)
        printf("; required");
    else if (param->default_text)
        printf("; default %s",
               *param->default_text ? param->default_text : "\"\"");
    else if (param->flags & NN_PARAM_NULLABLE)
        printf("; default none");
    if (param->flags & NN_PARAM_MAIN)
        printf("; the main one");
    if (param->flags & NN_PARAM_TUNABLE)
        printf("; may follow a schedule");
    if (param->flags & NN_PARAM_REST)
        printf("; takes all other keys");
    printf("\n");
    if (param->doc)
        print_doc(param->doc, indent + 4);
    for (i = 0; param->fields && param->fields[i]; ++i)
        describe_param(param->fields[i], indent + 4);
}

static void describe_ports(const char *title, const nn_port *const *ports,
                           uint32_t count)
{
    char flags[256];
    char types[128];
    uint32_t i;

    if (count)
        printf("\n%s:\n", title);
    for (i = 0; i < count; ++i) {
        printf("  %s: %s", ports[i]->name,
               port_dtypes(ports[i], types, sizeof types));
        if (port_flags(ports[i], flags, sizeof flags)[0])
            printf("; %s", flags);
        printf("\n");
        if (ports[i]->doc)
            print_doc(ports[i]->doc, 6);
    }
}

static void describe_plugin(const nn_plugin_component *found)
{
    const nn_plugin *plugin = found->plugin;
    const char *const *one;

    printf("\nPlugin:\n  %s %s (%s)\n", plugin->name, plugin->version,
           plugin->id);
    printf("  file %s\n", found->path);
    printf("  state %s%s%s\n", plugin_state(found->state),
           found->reason ? ": " : "", found->reason ? found->reason : "");
    printf("  built with ABI %u.%u, needs %u.%u\n", NN_ABI_MAJOR,
           plugin->abi_minor, NN_ABI_MAJOR, plugin->min_host_minor);
    if (plugin->license)
        printf("  license %s\n", plugin->license);
    if (plugin->author)
        printf("  author %s\n", plugin->author);
    if (plugin->url)
        printf("  url %s\n", plugin->url);
    for (one = plugin->libraries; one && *one; ++one)
        printf("  uses %s\n", *one);
    for (one = plugin->cpu_features; one && *one; ++one)
        printf("  needs a processor with %s\n", *one);
}

void describe_component(const nn_plugin_component *found)
{
    const nn_component *component = found->component;
    const char *kind = nn_kind_name(component->kind);
    uint32_t i;

    printf("%s %s - %s\n", kind ? kind : "unknown", component->name,
           component->summary ? component->summary : "");
    if (component->doc) {
        printf("\n");
        print_doc(component->doc, 2);
    }
    printf("\nParameters:%s\n", component->n_params ? "" : " none");
    for (i = 0; i < component->n_params; ++i)
        describe_param(component->params[i], 2);
    describe_ports("Inputs", component->inputs, component->n_inputs);
    describe_ports("Outputs", component->outputs, component->n_outputs);
    describe_plugin(found);
}
