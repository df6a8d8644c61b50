/* SPDX-License-Identifier: MIT */
/* entry.c - see entry.h.
 *
 * NN_FORMAT refuses the whole plugin: what is wrong was wrong when it was
 * written.  NN_UNSUPPORTED from within a component switches off that component
 * alone: a kind or a type that this host does not know is legal in a plugin
 * that is newer. */
#include "core/registry/entry.h"

#include <stdarg.h>
#include <string.h>

#include "core/registry/interface.h"

/* Takes MEMBER from RAW if its struct reaches that far. */
#define TAKE(copy, raw, member)                                                \
    do {                                                                       \
        if (NN_HAS(raw, member))                                               \
            (copy)->member = (raw)->member;                                    \
    } while (0)

/* What is being read, for messages. */
typedef struct reading {
    nn_arena *arena;
    nn_text *reason;
    int32_t description;
    const char *component;             /* NULL: the plugin itself */
    const char *param[NN_ENTRY_DEPTH]; /* from the outermost */
    uint32_t depth;                    /* of them */
} reading;

static const void *const no_items[1];

static int32_t fail(const reading *r, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends where and what to the reason. */
static int32_t fail(const reading *r, int32_t code, const char *format, ...)
{
    char what[512];
    va_list arguments;
    uint32_t i;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (r->component)
        nn_text_format(r->reason, "component '%s': ", r->component);
    for (i = 0; i < r->depth; ++i)
        nn_text_format(r->reason, "%s%s%s", i ? "." : "parameter '",
                       r->param[i], i + 1 < r->depth ? "" : "': ");
    nn_text_append(r->reason, what);
    return code;
}

/* ---- texts -------------------------------------------------------------- */

int32_t nn_entry_is_name(const char *name)
{
    size_t i;

    if (name[0] < 'a' || name[0] > 'z')
        return 0;
    for (i = 1; i <= NN_ENTRY_NAME; ++i) {
        if (!name[i])
            return 1;
        if ((name[i] < 'a' || name[i] > 'z') &&
            (name[i] < '0' || name[i] > '9') && name[i] != '_')
            return 0;
    }
    return 0;
}

static int32_t check_name(const reading *r, const char *what, const char *name)
{
    if (!name)
        return fail(r, NN_FORMAT, "%s is NULL", what);
    if (!nn_entry_is_name(name))
        return fail(r, NN_FORMAT,
                    "%s must be a lower-case letter, then at most %d letters, "
                    "digits or _",
                    what, NN_ENTRY_NAME - 1);
    return NN_OK;
}

/* Is the character one that a terminal obeys? */
static int32_t is_control(uint32_t code, int32_t lines)
{
    if (lines && (code == '\n' || code == '\t'))
        return 0;
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* TEXT may be NULL.  LINES: it may have several. */
static int32_t check_text(const reading *r, const char *what, const char *text,
                          size_t longest, int32_t lines)
{
    size_t length;
    size_t step;
    uint32_t code;

    if (!text)
        return NN_OK;
    length = strnlen(text, longest + 1);
    if (length > longest)
        return fail(r, NN_FORMAT, "%s is longer than %zu bytes", what, longest);
    for (; length; text += step, length -= step) {
        step = nn_utf8_next(text, length, &code);
        if (!step)
            return fail(r, NN_FORMAT, "%s is not UTF-8", what);
        if (is_control(code, lines))
            return fail(r, NN_FORMAT, "%s has a control character", what);
    }
    return NN_OK;
}

/* As check_text, for one line that must be there. */
static int32_t check_line(const reading *r, const char *what, const char *text)
{
    if (!text || !text[0])
        return fail(r, NN_FORMAT, "%s is %s", what, text ? "empty" : "NULL");
    return check_text(r, what, text, NN_ENTRY_LINE, 0);
}

/* A NULL-terminated list of texts, in place; NULL becomes an empty one. */
static int32_t check_texts(const reading *r, const char *what,
                           const char *const **list)
{
    uint32_t i;
    int32_t code = NN_OK;

    if (!*list)
        *list = (const char *const *)no_items;
    for (i = 0; !code && (*list)[i]; ++i) {
        code = check_text(r, what, (*list)[i], NN_ENTRY_LINE, 0);
        if (!code && i == NN_ENTRY_ITEMS)
            code = fail(r, NN_FORMAT, "%s has more than %d items", what,
                        NN_ENTRY_ITEMS);
    }
    return code;
}

/* ---- parameters --------------------------------------------------------- */

static int32_t read_param(reading *r, const nn_param *raw, int32_t named,
                          const nn_param **param);

/* Copies COUNT params into *LIST, which gets a NULL behind them. */
static int32_t read_params(reading *r, const nn_param *const *raw,
                           uint32_t count, const nn_param *const **list)
{
    const nn_param **copies = nn_arena_alloc(r->arena, (int64_t)count + 1,
                                             sizeof *copies);
    int32_t code = copies ? NN_OK : NN_NO_MEMORY;
    uint32_t i;
    uint32_t j;

    for (i = 0; !code && i < count; ++i) {
        code = read_param(r, raw[i], 1, &copies[i]);
        for (j = 0; !code && j < i; ++j)
            if (!strcmp(copies[i]->name, copies[j]->name))
                code = fail(r, NN_FORMAT, "two parameters are named '%s'",
                            copies[i]->name);
    }
    *list = copies;
    return code;
}

static int32_t read_fields(reading *r, nn_param *copy)
{
    const nn_param *const *fields = copy->fields;
    uint32_t count = 0;

    if (!fields)
        return fail(r, NN_FORMAT, "a record without fields");
    while (fields[count])
        if (++count > NN_ENTRY_ITEMS)
            return fail(r, NN_FORMAT, "more than %d fields", NN_ENTRY_ITEMS);
    return read_params(r, fields, count, &copy->fields);
}

/* What the type of the parameter asks for beside it. */
static int32_t read_typed(reading *r, nn_param *copy)
{
    switch (copy->type) {
    case NN_PARAM_CHOICE:
        if (!copy->choices || !copy->choices[0])
            return fail(r, NN_FORMAT, "a choice without choices");
        return check_texts(r, "its list of choices", &copy->choices);
    case NN_PARAM_LIST:
    case NN_PARAM_MAP:
        return read_param(r, copy->element, 0, &copy->element);
    case NN_PARAM_RECORD:
        return read_fields(r, copy);
    case NN_PARAM_COMPONENT:
        if (!copy->kind)
            return fail(r, NN_FORMAT, "a component without a kind");
        if (!nn_kind_name(copy->kind))
            return fail(r, NN_UNSUPPORTED,
                        "a component of kind %u, which this host does not "
                        "know",
                        copy->kind);
        return NN_OK;
    default:
        return NN_OK;
    }
}

static int32_t check_param(reading *r, nn_param *copy)
{
    int32_t code;

    if (!copy->type)
        return fail(r, NN_FORMAT, "its type is 0");
    if (copy->type > NN_PARAM_RECORD)
        return fail(r, NN_UNSUPPORTED,
                    "its type is %u, which this host does not know",
                    copy->type);
    if ((copy->flags & NN_PARAM_RANGED) && !(copy->minimum <= copy->maximum))
        return fail(r, NN_FORMAT, "its minimum is above its maximum");
    code = check_text(r, "its doc", copy->doc, NN_ENTRY_DOC, 1);
    if (!code)
        code = check_text(r, "its default", copy->default_text, NN_ENTRY_LINE,
                          1);
    return code;
}

static void take_param(nn_param *copy, const nn_param *raw)
{
    copy->size = NN_SIZEOF(nn_param, fields);
    TAKE(copy, raw, type);
    TAKE(copy, raw, flags);
    TAKE(copy, raw, kind);
    TAKE(copy, raw, name);
    TAKE(copy, raw, doc);
    TAKE(copy, raw, default_text);
    TAKE(copy, raw, minimum);
    TAKE(copy, raw, maximum);
    TAKE(copy, raw, choices);
    TAKE(copy, raw, element);
    TAKE(copy, raw, fields);
}

/* NAMED: as a parameter or field, not as the element of a list. */
static int32_t read_param(reading *r, const nn_param *raw, int32_t named,
                          const nn_param **param)
{
    nn_param *copy;
    int32_t code = NN_OK;

    if (!raw)
        return fail(r, NN_FORMAT, "%s is NULL",
                    named ? "a parameter" : "its element");
    if (r->depth == NN_ENTRY_DEPTH)
        return fail(r, NN_FORMAT, "nested more than %d deep", NN_ENTRY_DEPTH);
    copy = nn_arena_alloc(r->arena, 1, sizeof *copy);
    if (!copy)
        return NN_NO_MEMORY;
    take_param(copy, raw);
    if (named)
        code = check_name(r, "the name of a parameter", copy->name);
    else
        copy->name = "element";
    if (code)
        return code;
    r->param[r->depth++] = copy->name;
    code = check_param(r, copy);
    if (!code)
        code = read_typed(r, copy);
    --r->depth;
    *param = copy;
    return code;
}

/* ---- components --------------------------------------------------------- */

static void take_port(nn_port *copy, const nn_port *raw)
{
    copy->size = NN_SIZEOF(nn_port, doc);
    TAKE(copy, raw, flags);
    TAKE(copy, raw, dtypes);
    TAKE(copy, raw, content);
    TAKE(copy, raw, name);
    TAKE(copy, raw, doc);
}

static int32_t read_port(const reading *r, const nn_port *raw, int32_t last,
                         nn_port *copy)
{
    int32_t code;

    if (!raw)
        return fail(r, NN_FORMAT, "a port is NULL");
    take_port(copy, raw);
    code = check_name(r, "the name of a port", copy->name);
    if (!code && (copy->flags & NN_PORT_VARIADIC) && !last)
        code = fail(r, NN_FORMAT, "port '%s' is variadic, but not the last",
                    copy->name);
    if (!code)
        code = check_text(r, "the doc of a port", copy->doc, NN_ENTRY_DOC, 1);
    return code;
}

static int32_t read_ports(const reading *r, uint32_t count,
                          const nn_port *const **list)
{
    const nn_port *const *raw = *list;
    const nn_port **copies;
    nn_port *ports;
    int32_t code = NN_OK;
    uint32_t i;
    uint32_t j;

    if (count > NN_ENTRY_ITEMS)
        return fail(r, NN_FORMAT, "more than %d ports", NN_ENTRY_ITEMS);
    if (count && !raw)
        return fail(r, NN_FORMAT, "its list of ports is NULL");
    copies = nn_arena_alloc(r->arena, (int64_t)count + 1, sizeof *copies);
    ports = nn_arena_alloc(r->arena, count, sizeof *ports);
    if (!copies || !ports)
        return NN_NO_MEMORY;
    for (i = 0; !code && i < count; ++i) {
        copies[i] = &ports[i];
        code = read_port(r, raw[i], i + 1 == count, &ports[i]);
        for (j = 0; !code && j < i; ++j)
            if (!strcmp(ports[i].name, ports[j].name))
                code = fail(r, NN_FORMAT, "two ports are named '%s'",
                            ports[i].name);
    }
    *list = copies;
    return code;
}

/* One case; its inputs are copied by the texts' rule. */
static int32_t read_case(const reading *r, const nn_case *raw, nn_case *copy)
{
    int32_t code;
    uint32_t i;

    copy->size = NN_SIZEOF(nn_case, inputs);
    TAKE(copy, raw, params);
    TAKE(copy, raw, inputs);
    code = check_text(r, "the params of a case", copy->params, NN_ENTRY_LINE,
                      0);
    for (i = 0; !code && copy->inputs && copy->inputs[i]; ++i) {
        code = check_text(r, "an input of a case", copy->inputs[i],
                          NN_ENTRY_LINE, 0);
        if (i >= NN_ENTRY_ITEMS)
            code = fail(r, NN_FORMAT, "a case has too many inputs");
    }
    return code;
}

/* LIST as sized copies, never NULL. */
static int32_t read_cases(const reading *r, const nn_case *const **list)
{
    const nn_case *const *raw = *list;
    const nn_case **copies;
    nn_case *cases;
    int32_t code = NN_OK;
    uint32_t count = 0;
    uint32_t i;

    while (raw && raw[count] && count <= NN_ENTRY_ITEMS)
        ++count;
    if (count > NN_ENTRY_ITEMS)
        return fail(r, NN_FORMAT, "more than %d cases", NN_ENTRY_ITEMS);
    copies = nn_arena_alloc(r->arena, (int64_t)count + 1, sizeof *copies);
    cases = nn_arena_alloc(r->arena, count, sizeof *cases);
    if (!copies || !cases)
        return NN_NO_MEMORY;
    for (i = 0; !code && i < count; ++i) {
        copies[i] = &cases[i];
        code = read_case(r, raw[i], &cases[i]);
    }
    *list = copies;
    return code;
}

static void take_component(nn_component *copy, const nn_component *raw)
{
    copy->size = NN_SIZEOF(nn_component, cases);
    TAKE(copy, raw, kind);
    TAKE(copy, raw, flags);
    TAKE(copy, raw, n_params);
    TAKE(copy, raw, name);
    TAKE(copy, raw, summary);
    TAKE(copy, raw, doc);
    TAKE(copy, raw, params);
    TAKE(copy, raw, interface);
    TAKE(copy, raw, n_inputs);
    TAKE(copy, raw, n_outputs);
    TAKE(copy, raw, inputs);
    TAKE(copy, raw, outputs);
    TAKE(copy, raw, cases);
}

/* Its lists and its interface; its texts were read. */
static int32_t read_contents(reading *r, nn_component *copy)
{
    nn_text missing = {0};
    int32_t code;

    if (!nn_kind_name(copy->kind))
        return fail(r, copy->kind ? NN_UNSUPPORTED : NN_FORMAT,
                    "it is of kind %u, which this host does not know",
                    copy->kind);
    if (r->description)
        copy->interface = NULL;
    else if (nn_interface_check(copy->kind, copy->interface, &missing)) {
        code = fail(r, NN_FORMAT, "%s", nn_text_string(&missing));
        nn_text_finish(&missing);
        return code;
    }
    if (copy->n_params > NN_ENTRY_ITEMS || (copy->n_params && !copy->params))
        return fail(r, NN_FORMAT, "its list of parameters is %s",
                    copy->params ? "too long" : "NULL");
    code = read_params(r, copy->params, copy->n_params, &copy->params);
    if (!code)
        code = read_ports(r, copy->n_inputs, &copy->inputs);
    if (!code)
        code = read_ports(r, copy->n_outputs, &copy->outputs);
    if (!code)
        code = read_cases(r, &copy->cases);
    return code;
}

/* Leaves of a component only what says which one it is. */
static void strip(nn_component *copy)
{
    copy->n_params = 0;
    copy->n_inputs = 0;
    copy->n_outputs = 0;
    copy->params = (const nn_param *const *)no_items;
    copy->inputs = (const nn_port *const *)no_items;
    copy->outputs = (const nn_port *const *)no_items;
    copy->cases = (const nn_case *const *)no_items;
    copy->interface = NULL;
}

static int32_t read_texts(reading *r, nn_component *copy,
                          const nn_component *raw)
{
    int32_t code;

    if (!raw)
        return fail(r, NN_FORMAT, "a component is NULL");
    take_component(copy, raw);
    code = check_name(r, "the name of a component", copy->name);
    if (code)
        return code;
    r->component = copy->name;
    code = check_line(r, "its summary", copy->summary);
    if (!code)
        code = check_text(r, "its doc", copy->doc, NN_ENTRY_DOC, 1);
    return code;
}

/* *REASON: why this component alone is off, or NULL. */
static int32_t read_component(reading *r, const nn_component *raw,
                              nn_component *copy, const char **reason)
{
    nn_text *whole = r->reason;
    nn_text own = {0};
    int32_t code;

    code = read_texts(r, copy, raw);
    if (code)
        return code;
    r->reason = &own;
    r->component = NULL;
    code = read_contents(r, copy);
    r->reason = whole;
    r->component = copy->name;
    if (code == NN_UNSUPPORTED) {
        strip(copy);
        *reason = nn_arena_string(r->arena, nn_text_string(&own));
        code = *reason ? NN_OK : NN_NO_MEMORY;
    } else if (code) {
        code = fail(r, code, "%s", nn_text_string(&own));
    }
    nn_text_finish(&own);
    r->component = NULL;
    return code;
}

/* ---- the plugin --------------------------------------------------------- */

static int32_t read_components(reading *r, nn_plugin_data *entry)
{
    nn_plugin *plugin = &entry->plugin;
    uint32_t n = plugin->n_components;
    const nn_component **list = nn_arena_alloc(r->arena, n + 1, sizeof *list);
    nn_component *copies = nn_arena_alloc(r->arena, n, sizeof *copies);
    const char **reasons = nn_arena_alloc(r->arena, n + 1, sizeof *reasons);
    int32_t code = list && copies && reasons ? NN_OK : NN_NO_MEMORY;
    uint32_t i;
    uint32_t j;

    for (i = 0; !code && i < n; ++i) {
        list[i] = &copies[i];
        code = read_component(r, plugin->components[i], &copies[i],
                              &reasons[i]);
        for (j = 0; !code && j < i; ++j)
            if (copies[i].kind == copies[j].kind &&
                !strcmp(copies[i].name, copies[j].name))
                code = fail(r, NN_FORMAT,
                            "two components of one kind are named '%s'",
                            copies[i].name);
    }
    plugin->components = list;
    entry->reasons = reasons;
    return code;
}

/* Letters, digits, "-", "_" and at least one dot: "org.example.square". */
static int32_t check_id(const reading *r, const char *id)
{
    int32_t code = check_line(r, "its id", id);
    size_t length;

    if (code)
        return code;
    length = strspn(id, "abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    if (id[length] || length > 255 || !strchr(id, '.'))
        return fail(r, NN_FORMAT, "its id must be like org.example.name");
    return NN_OK;
}

static int32_t check_plugin_texts(const reading *r, nn_plugin *plugin)
{
    const struct {
        const char *what;
        const char *text;
        int32_t optional;
    } lines[] = {
        {"its name", plugin->name, 0},
        {"its version", plugin->version, 0},
        {"its summary", plugin->summary, 0},
        {"its license", plugin->license, 1},
        {"its author", plugin->author, 1},
        {"its url", plugin->url, 1},
    };
    int32_t code = check_id(r, plugin->id);
    size_t i;

    for (i = 0; !code && i < sizeof lines / sizeof lines[0]; ++i)
        if (lines[i].text || !lines[i].optional)
            code = lines[i].optional
                       ? check_text(r, lines[i].what, lines[i].text,
                                    NN_ENTRY_LINE, 0)
                       : check_line(r, lines[i].what, lines[i].text);
    if (!code && strlen(plugin->name) > NN_ENTRY_NAME)
        code = fail(r, NN_FORMAT, "its name is longer than %d bytes",
                    NN_ENTRY_NAME);
    if (!code)
        code = check_texts(r, "its list of libraries", &plugin->libraries);
    if (!code)
        code = check_texts(r, "its list of CPU features",
                           &plugin->cpu_features);
    return code;
}

static void take_plugin(nn_plugin *copy, const nn_plugin *raw)
{
    memcpy(copy->magic, raw->magic, sizeof copy->magic);
    copy->size = NN_SIZEOF(nn_plugin, deinit);
    copy->abi_minor = raw->abi_minor;
    copy->min_host_minor = raw->min_host_minor;
    copy->flags = raw->flags;
    TAKE(copy, raw, id);
    TAKE(copy, raw, name);
    TAKE(copy, raw, version);
    TAKE(copy, raw, license);
    TAKE(copy, raw, author);
    TAKE(copy, raw, summary);
    TAKE(copy, raw, url);
    TAKE(copy, raw, libraries);
    TAKE(copy, raw, cpu_features);
    TAKE(copy, raw, n_components);
    TAKE(copy, raw, components);
    TAKE(copy, raw, init);
    TAKE(copy, raw, deinit);
}

/* The head, which is the same in all versions. */
static int32_t check_head(const reading *r, const nn_plugin *raw)
{
    if (!raw)
        return fail(r, NN_FORMAT, "its entry is NULL");
    if (memcmp(raw->magic, NN_PLUGIN_MAGIC, sizeof raw->magic))
        return fail(r, NN_FORMAT,
                    "%s does not begin with the letters %s: it is not what "
                    "NN_PLUGIN_ENTRY makes",
                    NN_ENTRY_SYMBOL, NN_PLUGIN_MAGIC);
    if (raw->min_host_minor > NN_ABI_MINOR)
        return fail(r, NN_UNSUPPORTED,
                    "it needs plugin interface %u.%u, this host has %u.%u (it "
                    "was built with %u.%u)",
                    NN_ABI_MAJOR, raw->min_host_minor, NN_ABI_MAJOR,
                    NN_ABI_MINOR, NN_ABI_MAJOR, raw->abi_minor);
    if (!NN_HAS(raw, components))
        return fail(r, NN_FORMAT,
                    "%s has %u bytes and must have at least %u (it was built "
                    "with plugin interface %u.%u, this host has %u.%u)",
                    NN_ENTRY_SYMBOL, raw->size,
                    NN_SIZEOF(nn_plugin, components), NN_ABI_MAJOR,
                    raw->abi_minor, NN_ABI_MAJOR, NN_ABI_MINOR);
    return NN_OK;
}

int32_t nn_entry_read(const void *raw, int32_t description, nn_arena *arena,
                      nn_plugin_data **out, nn_text *reason)
{
    reading r = {.arena = arena, .reason = reason, .description = description};
    nn_plugin_data *entry;
    nn_plugin *plugin;
    int32_t code = check_head(&r, raw);

    *out = NULL;
    if (code)
        return code;
    entry = nn_arena_alloc(arena, 1, sizeof *entry);
    if (!entry)
        return NN_NO_MEMORY;
    plugin = &entry->plugin;
    take_plugin(plugin, raw);
    code = check_plugin_texts(&r, plugin);
    if (!code && plugin->n_components > NN_ENTRY_COMPONENTS)
        code = fail(&r, NN_FORMAT, "more than %d components",
                    NN_ENTRY_COMPONENTS);
    if (!code && (!plugin->n_components || !plugin->components))
        code = fail(&r, NN_FORMAT, "it has no components");
    if (!code)
        code = read_components(&r, entry);
    entry->has_init = plugin->init != NULL;
    if (description) {
        plugin->init = NULL;
        plugin->deinit = NULL;
    }
    if (!code)
        *out = entry;
    return code;
}
