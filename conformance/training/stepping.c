/* SPDX-License-Identifier: MIT */
/* stepping.c - see stepping.h. */
#include "conformance/training/stepping.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/watch.h"

/* ---- numbers ----------------------------------------------------------- */

static double curvature(int64_t i)
{
    return 0.5 + 1.5 * (double)i / (STEPPING_P - 1);
}

static double bottom(int64_t i)
{
    return (double)(i % 5) - 1.7;
}

void stepping_start(double *w)
{
    int64_t i;

    for (i = 0; i < STEPPING_P; ++i)
        w[i] = bottom(i) + (i % 2 ? 0.8 : -0.6) + 0.01 * (double)i;
}

void stepping_gradient(const double *w, double *g)
{
    int64_t i;

    for (i = 0; i < STEPPING_P; ++i)
        g[i] = curvature(i) * (w[i] - bottom(i));
}

double stepping_height(const double *w)
{
    double sum = 0;
    int64_t i;

    for (i = 0; i < STEPPING_P; ++i)
        sum += curvature(i) * (w[i] - bottom(i)) * (w[i] - bottom(i)) / 2;
    return sum;
}

int training_compare(trial *t, const char *where, const double *a,
                     const double *b, int64_t count, double bound)
{
    int64_t i;

    trial_tested(t, 1);
    for (i = 0; i < count; ++i) {
        double most = bound * (fabs(a[i]) > 1 ? fabs(a[i]) : 1);

        if (fabs(a[i] - b[i]) <= most || (a[i] != a[i] && b[i] != b[i]) ||
            a[i] == b[i])
            continue;
        trial_fail(t, trial_text(t, "%s, number %" PRId64, where, i),
                   trial_text(t, "%.17g%s", a[i],
                              bound > 0 ? trial_text(t, " within %.2g", most)
                                        : ""),
                   trial_text(t, "%.17g", b[i]));
        return -1;
    }
    return 0;
}

/* ---- plans ------------------------------------------------------------- */

static int32_t refuse_plan(const stepping *s, int32_t code, const char *text)
{
    const nn_host *host = &s->desk.host.host;

    return host->set_error(host, code, "trial.plan", text);
}

static int32_t make_plan(const nn_stepper_context *context, uint32_t slot,
                         const char *id, uint32_t row,
                         const nn_array *const *operands, uint32_t n_operands,
                         const void *attributes)
{
    stepping_run *run = (stepping_run *)(uintptr_t)context;
    stepping *s = run->owner;
    nn_plan_request request = {NN_SIZEOF(nn_plan_request, reserve_limit),
                               n_operands,
                               operands,
                               attributes,
                               0,
                               0};
    nn_plan_result result = {NN_SIZEOF(nn_plan_result, reserve_bytes), 0, NULL,
                             0, 0};
    nn_plan *plan;
    int32_t code;

    if (slot >= STEPPING_SLOTS)
        return refuse_plan(s, NN_INVALID_ARGUMENT, "no such slot");
    plan = &run->storage[slot];
    plan->row = nn_device_row(s->desk.device, id, row, s->options.composed,
                              &plan->self);
    if (!plan->row)
        return refuse_plan(s, NN_UNSUPPORTED, "no such row");
    code = plan->row->plan(plan->self, &request, &result);
    if (code)
        return code;
    plan->plan = result.plan;
    plan->workspace = desk_bytes(&s->desk, result.workspace_bytes);
    plan->reserve = desk_bytes(&s->desk, result.reserve_bytes);
    run->plans[slot] = plan;
    ++s->planned;
    return NN_OK;
}

static void run_plan(const nn_plan *plan, const nn_array *const *operands,
                     uint32_t n_operands, const void *attributes)
{
    plan->row->run(plan->self, plan->plan, operands, n_operands, attributes,
                   plan->workspace.memory ? &plan->workspace : NULL,
                   plan->reserve.memory ? &plan->reserve : NULL);
}

static void release_plans(stepping *s)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < s->n_runs; ++i)
        for (k = 0; k < STEPPING_SLOTS; ++k) {
            nn_plan *plan = s->runs[i].plans[k];

            if (plan && plan->row->destroy)
                plan->row->destroy(plan->self, plan->plan);
        }
}

/* ---- making ------------------------------------------------------------ */

static int32_t prepare(stepping *s, int64_t first, int64_t count)
{
    stepping_run *run = &s->runs[s->n_runs++];
    nn_stepper_context *c = &run->context;
    uint32_t v;

    run->owner = s;
    run->w = nn_slice(&s->w, first, count);
    run->g = nn_slice(&s->g, first, count);
    run->g.flags = NN_READ_ONLY;
    for (v = 0; v < s->f.n_vectors; ++v)
        run->vectors[v] = nn_slice(&s->vectors[v], first, count);
    c->size = NN_SIZEOF(nn_stepper_context, run);
    c->n_vectors = s->f.n_vectors;
    c->host = &s->desk.host.host;
    c->params = &s->params;
    c->ops = nn_device_operations(s->desk.device);
    c->parameters = &run->w;
    c->gradients = &run->g;
    c->vectors = run->vectors;
    c->update = 1;
    c->plans = run->plans;
    c->plan = make_plan;
    c->run = run_plan;
    return s->f.prepare ? s->f.prepare(c) : NN_OK;
}

/* The parameters may change between updates, so they are copies. */
static void copy_params(stepping *s)
{
    const nn_params *theirs = nn_part_params(s->part);
    const nn_value **list = trial_alloc(s->t,
                                        (theirs->count + 1) * sizeof *list);
    uint32_t i;

    s->values = trial_alloc(s->t, (theirs->count + 1) * sizeof *s->values);
    for (i = 0; i < theirs->count; ++i) {
        s->values[i] = *theirs->values[i];
        list[i] = &s->values[i];
    }
    s->params = *theirs;
    s->params.values = list;
    if (s->options.tune)
        stepping_tune(s, s->options.index, s->options.value);
}

static int32_t make(stepping *s)
{
    const nn_stepper_interface *theirs = nn_part_component(s->part)->interface;
    int64_t cut = s->options.cut;
    double w[STEPPING_P];
    int32_t code;
    uint32_t v;

    memcpy(&s->f, theirs,
           theirs->size < sizeof s->f ? theirs->size : sizeof s->f);
    if (s->f.n_vectors > STEPPING_VECTORS)
        return NN_UNSUPPORTED;
    copy_params(s);
    s->w = desk_vector(&s->desk, STEPPING_P);
    s->g = desk_vector(&s->desk, STEPPING_P);
    for (v = 0; v < s->f.n_vectors; ++v)
        s->vectors[v] = desk_vector(&s->desk, STEPPING_P);
    stepping_start(w);
    desk_set(&s->desk, &s->w, w);
    check_host_clear(&s->desk.host);
    trial_enter(s->t, "prepare");
    code = prepare(s, 0, cut ? cut : STEPPING_P);
    if (!code && cut)
        code = prepare(s, cut, STEPPING_P - cut);
    trial_leave(s->t);
    return code;
}

int stepping_open(trial *t, const char *text, int sure,
                  const stepping_options *options, stepping *out)
{
    int32_t code = NN_INVALID_ARGUMENT;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->text = text;
    if (options)
        out->options = *options;
    if (desk_open(t, out->options.handler ? out->options.handler : t->handler,
                  out->options.real ? out->options.real : NN_FLOAT64,
                  &out->desk))
        return -1;
    out->part = check_host_part(t, &out->desk.host, text);
    if (out->part)
        code = make(out);
    if (!code)
        return 0;
    out->message = trial_text(t, "%s", check_host_message(&out->desk.host));
    if (sure || !*out->message)
        trial_fail(t, trial_text(t, "prepare with %s", text),
                   sure ? "a stepper" : "a stepper, or a message",
                   trial_text(t, "code %d: %s", code, out->message));
    stepping_close(out);
    return -1;
}

void stepping_close(stepping *s)
{
    release_plans(s);
    nn_part_destroy(s->part);
    desk_close(&s->desk);
}

/* ---- steps ------------------------------------------------------------- */

void stepping_step(stepping *s, int64_t update, const double *g)
{
    double w[STEPPING_P];
    double bowl[STEPPING_P];
    uint32_t i;

    if (!g) {
        desk_get(&s->desk, &s->w, w);
        stepping_gradient(w, bowl);
        g = bowl;
    }
    desk_set(&s->desk, &s->g, g);
    for (i = 0; i < s->n_runs; ++i) {
        s->runs[i].context.update = update;
        trial_enter(s->t, "step");
        s->f.step(&s->runs[i].context);
        trial_leave(s->t);
    }
}

void stepping_steps(stepping *s, int64_t first, int64_t last)
{
    for (; first <= last; ++first)
        stepping_step(s, first, NULL);
}

void stepping_parameters(stepping *s, double *w)
{
    desk_get(&s->desk, &s->w, w);
}

void stepping_vector(stepping *s, uint32_t index, double *v)
{
    desk_get(&s->desk, &s->vectors[index], v);
}

void stepping_resume(stepping *s, stepping *from)
{
    double values[STEPPING_P];
    uint32_t v;

    stepping_parameters(from, values);
    desk_set(&s->desk, &s->w, values);
    for (v = 0; v < s->f.n_vectors; ++v) {
        stepping_vector(from, v, values);
        desk_set(&s->desk, &s->vectors[v], values);
    }
}

double stepping_value(const stepping *s, uint32_t index)
{
    return s->values[index].real;
}

void stepping_tune(stepping *s, uint32_t index, double value)
{
    s->values[index].real = value;
}

void training_watch(trial *t, const char *name)
{
    if (watch_group_count(WATCH_RANDOM, name) ||
        watch_group_count(WATCH_CLOCK, name))
        trial_fail(t, name, "a function of what it is given",
                   "it asks for random numbers, or for the time");
}

const text_set *training_texts(trial *t)
{
    return texts_make(t, NULL, NULL);
}
