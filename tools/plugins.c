/* SPDX-License-Identifier: MIT */
/* plugins.c - nn plugins: what was found, where, and in what state.
 *
 * A line a component.  A file that is no plugin, or is not trusted, has no
 * components, and gets a line of its own: whatever was seen is listed. */
#include "plugins.h"

#include <string.h>

#include "command.h"
#include "table.h"
#include "talk.h"

static const struct option options[] = {OPTION_PLUGIN, OPTION_JSON,
                                        OPTION_QUIET, OPTION_END};

const char *plugin_state(uint32_t state)
{
    static const char *const names[] = {"ok", "shadowed", "off", "refused"};

    return state < 4 ? names[state] : "unknown";
}

static const char *kind_name(const nn_component *component)
{
    const char *name = nn_kind_name(component->kind);

    return name ? name : "unknown";
}

/* ---- the list ---------------------------------------------------------- */

static void list_component(struct table *table,
                           const nn_plugin_component *found)
{
    table_add(table, "%s", kind_name(found->component));
    table_add(table, "%s", found->component->name);
    table_add(table, "%s", found->plugin->version);
    table_add(table, "%s", found->plugin->name);
    table_add(table, "%s", plugin_state(found->state));
    table_add(table, "%s", found->path);
    table_add(table, "%s", found->reason ? found->reason : "");
}

static void list_file(struct table *table, const nn_plugin_file *file)
{
    table_add(table, "-");
    table_add(table, "-");
    table_add(table, "-");
    table_add(table, "%s", file->plugin ? file->plugin->name : "-");
    table_add(table, "%s", plugin_state(file->state));
    table_add(table, "%s", file->path);
    table_add(table, "%s", file->reason ? file->reason : "");
}

/* 1 if some component comes from the file at PATH. */
static int has_components(const nn_plugins *plugins, const char *path)
{
    nn_plugin_component found;
    uint32_t i;

    for (i = 0; nn_plugins_component(plugins, i, &found); ++i)
        if (!strcmp(found.path, path))
            return 1;
    return 0;
}

/* Where was searched, and whom one has to trust. */
static void tell_places(const nn_plugins *plugins)
{
    nn_plugin_file file;
    const char *reason = NULL;
    const char *folder;
    uint32_t i;

    for (i = 0; (folder = nn_plugins_folder(plugins, i, &reason)); ++i)
        talk_note("searched %s%s%s", folder, reason ? ": " : "",
                  reason ? reason : "");
    for (i = 0; nn_plugins_file(plugins, i, &file); ++i)
        if (file.warning)
            talk_warning("%s: others can change it: %s", file.path,
                         file.warning);
}

static int list(const nn_plugins *plugins)
{
    struct table table = table_of("lllllll");
    static const char *const heads[] = {"KIND",  "NAME", "VERSION", "PLUGIN",
                                        "STATE", "FILE", "REASON"};
    nn_plugin_component found;
    nn_plugin_file file;
    uint32_t i;

    for (i = 0; i < 7; ++i)
        table_add(&table, "%s", heads[i]);
    for (i = 0; nn_plugins_component(plugins, i, &found); ++i)
        list_component(&table, &found);
    for (i = 0; nn_plugins_file(plugins, i, &file); ++i)
        if (!has_components(plugins, file.path))
            list_file(&table, &file);
    tell_places(plugins);
    return table_print(&table, stdout);
}

/* ---- one name ---------------------------------------------------------- */

/* NAME, ID:NAME, or the name, id or file of the plugin. */
static int is_meant(const nn_plugin_component *found, const char *name)
{
    size_t length = strlen(found->plugin->id);

    if (!strcmp(name, found->component->name) ||
        !strcmp(name, found->plugin->name) ||
        !strcmp(name, found->plugin->id) || !strcmp(name, found->path))
        return 1;
    return !strncmp(name, found->plugin->id, length) && name[length] == ':' &&
           !strcmp(name + length + 1, found->component->name);
}

/* A file without components that is at PATH or whose plugin has that name. */
static int tell_file(const nn_plugins *plugins, const char *name)
{
    nn_plugin_file file;
    uint32_t i;

    for (i = 0; nn_plugins_file(plugins, i, &file); ++i) {
        const char *slash = strrchr(file.path, '/');

        if (strcmp(name, file.path) && (!slash || strcmp(name, slash + 1)) &&
            (!file.plugin || strcmp(name, file.plugin->name)))
            continue;
        printf("%s: %s%s%s\n", file.path, plugin_state(file.state),
               file.reason ? ": " : "", file.reason ? file.reason : "");
        return 1;
    }
    return 0;
}

static int unknown(const nn_plugins *plugins, const char *name)
{
    struct nearest nearest = nearest_to(name);
    nn_plugin_component found;
    uint32_t i;

    for (i = 0; nn_plugins_component(plugins, i, &found); ++i)
        nearest_offer(&nearest, found.component->name);
    if (nearest.best)
        return talk_error(STATUS_USAGE,
                          "there is no component or plugin '%s'; did you mean "
                          "'%s'?",
                          name, nearest.best);
    return talk_error(STATUS_USAGE,
                      "there is no component or plugin '%s'; `nn plugins` "
                      "lists all",
                      name);
}

static int show(const nn_plugins *plugins, const char *name, int32_t as_json)
{
    struct json json = {stdout, 0, 0};
    nn_plugin_component found;
    uint32_t shown = 0;
    uint32_t i;

    for (i = 0; nn_plugins_component(plugins, i, &found); ++i) {
        if (!is_meant(&found, name))
            continue;
        if (as_json && !shown)
            json_open(&json, NULL, '[');
        if (as_json)
            json_component(&json, &found);
        else if (shown)
            printf("\n");
        if (!as_json)
            describe_component(&found);
        ++shown;
    }
    if (as_json && shown)
        json_close(&json, ']');
    if (shown || tell_file(plugins, name))
        return STATUS_OK;
    return unknown(plugins, name);
}

static int run(const void *values, const struct operands *operands)
{
    const struct common *common = values;
    nn_plugins_options wanted;
    nn_plugins *plugins = NULL;
    int status = STATUS_OK;

    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.files = common->plugins.items;
    wanted.n_files = common->plugins.count;
    nn_log_to(NULL, NULL); /* the list has all of it */
    if (nn_plugins_create(&wanted, &plugins))
        status = talk_failure(STATUS_PLUGIN);
    nn_log_to(talk_log, NULL);
    if (status)
        return status;
    if (operands->count)
        status = show(plugins, operands->items[0], common->json);
    else if (common->json)
        json_plugins(plugins);
    else
        status = list(plugins);
    nn_plugins_destroy(plugins);
    return status;
}

const struct command command_plugins = {
    .name = "plugins",
    .operands = "[NAME]",
    .summary = "The plugins that were found, or all about one",
    .detail =
        "Without NAME, one line a component: its kind, name, version, plugin, "
        "state, file, and the reason if it cannot be used. A file that is no "
        "plugin has a line too. The folders that were searched are named on "
        "stderr.\n"
        "\n"
        "With the NAME of a component or plugin, all that its description "
        "says: what it does, and its parameters with types, defaults, ranges "
        "and meaning.\n"
        "\n"
        "No plugin is opened by this program: a process of its own describes "
        "them. Plugins are native code with your rights.",
    .options = options,
    .least = 0,
    .most = 1,
    .size = sizeof(struct common),
    .run = run,
};
