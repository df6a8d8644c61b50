/* SPDX-License-Identifier: MIT */
/* exercise.c - see exercise.h; one function a kind. */
#include "conformance/plugin/exercise.h"

#include <string.h>

#include "conformance/data/stream.h"
#include "conformance/hook/run.h"
#include "conformance/layer/bench.h"
#include "conformance/training/scoring.h"

#define MOST_TEXTS 3u
#define NUMBERS 12

typedef void (*between_function)(trial *t, const char *call);

/* One exercise. */
typedef struct life {
    trial *t;
    const nn_host *host; /* NULL: the suite's own */
    between_function between;
    uint32_t made; /* instances */
} life;

static void done(life *l, const char *call)
{
    trial_tested(l->t, 1);
    if (l->between)
        l->between(l->t, call);
}

/* ---- layers ------------------------------------------------------------- */

static void live_layer(life *l)
{
    const layer_cases *cases = layer_cases_make(l->t, LEVEL_BASIC);
    const bench_options options = {.host = l->host};
    uint32_t i;

    done(l, "setup");
    for (i = 0; i < cases->count && i < MOST_TEXTS; ++i) {
        bench *b = bench_create(l->t, &cases->items[i], &options);

        if (!b)
            return;
        ++l->made;
        done(l, "setup");
        bench_draw(b, l->t->seed);
        if (!bench_forward(b)) {
            done(l, "forward");
            if (bench_has_backward(b) && !bench_backward(b))
                done(l, "backward");
        }
        bench_destroy(b);
    }
}

/* ---- handlers ----------------------------------------------------------- */

/* y = x + x of a few numbers. */
static void add(life *l, nn_device *device)
{
    const nn_handler_interface *f = nn_device_functions(device);
    nn_handler *handler = nn_device_handler(device);
    nn_array x;
    double *data;
    int i;

    memset(&x, 0, sizeof x);
    if (f->allocate(handler, NUMBERS * sizeof *data, &x.memory))
        return;
    x.dtype = NN_FLOAT64;
    x.ndim = 1;
    x.shape[0] = x.pitch = NUMBERS;
    data = f->map(handler, x.memory, 0, NUMBERS * sizeof *data, NN_MAP_WRITE);
    for (i = 0; data && i < NUMBERS; ++i)
        data[i] = i;
    if (data)
        f->unmap(handler, x.memory, data, NN_MAP_WRITE);
    done(l, "map");
    nn_add_tt(nn_device_operations(device), &x, &x, &x);
    f->synchronize(handler);
    done(l, "add_tt");
    f->release(handler, x.memory);
}

static void live_handler(life *l)
{
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  NN_FLOAT64, 1};
    nn_device *device = NULL;
    nn_part *part = NULL;

    if (!nn_part_create(l->t->plugins, NN_KIND_HANDLER, l->t->handler, l->host,
                        &part) &&
        !nn_device_create(part, &request, &device)) {
        ++l->made;
        done(l, "create");
        add(l, device);
    }
    nn_device_destroy(device);
    nn_part_destroy(part);
    done(l, "destroy");
}

/* ---- what has texts ----------------------------------------------------- */

typedef void (*live_function)(life *l, const char *text);

static void live_texts(life *l, const text_set *set, live_function live)
{
    uint32_t i;

    for (i = 0; i < set->count && i < MOST_TEXTS; ++i)
        live(l, set->items[i]);
}

/* The component with TEXT and the exercise's host, or NULL. */
static nn_part *make_part(life *l, const char *text)
{
    const nn_component *c = l->t->component->component;
    nn_part *part = NULL;

    nn_part_create(l->t->plugins, c->kind,
                   trial_text(l->t, "{%s: %s}", c->name, text), l->host, &part);
    return part;
}

static void live_iterator(life *l, const char *text)
{
    nn_iterator_request request = {NN_SIZEOF(nn_iterator_request, fields),
                                   NN_FLOAT32, 0, 0, NULL};
    nn_part *part = l->host ? make_part(l, text) : NULL;
    const nn_iterator_interface *f;
    nn_iterator *iterator = NULL;
    stream s;
    int32_t code;

    if (part) {
        f = nn_part_component(part)->interface;
        if (!f->create(l->host, nn_part_params(part), &request, &iterator))
            f->destroy(iterator);
        done(l, "create");
        nn_part_destroy(part);
    }
    if (stream_try(l->t, text, NULL, &s))
        return;
    ++l->made;
    done(l, "create");
    code = stream_start(&s, 1, 0, 0, 1);
    done(l, "start");
    while (code == NN_OK) {
        code = stream_next(&s);
        done(l, "next");
    }
    stream_close(&s);
    done(l, "destroy");
}

static void live_hook(life *l, const char *text)
{
    nn_part *part = l->host ? make_part(l, text) : NULL;
    const nn_hook_interface *f;
    nn_hook *hook = NULL;
    run r;

    if (part) {
        f = nn_part_component(part)->interface;
        if (f->create && !f->create(l->host, nn_part_params(part), &hook) &&
            f->destroy)
            f->destroy(hook);
        done(l, "create");
        nn_part_destroy(part);
    }
    if (run_try(l->t, text, NULL, &r))
        return;
    ++l->made;
    done(l, "create");
    run_call(&r, NN_AT_START);
    done(l, "call at START");
    run_epoch(&r);
    done(l, "call at EPOCH");
    run_call(&r, NN_AT_END);
    done(l, "call at END");
    run_close(&r);
    done(l, "destroy");
}

static void live_stepper(life *l, const char *text)
{
    stepping s;

    if (stepping_open(l->t, text, 0, NULL, &s))
        return;
    ++l->made;
    if (l->host)
        s.runs[0].context.host = l->host;
    done(l, "prepare");
    stepping_steps(&s, 1, 2);
    done(l, "step");
    stepping_close(&s);
}

/* Number INDEX of ARRAY, for a modifier that stands in `self`. */
typedef struct modifying {
    nn_modifier_context context; /* first */
    desk *desk;
} modifying;

static double read_number(const nn_modifier_context *context,
                          const nn_array *array, int64_t index)
{
    const modifying *m = (const modifying *)(const void *)context;
    nn_array element = nn_slice(array, index, 1);
    double value = 0;

    desk_get(m->desk, &element, &value);
    return value;
}

static void live_modifier(life *l, const char *text)
{
    nn_modified one = {.size = NN_SIZEOF(nn_modified, gradient),
                       .name = "hidden.W"};
    double values[NUMBERS] = {1, 2, 3};
    const nn_modifier_interface *f;
    nn_part *part;
    modifying m;
    desk d;

    if (desk_open(l->t, l->t->handler, NN_FLOAT64, &d))
        return;
    part = make_part(l, text);
    if (part) {
        memset(&m, 0, sizeof m);
        f = nn_part_component(part)->interface;
        m.desk = &d;
        one.parameter = desk_vector(&d, NUMBERS);
        one.gradient = desk_vector(&d, NUMBERS);
        desk_set(&d, &one.parameter, values);
        desk_set(&d, &one.gradient, values);
        m.context.size = NN_SIZEOF(nn_modifier_context, read);
        m.context.n_modified = 1;
        m.context.host = l->host ? l->host : &d.host.host;
        m.context.params = nn_part_params(part);
        m.context.ops = nn_device_operations(d.device);
        m.context.modified = &one;
        m.context.modified_size = sizeof one;
        m.context.scratch = desk_vector(&d, 2);
        m.context.update = 1;
        m.context.read = read_number;
        trial_enter(l->t, "modify");
        f->modify(&m.context);
        trial_leave(l->t);
        ++l->made;
        done(l, "modify");
    }
    nn_part_destroy(part);
    desk_close(&d);
}

static void live_schedule(life *l, const char *text)
{
    nn_progress progress = {
        NN_SIZEOF(nn_progress, total_updates), 0, 1, 10, 10, 4, 40};
    nn_part *part = make_part(l, text);
    const nn_schedule_interface *f;
    double value = 0;

    if (!part)
        return;
    f = nn_part_component(part)->interface;
    trial_enter(l->t, "value");
    f->value(l->host ? l->host : nn_part_host(part), nn_part_params(part),
             &progress, &value);
    trial_leave(l->t);
    ++l->made;
    done(l, "value");
    nn_part_destroy(part);
}

static void live_initializer(life *l, const char *text)
{
    static const int64_t shape[2] = {4, 3};
    double values[NUMBERS] = {0};
    nn_part *part = make_part(l, text);
    const nn_initializer_interface *f;
    nn_initialize what;

    if (!part)
        return;
    memset(&what, 0, sizeof what);
    what.size = NN_SIZEOF(nn_initialize, values);
    what.ndim = 2;
    what.host = l->host ? l->host : nn_part_host(part);
    what.params = nn_part_params(part);
    what.name = "hidden.W";
    what.shape = shape;
    what.fan_in = 3;
    what.fan_out = 4;
    what.random.seed = l->t->seed;
    what.values = values;
    f = nn_part_component(part)->interface;
    trial_enter(l->t, "fill");
    f->fill(&what);
    trial_leave(l->t);
    ++l->made;
    done(l, "fill");
    nn_part_destroy(part);
}

static void live_scorer(life *l, const char *text)
{
    scoring s;

    if (scoring_open(l->t, text, 0, &s))
        return;
    ++l->made;
    scoring_all(&s);
    done(l, "score");
    scoring_close(&s);
}

/* ---- all ---------------------------------------------------------------- */

static void live(life *l)
{
    switch (l->t->component->component->kind) {
    case NN_KIND_LAYER:
        live_layer(l);
        break;
    case NN_KIND_HANDLER:
        live_handler(l);
        break;
    case NN_KIND_HOOK:
        live_texts(l, run_texts(l->t), live_hook);
        break;
    case NN_KIND_ITERATOR:
        live_texts(l, stream_texts(l->t), live_iterator);
        break;
    case NN_KIND_STEPPER:
        live_texts(l, training_texts(l->t), live_stepper);
        break;
    case NN_KIND_INITIALIZER:
        live_texts(l, training_texts(l->t), live_initializer);
        break;
    case NN_KIND_SCORER:
        live_texts(l, training_texts(l->t), live_scorer);
        break;
    case NN_KIND_MODIFIER:
        live_texts(l, training_texts(l->t), live_modifier);
        break;
    case NN_KIND_SCHEDULE:
        live_texts(l, training_texts(l->t), live_schedule);
        break;
    default:
        break;
    }
}

void exercise(trial *t, const nn_host *host, between_function between)
{
    life l = {t, host, between, 0};

    live(&l);
    if (!l.made && !trial_failures(t))
        trial_skip(t, "no instance can be made of what the component says of "
                      "itself: it brings no case");
}
