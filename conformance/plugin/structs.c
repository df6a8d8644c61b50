/* SPDX-License-Identifier: MIT */
/* structs.c - the data of the entry, byte by byte: sizes, reserved members,
 * texts, and the functions that may not be missing.
 *
 * Everything that the entry points to lies in the plugin's own segments: else
 * it is gone when what it belongs to goes. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include <nn/hook.h>
#include <nn/iterator.h>

#include "conformance/plugin/checks.h"
#include "conformance/plugin/utf8.h"

#define MOST_SEGMENTS 16
#define DEPTH 8

typedef struct span {
    uintptr_t first;
    uintptr_t end;
} span;

typedef struct walk {
    trial *t;
    const nn_plugin *entry;
    span spans[MOST_SEGMENTS];
    int n_spans;
} walk;

/* ---- where things lie --------------------------------------------------- */

static int take_spans(struct dl_phdr_info *info, size_t size, void *self)
{
    walk *w = self;
    uintptr_t wanted = (uintptr_t)w->entry;
    int found = 0;
    int i;

    (void)size;
    w->n_spans = 0;
    for (i = 0; i < info->dlpi_phnum && w->n_spans < MOST_SEGMENTS; ++i) {
        span *s = &w->spans[w->n_spans];

        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        s->first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        s->end = s->first + info->dlpi_phdr[i].p_memsz;
        found |= wanted >= s->first && wanted < s->end;
        ++w->n_spans;
    }
    return found;
}

/* Bytes from ADDRESS to the end of its segment; 0: it is in none. */
static size_t room_at(const walk *w, const void *address)
{
    uintptr_t at = (uintptr_t)address;
    int i;

    for (i = 0; i < w->n_spans; ++i)
        if (at >= w->spans[i].first && at < w->spans[i].end)
            return w->spans[i].end - at;
    return 0;
}

static void wrong(walk *w, const char *where, const char *expected,
                  const char *got)
{
    trial_fail(w->t, where, expected, got);
}

/* 1 if BYTES at ADDRESS may be read; says where not. */
static int can_read(walk *w, const char *where, const void *address,
                    size_t bytes)
{
    trial_tested(w->t, 1);
    if (address && (uintptr_t)address % 4 == 0 && room_at(w, address) >= bytes)
        return 1;
    wrong(w, where, "it lies in the plugin",
          address ? "it points elsewhere" : "it is NULL");
    return 0;
}

/* 1 if a struct of MINIMUM bytes, its size first, is at ADDRESS. */
static int can_read_sized(walk *w, const char *where, const void *address,
                          uint32_t minimum)
{
    uint32_t size;

    if (!can_read(w, where, address, sizeof size))
        return 0;
    size = *(const uint32_t *)address;
    if (size >= minimum && size % 4 == 0)
        return can_read(w, where, address, size);
    wrong(w, trial_text(w->t, "%s.size", where),
          trial_text(w->t,
                     "at least %u, which the first version has, and a "
                     "multiple of 4",
                     minimum),
          trial_text(w->t, "%u", size));
    return 0;
}

static void see_zero(walk *w, const char *where, const char *member,
                     uint32_t value)
{
    trial_tested(w->t, 1);
    if (value)
        wrong(w, trial_text(w->t, "%s.%s", where, member),
              "0, for versions to come", trial_text(w->t, "%u", value));
}

static void see_text(walk *w, const char *where, const char *member,
                     const char *text, int needed)
{
    const char *name = trial_text(w->t, "%s.%s", where, member);
    size_t room;

    trial_tested(w->t, 1);
    if (!text) {
        if (needed)
            wrong(w, name, "a text", "NULL");
        return;
    }
    room = room_at(w, text);
    if (!room || !memchr(text, 0, room))
        wrong(w, name, "a text in the plugin that ends with NUL",
              room ? "it has no end" : "it points elsewhere");
    else if (!utf8_is_valid(text))
        wrong(w, name, "UTF-8", "other bytes");
}

static void see_texts(walk *w, const char *where, const char *member,
                      const char *const *texts)
{
    uint32_t i;

    if (!texts)
        return;
    for (i = 0; can_read(w, trial_text(w->t, "%s.%s[%u]", where, member, i),
                         &texts[i], sizeof *texts) &&
                texts[i];
         ++i)
        see_text(w, where, trial_text(w->t, "%s[%u]", member, i), texts[i], 1);
}

/* ---- parameters, ports and cases ---------------------------------------- */

static void see_param(walk *w, const char *where, const nn_param *p, int depth)
{
    uint32_t i;

    if (!can_read_sized(w, where, p, NN_SIZEOF(nn_param, fields)) ||
        depth > DEPTH)
        return;
    see_text(w, where, "name", p->name, depth == 0);
    see_text(w, where, "doc", p->doc, depth == 0);
    see_text(w, where, "default_text", p->default_text, 0);
    see_texts(w, where, "choices", p->choices);
    if (p->type == NN_PARAM_CHOICE && !p->choices)
        wrong(w, trial_text(w->t, "%s.choices", where), "the choices", "NULL");
    if (p->type == NN_PARAM_LIST || p->type == NN_PARAM_MAP)
        see_param(w, trial_text(w->t, "%s.element", where), p->element,
                  depth + 1);
    if (p->type != NN_PARAM_RECORD)
        return;
    for (i = 0; can_read(w, trial_text(w->t, "%s.fields", where),
                         p->fields ? &p->fields[i] : NULL, sizeof p) &&
                p->fields[i];
         ++i)
        see_param(w, trial_text(w->t, "%s.fields[%u]", where, i), p->fields[i],
                  depth + 1);
}

static void see_ports(walk *w, const char *where, uint32_t count,
                      const nn_port *const *ports)
{
    uint32_t i;

    if (!count || !can_read(w, where, ports, count * sizeof *ports))
        return;
    for (i = 0; i < count; ++i) {
        const char *name = trial_text(w->t, "%s[%u]", where, i);

        if (!can_read_sized(w, name, ports[i], NN_SIZEOF(nn_port, doc)))
            continue;
        see_text(w, name, "name", ports[i]->name, 1);
        see_text(w, name, "doc", ports[i]->doc, 1);
    }
}

static void see_cases(walk *w, const char *where, const nn_case *const *cases)
{
    uint32_t i;

    for (i = 0;
         cases && can_read(w, where, &cases[i], sizeof *cases) && cases[i];
         ++i) {
        const char *name = trial_text(w->t, "%s[%u]", where, i);

        if (!can_read_sized(w, name, cases[i], NN_SIZEOF(nn_case, inputs)))
            continue;
        see_zero(w, name, "reserved", cases[i]->reserved);
        see_text(w, name, "params", cases[i]->params, 0);
        see_texts(w, name, "inputs", cases[i]->inputs);
    }
}

/* ---- interfaces --------------------------------------------------------- */

/* A member of an interface that may not be NULL. */
typedef struct slot {
    uint32_t kind;
    uint32_t offset;
    const char *name;
} slot;

#define SLOT(kind, type, member)                                               \
    {                                                                          \
        kind, (uint32_t)offsetof(type, member), #member                        \
    }

static const slot slots[] = {
    SLOT(NN_KIND_LAYER, nn_layer_interface, setup),
    SLOT(NN_KIND_LAYER, nn_layer_interface, forward),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, create),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, destroy),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, describe),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, allocate),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, release),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, map),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, unmap),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, error),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, clear_error),
    SLOT(NN_KIND_HANDLER, nn_handler_interface, synchronize),
    SLOT(NN_KIND_HOOK, nn_hook_interface, call),
    SLOT(NN_KIND_ITERATOR, nn_iterator_interface, create),
    SLOT(NN_KIND_ITERATOR, nn_iterator_interface, destroy),
    SLOT(NN_KIND_ITERATOR, nn_iterator_interface, describe),
    SLOT(NN_KIND_ITERATOR, nn_iterator_interface, start),
    SLOT(NN_KIND_ITERATOR, nn_iterator_interface, next),
    SLOT(NN_KIND_STEPPER, nn_stepper_interface, step),
    SLOT(NN_KIND_INITIALIZER, nn_initializer_interface, fill),
    SLOT(NN_KIND_SCORER, nn_scorer_interface, score),
    SLOT(NN_KIND_MODIFIER, nn_modifier_interface, modify),
    SLOT(NN_KIND_SCHEDULE, nn_schedule_interface, value),
};

static uint32_t smallest_interface(uint32_t kind)
{
    switch (kind) {
    case NN_KIND_LAYER:
        return NN_SIZEOF(nn_layer_interface, backward);
    case NN_KIND_HANDLER:
        return NN_SIZEOF(nn_handler_interface, get_interface);
    case NN_KIND_HOOK:
        return NN_SIZEOF(nn_hook_interface, call);
    case NN_KIND_ITERATOR:
        return NN_SIZEOF(nn_iterator_interface, gather);
    case NN_KIND_STEPPER:
        return NN_SIZEOF(nn_stepper_interface, step);
    case NN_KIND_INITIALIZER:
        return NN_SIZEOF(nn_initializer_interface, fill);
    case NN_KIND_SCORER:
        return NN_SIZEOF(nn_scorer_interface, score);
    case NN_KIND_MODIFIER:
        return NN_SIZEOF(nn_modifier_interface, modify);
    case NN_KIND_SCHEDULE:
        return NN_SIZEOF(nn_schedule_interface, value);
    default:
        return 4;
    }
}

static void see_interface(walk *w, const char *where, const nn_component *c)
{
    const unsigned char *bytes = c->interface;
    const char *name = trial_text(w->t, "%s.interface", where);
    void *pointer;
    size_t i;

    if (!can_read_sized(w, name, bytes, smallest_interface(c->kind)))
        return;
    for (i = 0; i < sizeof slots / sizeof *slots; ++i) {
        if (slots[i].kind != c->kind)
            continue;
        trial_tested(w->t, 1);
        memcpy(&pointer, bytes + slots[i].offset, sizeof pointer);
        if (!pointer)
            wrong(w, trial_text(w->t, "%s.%s", name, slots[i].name),
                  "a function", "NULL");
    }
    if (c->kind == NN_KIND_ITERATOR)
        see_zero(w, name, "reserved",
                 ((const nn_iterator_interface *)c->interface)->reserved);
    if (c->kind == NN_KIND_SCHEDULE)
        see_zero(w, name, "reserved",
                 ((const nn_schedule_interface *)c->interface)->reserved);
    if (c->kind == NN_KIND_INITIALIZER)
        see_zero(w, name, "reserved",
                 ((const nn_initializer_interface *)c->interface)->reserved);
}

/* ---- components and the entry ------------------------------------------- */

static void see_component(walk *w, const char *where, const nn_component *c)
{
    uint32_t i;

    if (!can_read_sized(w, where, c, NN_SIZEOF(nn_component, outputs)))
        return;
    if (!nn_kind_name(c->kind))
        wrong(w, trial_text(w->t, "%s.kind", where), "a kind of base.h",
              trial_text(w->t, "%u", c->kind));
    see_text(w, where, "name", c->name, 1);
    see_text(w, where, "summary", c->summary, 1);
    see_text(w, where, "doc", c->doc, 1);
    if (c->n_params && can_read(w, trial_text(w->t, "%s.params", where),
                                c->params, c->n_params * sizeof *c->params))
        for (i = 0; i < c->n_params; ++i)
            see_param(w, trial_text(w->t, "%s.params[%u]", where, i),
                      c->params[i], 0);
    see_ports(w, trial_text(w->t, "%s.inputs", where), c->n_inputs, c->inputs);
    see_ports(w, trial_text(w->t, "%s.outputs", where), c->n_outputs,
              c->outputs);
    if (NN_HAS(c, cases))
        see_cases(w, trial_text(w->t, "%s.cases", where), c->cases);
    see_interface(w, where, c);
}

static void see_entry(walk *w)
{
    static const char where[] = "nn_plugin_v1";
    const nn_plugin *e = w->entry;
    uint32_t i;

    if (memcmp(e->magic, NN_PLUGIN_MAGIC, sizeof e->magic) != 0) {
        wrong(w, "nn_plugin_v1.magic", "the letters " NN_PLUGIN_MAGIC,
              "other bytes");
        return;
    }
    if (e->size < NN_SIZEOF(nn_plugin, deinit) || e->size % 4) {
        wrong(w, "nn_plugin_v1.size",
              trial_text(w->t, "at least %u, and a multiple of 4",
                         NN_SIZEOF(nn_plugin, deinit)),
              trial_text(w->t, "%u", e->size));
        return;
    }
    if (!can_read(w, where, e, e->size))
        return;
    if (e->min_host_minor > e->abi_minor)
        wrong(w, "nn_plugin_v1.min_host_minor",
              "not above abi_minor, which it was built with",
              trial_text(w->t, "%u above %u", e->min_host_minor, e->abi_minor));
    see_zero(w, where, "flags", e->flags);
    see_zero(w, where, "reserved", e->reserved);
    see_text(w, where, "id", e->id, 1);
    see_text(w, where, "name", e->name, 1);
    see_text(w, where, "version", e->version, 1);
    see_text(w, where, "license", e->license, 1);
    see_text(w, where, "author", e->author, 0);
    see_text(w, where, "summary", e->summary, 1);
    see_text(w, where, "url", e->url, 0);
    see_texts(w, where, "libraries", e->libraries);
    see_texts(w, where, "cpu_features", e->cpu_features);
    if (e->n_components && can_read(w, "nn_plugin_v1.components", e->components,
                                    e->n_components * sizeof *e->components))
        for (i = 0; i < e->n_components; ++i)
            see_component(w, trial_text(w->t, "components[%u]", i),
                          e->components[i]);
}

static void run_struct(trial *t)
{
    walk w;

    memset(&w, 0, sizeof w);
    w.t = t;
    w.entry = trial_open(t);
    if (!w.entry)
        return;
    dl_iterate_phdr(take_spans, &w);
    trial_tested(t, 1);
    see_entry(&w);
}

const check abi_struct = {
    .id = "abi.struct",
    .level = LEVEL_LOAD,
    .what = "the entry's data are whole: sizes, texts, mandatory functions",
    .why = "a host reads as much as a size says, and calls what is not NULL",
    .run = run_struct,
};
