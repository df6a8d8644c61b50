/* SPDX-License-Identifier: MIT */
/* new.c - nn new: a folder with a plugin that compiles and passes.
 *
 * The source is that of the SDK's template with another name, so there is one
 * text to keep right; beside it are a Makefile, a config that uses it with its
 * data, and a page that says what to do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "new_files.h"
#include "talk.h"

#define PATH 4096

struct new_values {
    struct common common;
    int32_t cxx;
};

static const struct option options[] = {
    {"cxx", NULL, "Write a layer in C++17.", offsetof(struct new_values, cxx),
     OPTION_FLAG, 0, 0},
    OPTION_END};

/* ---- texts ------------------------------------------------------------- */

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* Does WORD stand at PLACE of TEXT by itself, or behind "KIND_"? */
static int stands(const char *text, const char *place, const char *word,
                  const char *kind)
{
    size_t before = strlen(kind) + 1;

    if (is_word(place[strlen(word)]))
        return 0;
    if (place == text || !is_word(place[-1]))
        return 1;
    return (size_t)(place - text) >= before && place[-1] == '_' &&
           !strncmp(place - before, kind, before - 1) &&
           ((size_t)(place - text) == before || !is_word(place[-before - 1]));
}

/* Writes TEXT to FILE with each WORD as NAME. */
static void write_renamed(FILE *file, const char *text, const char *word,
                          const char *kind, const char *name)
{
    const char *from = text;
    const char *place = text;

    while ((place = strstr(place, word))) {
        if (stands(text, place, word, kind)) {
            fwrite(from, 1, (size_t)(place - from), file);
            fputs(name, file);
            from = place + strlen(word);
        }
        place += strlen(word);
    }
    fputs(from, file);
}

/* Writes TEXT to FILE with "@NAME@" and "@KIND@" filled in. */
static void write_filled(FILE *file, const char *text, const char *kind,
                         const char *name)
{
    for (; *text; ++text)
        if (!strncmp(text, "@NAME@", 6)) {
            fputs(name, file);
            text += 5;
        } else if (!strncmp(text, "@KIND@", 6)) {
            fputs(kind, file);
            text += 5;
        } else {
            fputc(*text, file);
        }
}

/* ---- files ------------------------------------------------------------- */

/* The whole of a file of the templates, to be freed; NULL after an error. */
static char *read_template(const char *folder, const char *file)
{
    const char *root = getenv("NN_BUILD_TEMPLATES");
    char path[PATH];
    char *text = NULL;
    size_t used = 0;
    FILE *from;

    snprintf(path, sizeof path, "%s/%s/%s", root ? root : NN_TEMPLATE_DIR,
             folder, file);
    from = fopen(path, "re");
    while (from && !ferror(from) && !feof(from)) {
        char *grown = realloc(text, used + BUFSIZ + 1);

        if (!grown)
            break;
        text = grown;
        used += fread(text + used, 1, BUFSIZ, from);
        text[used] = '\0';
    }
    if (!from || ferror(from) || !text || !feof(from)) {
        talk_error(STATUS_FAILED, "the template %s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (from)
        fclose(from);
    return text;
}

static FILE *begin(const char *name, const char *file, char path[PATH])
{
    FILE *to;

    snprintf(path, PATH, "%s/%s", name, file);
    to = fopen(path, "we");
    if (!to)
        talk_error(STATUS_FAILED, "%s: %s", path, strerror(errno));
    return to;
}

static int end(FILE *file, const char *path)
{
    int failed = ferror(file);

    if (fclose(file) || failed)
        return talk_error(STATUS_FAILED, "%s: %s", path, strerror(errno));
    return STATUS_OK;
}

static int write_source(const struct new_kind *kind, const char *name, int cxx)
{
    const char *suffix = cxx ? "cc" : "c";
    char folder[64];
    char file[128];
    char path[PATH];
    char *text;
    FILE *to;
    int status;

    snprintf(folder, sizeof folder, "%s%s", kind->name, cxx ? "_cxx" : "");
    snprintf(file, sizeof file, "%s.%s", kind->name, suffix);
    text = read_template(folder, file);
    if (!text)
        return STATUS_FAILED;
    snprintf(file, sizeof file, "%s.%s", name, suffix);
    to = begin(name, file, path);
    if (to) {
        char old[128];
        const char *rest = strstr(text, " - ");

        /* The first line names the file. */
        snprintf(old, sizeof old, "%s.%s - ", kind->name, suffix);
        if (rest && !strncmp(rest + 3 - strlen(old), old, strlen(old))) {
            fwrite(text, 1, (size_t)(rest + 3 - text) - strlen(old), to);
            fprintf(to, "%s", file);
        } else {
            rest = text;
        }
        write_renamed(to, rest, kind->word, kind->name, name);
    }
    status = to ? end(to, path) : STATUS_FAILED;
    free(text);
    return status;
}

static int write_makefile(const struct new_kind *kind, const char *name)
{
    char path[PATH];
    char *text = read_template(kind->name, "Makefile");
    FILE *to = text ? begin(name, "Makefile", path) : NULL;
    int status = STATUS_FAILED;

    if (to) {
        fputs(text, to);
        status = end(to, path);
    }
    free(text);
    return status;
}

static int write_text(const char *file, const char *text,
                      const struct new_kind *kind, const char *name)
{
    char path[PATH];
    FILE *to = begin(name, file, path);

    if (!to)
        return STATUS_FAILED;
    write_filled(to, text, kind->name, name);
    return end(to, path);
}

static int write_data(const char *name)
{
    char path[PATH];
    char line[64];
    FILE *to = begin(name, "data.csv", path);
    int i;

    if (!to)
        return STATUS_FAILED;
    for (i = 0; new_data_line(i, line, sizeof line); ++i)
        fputs(line, to);
    return end(to, path);
}

/* ---- the command ------------------------------------------------------- */

static const struct new_kind *find_kind(const char *name)
{
    const struct new_kind *kind;
    struct nearest nearest = nearest_to(name);

    for (kind = new_kinds; kind->name; ++kind) {
        if (!strcmp(kind->name, name))
            return kind;
        nearest_offer(&nearest, kind->name);
    }
    if (nearest.best)
        talk_usage("there is no template for '%s'; did you mean '%s'?", name,
                   nearest.best);
    else
        talk_usage("there is no template for '%s'; there are layer, handler, "
                   "hook and iterator",
                   name);
    return NULL;
}

/* As the registry wants names of components. */
static int is_name(const char *name)
{
    size_t i;

    if (name[0] < 'a' || name[0] > 'z' || strlen(name) > 63)
        return 0;
    for (i = 0; name[i]; ++i)
        if (!is_word(name[i]) || (name[i] >= 'A' && name[i] <= 'Z'))
            return 0;
    return 1;
}

static int write_all(const struct new_kind *kind, const char *name, int cxx)
{
    int status = write_source(kind, name, cxx);

    if (!status)
        status = write_makefile(kind, name);
    if (!status)
        status = write_text("config.yaml", kind->config, kind, name);
    if (!status && kind->needs_data)
        status = write_data(name);
    return status ? status : write_text("README.md", new_readme, kind, name);
}

static int run(const void *values, const struct operands *operands)
{
    const struct new_values *given = values;
    const struct new_kind *kind = find_kind(operands->items[0]);
    const char *name = operands->items[1];
    int status;

    if (!kind)
        return STATUS_USAGE;
    if (!is_name(name))
        return talk_usage("'%s' is no name of a component: it has lower-case "
                          "letters, digits and '_', begins with a letter, and "
                          "has 63 characters at most",
                          name);
    if (given->cxx && strcmp(kind->name, "layer") != 0)
        return talk_usage("--cxx is for layers; there is no %s in C++",
                          kind->name);
    if (mkdir(name, 0777))
        return talk_error(STATUS_FAILED, "the folder %s: %s", name,
                          strerror(errno));
    status = write_all(kind, name, given->cxx);
    if (!status)
        printf("%s %s: cd %s, then make, make check, nn train config.yaml\n",
               kind->name, name, name);
    return status;
}

const struct command command_new = {
    .name = "new",
    .operands = "KIND NAME",
    .summary = "A folder with a new plugin that compiles and passes",
    .detail =
        "Writes the folder NAME, which must not exist, with the source of a "
        "plugin whose component is a KIND (layer, handler, hook or iterator) "
        "called NAME, a Makefile, a config that trains a small network with it "
        "and its data, and a README. The plugin is a copy of the SDK's "
        "template: it compiles with a compiler and make alone and passes "
        "nn-conformance; its head says what to change, and in which order.",
    .options = options,
    .least = 2,
    .most = 2,
    .size = sizeof(struct new_values),
    .run = run,
};
