/* SPDX-License-Identifier: MIT */
/* plan.c - see plan.h. */
#define _GNU_SOURCE
#include "conformance/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/catalogue.h"
#include "conformance/memory.h"

/* What is slower there than the limits of checks are made for. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 10
#else
#define SLOWER 1
#endif

#define USUAL_SECONDS 30

/* ---- files -------------------------------------------------------------- */

/* "cpu" if it can be used, else what is always there. */
static char *usual_handler(const nn_plugins *plugins)
{
    nn_plugin_component one;
    uint32_t i;

    for (i = 0; plugins && nn_plugins_component(plugins, i, &one); ++i)
        if (one.component->kind == NN_KIND_HANDLER &&
            one.state == NN_STATE_OK && !strcmp(one.component->name, "cpu"))
            return text_of("cpu");
    return text_of("reference");
}

static void open_file(plan *plan, plan_file *file)
{
    nn_plugins_options options;
    const char *files[1];
    const char *text;

    file->path = realpath(file->given, NULL);
    if (!file->path) {
        file->refused = text_of("%s: %s", file->given, strerror(errno));
        return;
    }
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.files = files;
    options.n_files = 1;
    files[0] = file->path;
    if (nn_plugins_create(&options, &file->plugins)) {
        nn_error(NULL, &text);
        file->refused = text_of("%s", text);
        file->plugins = NULL;
    }
    file->handler = plan->options->handler
                        ? text_of("%s", plan->options->handler)
                        : usual_handler(file->plugins);
}

/* ---- items -------------------------------------------------------------- */

/* FNV-1a of TEXT, going on from HASH. */
static uint64_t hash(uint64_t start, const char *text)
{
    for (; *text; ++text)
        start = (start ^ (unsigned char)*text) * 1099511628211u;
    return start;
}

/* Another seed for every check, component and --seed, of a size that can still
 * be read and typed. */
static uint64_t seed_of(const options *options, const char *id,
                        const char *component)
{
    uint64_t seed = (14695981039346656037u ^ options->seed) * 1099511628211u;

    if (options->reproduce)
        return options->reproduce_seed;
    seed = hash(hash(hash(seed, id), "/"), component);
    return (seed ^ seed >> 32) & 0xffffffffu;
}

static int is_wanted(const options *options, const check *check)
{
    if (options->reproduce)
        return !strcmp(options->reproduce, check->id);
    return check->level <= options->level &&
           (!options->include.count ||
            patterns_match(&options->include, check->id)) &&
           !patterns_match(&options->exclude, check->id);
}

static void add_item(plan *plan, plan_file *file, const check *check,
                     const nn_plugin_component *component)
{
    const options *options = plan->options;
    plan_item *item;

    plan->items = retake(plan->items, plan->n_items + 1, sizeof *plan->items);
    item = &plan->items[plan->n_items++];
    memset(item, 0, sizeof *item);
    item->file = file;
    item->check = check;
    item->component = component
                          ? text_of("%s:%s",
                                    nn_kind_name(component->component->kind),
                                    component->component->name)
                          : text_of("%s", "");
    item->handler = file->handler;
    if (component && component->component->kind == NN_KIND_HANDLER)
        item->handler = component->component->name;
    if (component && component->state != NN_STATE_OK)
        item->skip = component->reason ? component->reason : "not usable";
    item->seed = seed_of(options, check->id, item->component);
    item->seconds = SLOWER * (check->seconds ? check->seconds : USUAL_SECONDS);
    if (options->seconds && item->seconds > options->seconds)
        item->seconds = options->seconds;
    ++file->items;
}

/* 1 if the component KIND:NAME is chosen. */
static int is_chosen(const options *options, const nn_component *component)
{
    char *whole = text_of("%s:%s", nn_kind_name(component->kind),
                          component->name);
    int chosen = !options->components.count ||
                 patterns_match(&options->components, whole) ||
                 patterns_match(&options->components, component->name);

    if (options->reproduce_component)
        chosen = chosen &&
                 (!strcmp(options->reproduce_component, whole) ||
                  !strcmp(options->reproduce_component, component->name));
    free(whole);
    return chosen;
}

static void add_component(plan *plan, plan_file *file,
                          const nn_plugin_component *component)
{
    const check *one;
    uint32_t i;

    ++file->components;
    for (i = 0; (one = catalogue_at(i)); ++i)
        if (one->kind && catalogue_suits(one, component->component->kind) &&
            is_wanted(plan->options, one))
            add_item(plan, file, one, component);
}

/* The checks of the file itself; not if single components are chosen. */
static void add_file(plan *plan, plan_file *file)
{
    const check *one;
    uint32_t i;

    if (plan->options->components.count || plan->options->reproduce_component)
        return;
    for (i = 0; (one = catalogue_at(i)); ++i)
        if (!one->kind && is_wanted(plan->options, one))
            add_item(plan, file, one, NULL);
}

void plan_create(plan *plan, const options *options)
{
    nn_plugin_component component;
    plan_file *file;
    uint32_t i;
    uint32_t j;

    memset(plan, 0, sizeof *plan);
    plan->options = options;
    plan->n_files = options->files.count;
    plan->files = take(plan->n_files, sizeof *plan->files);
    for (i = 0; i < plan->n_files; ++i) {
        file = &plan->files[i];
        file->given = options->files.items[i];
        open_file(plan, file);
        if (file->path)
            add_file(plan, file);
        for (j = 0; file->plugins &&
                    nn_plugins_component(file->plugins, j, &component);
             ++j)
            if (!strcmp(component.path, file->path) &&
                nn_kind_name(component.component->kind) &&
                is_chosen(options, component.component))
                add_component(plan, file, &component);
    }
}

void plan_destroy(plan *plan)
{
    uint32_t i;

    for (i = 0; i < plan->n_items; ++i) {
        free(plan->items[i].component);
        result_finish(&plan->items[i].result);
    }
    for (i = 0; i < plan->n_files; ++i) {
        nn_plugins_destroy(plan->files[i].plugins);
        free(plan->files[i].path);
        free(plan->files[i].refused);
        free(plan->files[i].handler);
    }
    free(plan->items);
    free(plan->files);
}

/* ---- the command -------------------------------------------------------- */

static const char *program = "nn-conformance";

void plan_set_program(const char *name)
{
    program = name;
}

/* Writes a blank and TEXT as one word of a shell. */
static void put_word(FILE *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./:=+,@%-";

    fputc(' ', to);
    if (*text && !text[strspn(text, plain)]) {
        fputs(text, to);
        return;
    }
    fputc('\'', to);
    for (; *text; ++text)
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    fputc('\'', to);
}

char *plan_command(const plan *plan, const plan_item *item)
{
    char *text = NULL;
    char *value;
    size_t length;
    FILE *to = open_memstream(&text, &length);

    if (!to)
        give_up("no memory for a command");
    put_word(to, program);
    if (item->file->given[0] == '-')
        put_word(to, item->file->path ? item->file->path : "");
    else
        put_word(to, item->file->given);
    if (*item->component) {
        fputs(" --component", to);
        put_word(to, item->component);
    }
    fprintf(to, " --level %s", level_name(plan->options->level));
    if (item->file->handler && strncmp(item->component, "handler:", 8)) {
        fputs(" --handler", to);
        put_word(to, item->file->handler);
    }
    value = text_of("%s:%llu", item->check->id, (unsigned long long)item->seed);
    fputs(" --reproduce", to);
    put_word(to, value);
    free(value);
    if (fclose(to))
        give_up("no memory for a command");
    memmove(text, text + 1, length);
    return text;
}
