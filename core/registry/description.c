/* SPDX-License-Identifier: MIT */
/* description.c - see description.h.
 *
 * Every struct is an array of its members in the order of the SDK's headers,
 * lists are arrays, what is NULL is nil.  Reading builds the structs as a
 * plugin would hold them and then has them judged like a plugin's, so that
 * bytes from a broken file are never believed more than a plugin is. */
#include "core/registry/description.h"

#include <string.h>

#include "core/util/pack.h"

/* Members of the arrays. */
#define PLUGIN_MEMBERS 14
#define COMPONENT_MEMBERS 10
#define PARAM_MEMBERS 11
#define PORT_MEMBERS 5
#define CASE_MEMBERS 2

/* Arrays within each other: plugin, components, component, params, param, and
 * then element or fields and their params, each. */
#define DEPTH (8 + 2 * NN_ENTRY_DEPTH)

/* ---- packing ------------------------------------------------------------ */

static void pack_texts(nn_text *out, const char *const *list)
{
    uint32_t count = 0;

    while (list && list[count])
        ++count;
    nn_pack_array(out, count);
    for (; count; --count)
        nn_pack_text(out, *list++);
}

static void pack_params(nn_text *out, const nn_param *const *list,
                        uint32_t count);

static void pack_param(nn_text *out, const nn_param *param)
{
    uint32_t n_fields = 0;

    nn_pack_array(out, PARAM_MEMBERS);
    nn_pack_uint(out, param->type);
    nn_pack_uint(out, param->flags);
    nn_pack_uint(out, param->kind);
    nn_pack_text(out, param->name);
    nn_pack_text(out, param->doc);
    nn_pack_text(out, param->default_text);
    nn_pack_real(out, param->minimum);
    nn_pack_real(out, param->maximum);
    pack_texts(out, param->type == NN_PARAM_CHOICE ? param->choices : NULL);
    if (param->type == NN_PARAM_LIST || param->type == NN_PARAM_MAP)
        pack_param(out, param->element);
    else
        nn_pack_nil(out);
    while (param->type == NN_PARAM_RECORD && param->fields[n_fields])
        ++n_fields;
    pack_params(out, param->fields, n_fields);
}

static void pack_params(nn_text *out, const nn_param *const *list,
                        uint32_t count)
{
    uint32_t i;

    nn_pack_array(out, count);
    for (i = 0; i < count; ++i)
        pack_param(out, list[i]);
}

static void pack_ports(nn_text *out, const nn_port *const *list, uint32_t count)
{
    uint32_t i;

    nn_pack_array(out, count);
    for (i = 0; i < count; ++i) {
        nn_pack_array(out, PORT_MEMBERS);
        nn_pack_uint(out, list[i]->flags);
        nn_pack_uint(out, list[i]->dtypes);
        nn_pack_uint(out, list[i]->content);
        nn_pack_text(out, list[i]->name);
        nn_pack_text(out, list[i]->doc);
    }
}

static void pack_cases(nn_text *out, const nn_case *const *list)
{
    uint32_t count = 0;
    uint32_t i;

    while (list[count])
        ++count;
    nn_pack_array(out, count);
    for (i = 0; i < count; ++i) {
        nn_pack_array(out, CASE_MEMBERS);
        nn_pack_text(out, list[i]->params);
        pack_texts(out, list[i]->inputs);
    }
}

static void pack_component(nn_text *out, const nn_component *component,
                           const char *reason)
{
    nn_pack_array(out, COMPONENT_MEMBERS);
    nn_pack_uint(out, component->kind);
    nn_pack_uint(out, component->flags);
    nn_pack_text(out, component->name);
    nn_pack_text(out, component->summary);
    nn_pack_text(out, component->doc);
    pack_params(out, component->params, component->n_params);
    pack_ports(out, component->inputs, component->n_inputs);
    pack_ports(out, component->outputs, component->n_outputs);
    pack_cases(out, component->cases);
    nn_pack_text(out, reason);
}

void nn_description_pack(const nn_plugin_data *entry, nn_text *out)
{
    const nn_plugin *plugin = &entry->plugin;
    uint32_t i;

    nn_pack_array(out, PLUGIN_MEMBERS);
    nn_pack_uint(out, plugin->abi_minor);
    nn_pack_uint(out, plugin->min_host_minor);
    nn_pack_uint(out, plugin->flags);
    nn_pack_text(out, plugin->id);
    nn_pack_text(out, plugin->name);
    nn_pack_text(out, plugin->version);
    nn_pack_text(out, plugin->license);
    nn_pack_text(out, plugin->author);
    nn_pack_text(out, plugin->summary);
    nn_pack_text(out, plugin->url);
    pack_texts(out, plugin->libraries);
    pack_texts(out, plugin->cpu_features);
    nn_pack_bool(out, (int32_t)entry->has_init);
    nn_pack_array(out, plugin->n_components);
    for (i = 0; i < plugin->n_components; ++i)
        pack_component(out, plugin->components[i], entry->reasons[i]);
}

/* ---- unpacking ---------------------------------------------------------- */

/* What is read, and where to; memory that is exhausted is a problem of it. */
typedef struct reader {
    nn_unpack in;
    nn_arena *arena;
    int32_t code; /* NN_NO_MEMORY if that was the problem */
} reader;

/* Room for COUNT elements; NULL after any problem. */
static void *room(reader *r, uint32_t count, size_t size)
{
    void *memory = NULL;

    if (!r->in.problem) {
        memory = nn_arena_alloc(r->arena, count, (int64_t)size);
        if (!memory) {
            nn_unpack_fail(&r->in, "memory is exhausted");
            r->code = NN_NO_MEMORY;
        }
    }
    return memory;
}

static uint32_t read_number(reader *r)
{
    return (uint32_t)nn_unpack_uint(&r->in, UINT32_MAX);
}

/* NULL for nil. */
static const char *read_text(reader *r)
{
    const char *text;
    char *copy;
    size_t length;

    if (nn_unpack_nil(&r->in))
        return NULL;
    text = nn_unpack_text(&r->in, &length);
    copy = room(r, (uint32_t)length + 1, 1);
    if (!copy || !text)
        return NULL;
    memcpy(copy, text, length);
    return copy;
}

/* Enters a struct that has COUNT members or more; the rest of a longer one is
 * an error, since the format is of one version. */
static void enter_struct(reader *r, uint32_t count)
{
    if (nn_unpack_array(&r->in, count) != count)
        nn_unpack_fail(&r->in, "it has a list of the wrong length");
}

static const char *const *read_texts(reader *r)
{
    uint32_t count = nn_unpack_array(&r->in, NN_ENTRY_ITEMS);
    const char **list = room(r, count + 1, sizeof *list);
    uint32_t i;

    for (i = 0; list && i < count; ++i) {
        list[i] = read_text(r);
        if (!list[i])
            nn_unpack_fail(&r->in, "it has a list with a hole");
    }
    nn_unpack_leave(&r->in);
    return list;
}

static const nn_param *const *read_params(reader *r, uint32_t *count);

static const nn_param *read_param(reader *r)
{
    nn_param *param = room(r, 1, sizeof *param);
    uint32_t n_fields;

    enter_struct(r, PARAM_MEMBERS);
    if (!param || r->in.problem)
        return NULL;
    param->size = NN_SIZEOF(nn_param, fields);
    param->type = read_number(r);
    param->flags = read_number(r);
    param->kind = read_number(r);
    param->name = read_text(r);
    param->doc = read_text(r);
    param->default_text = read_text(r);
    param->minimum = nn_unpack_real(&r->in);
    param->maximum = nn_unpack_real(&r->in);
    param->choices = read_texts(r);
    if (!nn_unpack_nil(&r->in))
        param->element = read_param(r);
    param->fields = read_params(r, &n_fields);
    nn_unpack_leave(&r->in);
    return param;
}

static const nn_param *const *read_params(reader *r, uint32_t *count)
{
    uint32_t n = nn_unpack_array(&r->in, NN_ENTRY_ITEMS);
    const nn_param **list = room(r, n + 1, sizeof *list);
    uint32_t i;

    for (i = 0; list && i < n; ++i)
        list[i] = read_param(r);
    nn_unpack_leave(&r->in);
    *count = n;
    return list;
}

static void read_port(reader *r, nn_port *port)
{
    enter_struct(r, PORT_MEMBERS);
    port->size = NN_SIZEOF(nn_port, doc);
    port->flags = read_number(r);
    port->dtypes = read_number(r);
    port->content = read_number(r);
    port->name = read_text(r);
    port->doc = read_text(r);
    nn_unpack_leave(&r->in);
}

static const nn_port *const *read_ports(reader *r, uint32_t *count)
{
    uint32_t n = nn_unpack_array(&r->in, NN_ENTRY_ITEMS);
    const nn_port **list = room(r, n + 1, sizeof *list);
    nn_port *ports = room(r, n, sizeof *ports);
    uint32_t i;

    for (i = 0; ports && i < n; ++i) {
        read_port(r, &ports[i]);
        list[i] = &ports[i];
    }
    nn_unpack_leave(&r->in);
    *count = n;
    return list;
}

static const nn_case *const *read_cases(reader *r)
{
    uint32_t n = nn_unpack_array(&r->in, NN_ENTRY_ITEMS);
    const nn_case **list = room(r, n + 1, sizeof *list);
    nn_case *cases = room(r, n, sizeof *cases);
    uint32_t i;

    for (i = 0; cases && i < n; ++i) {
        enter_struct(r, CASE_MEMBERS);
        cases[i].size = NN_SIZEOF(nn_case, inputs);
        cases[i].params = read_text(r);
        cases[i].inputs = read_texts(r);
        if (cases[i].inputs && !cases[i].inputs[0])
            cases[i].inputs = NULL;
        list[i] = &cases[i];
        nn_unpack_leave(&r->in);
    }
    nn_unpack_leave(&r->in);
    return list;
}

static const nn_component *read_component(reader *r, const char **reason)
{
    nn_component *component = room(r, 1, sizeof *component);

    enter_struct(r, COMPONENT_MEMBERS);
    if (!component || r->in.problem)
        return NULL;
    component->size = NN_SIZEOF(nn_component, cases);
    component->kind = read_number(r);
    component->flags = read_number(r);
    component->name = read_text(r);
    component->summary = read_text(r);
    component->doc = read_text(r);
    component->params = read_params(r, &component->n_params);
    component->inputs = read_ports(r, &component->n_inputs);
    component->outputs = read_ports(r, &component->n_outputs);
    component->cases = read_cases(r);
    *reason = read_text(r);
    nn_unpack_leave(&r->in);
    return component;
}

/* The plugin; *REASONS one a component. */
static void read_plugin(reader *r, nn_plugin *plugin, int32_t *has_init,
                        const char ***reasons)
{
    const nn_component **list;
    uint32_t i;

    enter_struct(r, PLUGIN_MEMBERS);
    memcpy(plugin->magic, NN_PLUGIN_MAGIC, sizeof plugin->magic);
    plugin->size = NN_SIZEOF(nn_plugin, deinit);
    plugin->abi_minor = read_number(r);
    plugin->min_host_minor = read_number(r);
    plugin->flags = read_number(r);
    plugin->id = read_text(r);
    plugin->name = read_text(r);
    plugin->version = read_text(r);
    plugin->license = read_text(r);
    plugin->author = read_text(r);
    plugin->summary = read_text(r);
    plugin->url = read_text(r);
    plugin->libraries = read_texts(r);
    plugin->cpu_features = read_texts(r);
    *has_init = nn_unpack_bool(&r->in);
    plugin->n_components = nn_unpack_array(&r->in, NN_ENTRY_COMPONENTS);
    list = room(r, plugin->n_components, sizeof *list);
    *reasons = room(r, plugin->n_components, sizeof **reasons);
    for (i = 0; *reasons && i < plugin->n_components; ++i)
        list[i] = read_component(r, &(*reasons)[i]);
    plugin->components = list;
    nn_unpack_leave(&r->in);
    nn_unpack_leave(&r->in);
}

/* What this host finds wrong with a component goes in front of what the scan
 * found; both are there only if the scan's host was another one. */
static const char *const *join(const char *const *own, const char **scanned,
                               uint32_t count)
{
    uint32_t i;

    for (i = 0; i < count; ++i)
        if (own[i])
            scanned[i] = own[i];
    return scanned;
}

int32_t nn_description_unpack(const void *bytes, size_t length, nn_arena *arena,
                              nn_plugin_data **entry, nn_text *reason)
{
    reader r = {.arena = arena, .code = NN_FORMAT};
    nn_plugin *plugin = nn_arena_alloc(arena, 1, sizeof *plugin);
    const char **reasons = NULL;
    int32_t has_init = 0;
    int32_t code;

    *entry = NULL;
    if (!plugin)
        return NN_NO_MEMORY;
    nn_unpack_start(&r.in, bytes, length, DEPTH);
    read_plugin(&r, plugin, &has_init, &reasons);
    if (!nn_unpack_finished(&r.in)) {
        nn_text_format(reason, "its description is damaged: %s", r.in.problem);
        return r.code;
    }
    code = nn_entry_read(plugin, 1, arena, entry, reason);
    if (code)
        return code;
    (*entry)->has_init = (uint32_t)has_init;
    (*entry)->reasons = join((*entry)->reasons, reasons, plugin->n_components);
    return NN_OK;
}
