/* SPDX-License-Identifier: MIT */
/* files.c - see files.h.
 *
 * The format of a file is guessed from names and texts of the component: IDX
 * (bytes), NumPy (float32, and int32 for labels) and comma-separated numbers
 * are known.  Numbers are whole and below 256, so that they are the same in
 * all of them. */
#include "conformance/data/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum format { UNKNOWN, IDX, NPY, CSV };

double files_x(int64_t sample, int64_t column)
{
    return (double)((sample * 11 + column * 4 + 1) % 251);
}

static double label(int64_t sample)
{
    return (double)(sample * 2 % 3);
}

/* ---- formats ----------------------------------------------------------- */

static void put_big(FILE *file, uint32_t number)
{
    int shift;

    for (shift = 24; shift >= 0; shift -= 8)
        fputc((int)(number >> shift & 255), file);
}

static void write_idx(FILE *file, int64_t n, int labels)
{
    int64_t i;
    int64_t j;

    put_big(file, labels ? 0x801 : 0x802);
    put_big(file, (uint32_t)n);
    if (!labels)
        put_big(file, FILES_COLUMNS);
    for (i = 0; i < n; ++i)
        for (j = 0; j < (labels ? 1 : FILES_COLUMNS); ++j)
            fputc((int)(labels ? label(i) : files_x(i, j)), file);
}

static void write_npy(FILE *file, int64_t n, int labels)
{
    char header[119];
    char dictionary[118];
    int64_t i;
    int64_t j;

    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64
             ",%s), }",
             labels ? "<i4" : "<f4", n, labels ? "" : " 3");
    snprintf(header, sizeof header, "%-117s\n", dictionary);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, 118, file);
    for (i = 0; i < n; ++i)
        for (j = 0; j < (labels ? 1 : FILES_COLUMNS); ++j) {
            int32_t whole = (int32_t)label(i);
            float real = (float)files_x(i, j);

            fwrite(labels ? (void *)&whole : (void *)&real, 4, 1, file);
        }
}

static void write_csv(FILE *file, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; ++i)
        fprintf(file, "%g,%g,%g,%g\n", files_x(i, 0), files_x(i, 1),
                files_x(i, 2), label(i));
}

/* ---- files ------------------------------------------------------------- */

/* Cuts FILE, SIZE bytes long, where it cannot be whole: in its last row. */
static void cut(const char *path, enum format format, int64_t size)
{
    FILE *file = fopen(path, "r+");

    if (!file)
        return;
    if (format == CSV) {
        fseek(file, -4, SEEK_END);
        fputs("\n", file);
        fflush(file);
        size = ftell(file) - 4;
    }
    fclose(file);
    if (size > 3)
        size -= format == CSV ? 0 : 3;
    if (truncate(path, size))
        remove(path);
}

static int64_t write_whole(const char *path, enum format format,
                           const file_set *set, int labels)
{
    FILE *file = fopen(path, "w");
    int64_t size;
    int i;

    if (!file)
        return -1;
    if (set->damage == GARBAGE)
        for (i = 0; i < 300; ++i)
            fputc((i * 181 + 77) & 255, file);
    else if (set->damage == EMPTY)
        ;
    else if (format == IDX)
        write_idx(file, set->n, labels);
    else if (format == NPY)
        write_npy(file, set->n, labels);
    else
        write_csv(file, set->n);
    size = ftell(file);
    fclose(file);
    return size;
}

/* The path of a file that is made. */
static const char *make(trial *t, enum format format, file_set *set, int labels)
{
    static const char *const damages[] = {"", "-missing", "-truncated",
                                          "-garbage", "-empty"};
    static const char *const endings[] = {"bin", "idx", "npy", "csv"};
    int64_t size;

    set->made = trial_text(t, "%s/%s%s-%" PRId64 ".%s", t->folder,
                           labels ? "labels" : "x", damages[set->damage],
                           set->n, endings[format]);
    if (set->damage == MISSING)
        return set->made;
    size = write_whole(set->made, format, set, labels);
    if (size < 0)
        trial_broken(t, "%s cannot be written", set->made);
    else if (set->damage == TRUNCATED)
        cut(set->made, format, size);
    return set->made;
}

/* ---- texts ------------------------------------------------------------- */

static int says(const char *text, const char *word)
{
    return text && strstr(text, word);
}

static enum format guess(const nn_component *component, const nn_param *param)
{
    static const struct {
        const char *word;
        enum format format;
    } words[] = {{"npy", NPY}, {"NumPy", NPY}, {"idx", IDX},  {"IDX", IDX},
                 {"csv", CSV}, {"CSV", CSV},   {"comma", CSV}};
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; ++i)
        if (says(component->name, words[i].word) ||
            says(param->doc, words[i].word) ||
            says(component->summary, words[i].word) ||
            (param->element && says(param->element->doc, words[i].word)))
            return words[i].format;
    return UNKNOWN;
}

const char *files_npy(trial *t, int64_t n)
{
    file_set npy = {n, INTACT, NULL, 0, NULL};
    const char *x = make(t, NPY, &npy, 0);

    return trial_text(t, "{npy: {x: %s, labels: %s}}", x,
                      make(t, NPY, &npy, 1));
}

static const char *component_value(trial *t, const nn_param *param,
                                   file_set *set)
{
    static const char *const texts[] = {
        [NN_KIND_HANDLER] = "reference",
        [NN_KIND_STEPPER] = "{sgd: 0.0625}",
        [NN_KIND_INITIALIZER] = "constant",
        [NN_KIND_SCORER] = "mean_squared_error",
        [NN_KIND_MODIFIER] = "{l2: 0.5}",
        [NN_KIND_SCHEDULE] = "{constant: 0.5}",
    };
    const char *x;

    if (param->kind == NN_KIND_ITERATOR) {
        set->inner = 1;
        if (set->inner_text)
            return set->inner_text;
        x = make(t, NPY, set, 0);
        return trial_text(t, "{npy: {x: %s, labels: %s}}", x,
                          make(t, NPY, set, 1));
    }
    return param->kind < sizeof texts / sizeof *texts ? texts[param->kind]
                                                      : NULL;
}

const char *files_value(trial *t, const nn_param *param, void *self)
{
    const nn_component *component = t->component->component;
    const nn_param *element = param->element;
    file_set *set = self;
    enum format format = guess(component, param);
    const char *x;

    if (param->type == NN_PARAM_COMPONENT)
        return component_value(t, param, set);
    if (param->type == NN_PARAM_FILE && format)
        return make(t, format, set, 0);
    if (param->type == NN_PARAM_STRING && param->flags & NN_PARAM_REQUIRED)
        return "x";
    if (param->type != NN_PARAM_MAP || !element)
        return NULL;
    if (element->type == NN_PARAM_FILE && format) {
        x = make(t, format, set, 0);
        return trial_text(t, "{x: %s, labels: %s}", x, make(t, format, set, 1));
    }
    /* Columns of a table. */
    if (element->type == NN_PARAM_LIST && element->element &&
        (element->element->type == NN_PARAM_SCALAR ||
         element->element->type == NN_PARAM_INT))
        return "{x: [0, 1, 2], labels: [3]}";
    return NULL;
}
