/* SPDX-License-Identifier: MIT */
/* random_net.c - random networks, as text; see support.h. */
#include "tests/unit/network/support.h"

#include <stdio.h>
#include <string.h>

#include <nn/random.h>

typedef struct source {
    char name[32];
    int columns; /* of the last axis */
    int image;   /* 1: (T, B, 2, 3, columns) */
    int weights; /* 1: it is a fully_connected with `columns` units */
    int inputs;  /* of such a one */
} source;

typedef struct maker {
    uint64_t seed;
    uint64_t drawn;
    nn_text text;
    source sources[64];
    int count;
} maker;

static int draw(maker *m, int below)
{
    return (int)(nn_mix(nn_mix(m->seed) + ++m->drawn) % (uint64_t)below);
}

static source *add(maker *m, int columns, int image)
{
    source *one = &m->sources[m->count];

    memset(one, 0, sizeof *one);
    snprintf(one->name, sizeof one->name, "l%d", m->count++);
    one->columns = columns;
    one->image = image;
    return one;
}

static source *any(maker *m)
{
    return &m->sources[draw(m, m->count)];
}

/* Some source that is, or is no, image. */
static source *some(maker *m, int image)
{
    source *one = any(m);

    while (one->image != image)
        one = any(m);
    return one;
}

/* Writes ONE or a slice of it; returns its columns. */
static int refer(maker *m, const source *one)
{
    int first = draw(m, one->columns);
    int end = first + 1 + draw(m, one->columns - first);

    if (draw(m, 3)) {
        nn_text_format(&m->text, "%s", one->name);
        return one->columns;
    }
    nn_text_format(&m->text, "'%s[%d:%d]'", one->name, first, end);
    return end - first;
}

static const char *activation(maker *m)
{
    static const char *const all[] = {"linear", "tanh", "sigmoid", "softplus"};

    return all[draw(m, 4)];
}

static void add_dense(maker *m, int size)
{
    source *from = any(m);
    int columns;

    nn_text_format(&m->text,
                   "{fully_connected: {size: %d, activation: %s, "
                   "name: l%d, from: ",
                   size, activation(m), m->count);
    columns = refer(m, from) * (from->image ? 6 : 1);
    nn_text_append(&m->text, "}}, ");
    from = add(m, size, 0);
    from->weights = 1;
    from->inputs = columns;
}

static void add_concat(maker *m)
{
    int image = draw(m, 3) == 0;
    int parts = 1 + draw(m, 4);
    int columns = 0;
    int i;

    nn_text_format(&m->text, "{concat: {name: l%d, from: [", m->count);
    for (i = 0; i < parts; ++i) {
        columns += refer(m, some(m, image));
        nn_text_append(&m->text, i + 1 < parts ? ", " : "]}}, ");
    }
    add(m, columns, image);
}

/* A layer of one input whose output has its shape; TYPE is how it begins. */
static void add_same(maker *m, const char *type)
{
    source *from = any(m);
    int columns;

    nn_text_format(&m->text, "{%s name: l%d, from: ", type, m->count);
    columns = refer(m, from);
    nn_text_append(&m->text, "}}, ");
    add(m, columns, from->image);
}

static void add_masked(maker *m)
{
    source *from = any(m);
    int columns;

    nn_text_format(&m->text,
                   "{mask: {name: l%d, from: {mask: m, default: ", m->count);
    columns = refer(m, from);
    nn_text_append(&m->text, "}}}, ");
    add(m, columns, from->image);
}

/* The same source at several ports. */
static void add_repeated(maker *m)
{
    source *from = any(m);

    nn_text_format(&m->text,
                   "{optional: {name: l%d, from: [%s, none, %s, %s]"
                   "}}, ",
                   m->count, from->name, from->name, from->name);
    add(m, from->columns, from->image);
}

static void add_parent(maker *m)
{
    source *from = some(m, 0);
    int step = draw(m, 2);
    int size = step ? from->columns : 1 + draw(m, 4);

    nn_text_format(&m->text,
                   step ? "{pair: {inner: {fully_connected: {size: %d, "
                          "activation: tanh}}, "
                        : "{chain: {layers: [dropout, {fully_connected: 3}, "
                          "{fully_connected: %d}], ",
                   size);
    nn_text_format(&m->text, "name: l%d, from: %s}}, ", m->count, from->name);
    add(m, size, 0);
}

/* A second user of the parameters of some layer that fits some source. */
static void add_user(maker *m)
{
    int tied = draw(m, 2);
    int i;
    int j;

    for (i = m->count - 1; i > 0; --i)
        for (j = m->count - 1; j > 0 && m->sources[i].weights == 1; --j) {
            const source *of = &m->sources[i];
            const source *from = &m->sources[j];

            if (from->image ||
                from->columns != (tied ? of->columns : of->inputs))
                continue;
            if (tied)
                nn_text_format(&m->text,
                               "{tied: {of: %s, name: l%d, from: %s}"
                               "}, ",
                               of->name, m->count, from->name);
            else
                nn_text_format(&m->text,
                               "{fully_connected: {size: %d, share: %s, name: "
                               "l%d, from: %s}}, ",
                               of->columns, of->name, m->count, from->name);
            add(m, tied ? of->inputs : of->columns, 0);
            return;
        }
}

static void add_layer(maker *m)
{
    static const char *const same[] = {"dropout: {", "dropout: {", "frames: {",
                                       "counter: {",
                                       "activation: {kind: tanh, "};

    switch (draw(m, 9)) {
    case 0:
    case 1:
        add_dense(m, 1 + draw(m, 5));
        break;
    case 2:
    case 3:
        add_concat(m);
        break;
    case 4:
        add_masked(m);
        break;
    case 5:
        add_repeated(m);
        break;
    case 6:
        add_parent(m);
        break;
    case 7:
        add_user(m);
        break;
    default:
        add_same(m, same[draw(m, 5)]);
    }
}

char *net_random_layers(uint64_t seed)
{
    static const source inputs[] = {{"x", 4, 0, 0, 0},
                                    {"y", 3, 0, 0, 0},
                                    {"image", 2, 1, 0, 0}};
    maker m = {.seed = seed, .count = 3};
    char *text;
    int layers = 3 + draw(&m, 14);
    int i;

    memcpy(m.sources, inputs, sizeof inputs);
    nn_text_append(&m.text, "[");
    for (i = 0; i < layers; ++i)
        add_layer(&m);
    add_dense(&m, 2);
    if (draw(&m, 2))
        nn_text_format(&m.text, "{loss: {importance: 0.5, from: %s}}, ",
                       any(&m)->name);
    nn_text_format(&m.text,
                   "{squared_error: {from: {default: %s, targets: t}}"
                   "}]",
                   m.sources[m.count - 1].name);
    assert_int_equal(m.text.code, 0);
    text = strdup(nn_text_string(&m.text));
    nn_text_finish(&m.text);
    return text;
}
