/* SPDX-License-Identifier: MIT */
/* run.c - see run.h. */
#define _GNU_SOURCE
#include "conformance/hook/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/hook/context.h"

#define PAGE 8192u

/* ---- making ------------------------------------------------------------ */

/* A hook gets updates or epochs as it offers them. */
static void settle_timescale(run *r)
{
    const uint32_t both = NN_AT_UPDATE | NN_AT_EPOCH;

    if (r->f.events & NN_AT_ALWAYS)
        r->options.updates = 2;
    else if ((r->f.events & both) == NN_AT_UPDATE)
        r->options.updates = 1;
    else if ((r->f.events & both) == NN_AT_EPOCH)
        r->options.updates = 0;
}

static int32_t make(run *r)
{
    const nn_hook_interface *theirs;

    r->part = check_host_part(r->t, &r->host, r->text);
    if (!r->part)
        return NN_INVALID_ARGUMENT;
    theirs = nn_part_component(r->part)->interface;
    memcpy(&r->f, theirs,
           theirs->size < sizeof r->f ? theirs->size : sizeof r->f);
    settle_timescale(r);
    check_host_clear(&r->host);
    if (!r->f.create)
        return NN_OK;
    trial_enter(r->t, "create");
    r->code = r->f.create(&r->host.host, nn_part_params(r->part), &r->hook);
    trial_leave(r->t);
    return r->code;
}

int32_t run_try(trial *t, const char *text, const run_options *options,
                run *out)
{
    int32_t code;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->text = text;
    if (options)
        out->options = *options;
    if (!out->options.epochs)
        out->options.epochs = 8;
    out->epoch = out->options.resumed;
    out->update = out->epoch * RUN_UPDATES;
    out->logs = trial_alloc(t, RUN_LOGS * sizeof *out->logs);
    out->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out->page == MAP_FAILED || check_host_init(t, &out->host))
        return NN_INTERNAL;
    code = make(out);
    if (!code)
        return NN_OK;
    out->message = trial_text(t, "%s", check_host_message(&out->host));
    nn_part_destroy(out->part);
    munmap(out->page, PAGE);
    return code;
}

int run_open(trial *t, const char *text, int sure, const run_options *options,
             run *out)
{
    int32_t code = run_try(t, text, options, out);

    if (!code)
        return 0;
    if (sure || !*out->message)
        trial_fail(t, trial_text(t, "create with %s", text),
                   sure ? "a hook" : "a hook, or a message",
                   trial_text(t, "code %d: %s", code, out->message));
    return -1;
}

void run_close(run *r)
{
    if (NN_HAS(&r->f, destroy) && r->f.destroy) {
        trial_enter(r->t, "destroy");
        r->f.destroy(r->hook);
        trial_leave(r->t);
    }
    nn_part_destroy(r->part);
    munmap(r->page, PAGE);
    free(r->said);
}

void run_forget(run *r)
{
    r->used = 0;
    if (r->said)
        *r->said = '\0';
}

/* ---- calls ------------------------------------------------------------- */

static void fill_context(run *r, uint32_t when)
{
    nn_hook_context *c = &r->page->context;
    int64_t epochs = r->options.epochs < 0 ? 0 : r->options.epochs;
    int unknown = r->options.unknown_length;
    int64_t count = 0;

    memset(c, 0, sizeof *c);
    r->page->run = r;
    context_functions(c);
    c->when = when;
    c->host = &r->host.host;
    c->params = nn_part_params(r->part);
    c->name = "subject";
    c->progress.size = NN_SIZEOF(nn_progress, total_updates);
    c->progress.epoch = r->epoch;
    c->progress.update = r->update;
    c->progress.updates_in_epoch = unknown ? -1 : RUN_UPDATES;
    c->progress.total_epochs = unknown ? -1 : epochs;
    c->progress.total_updates = unknown ? -1 : epochs * RUN_UPDATES;
    c->batches = when == NN_AT_UPDATE ? (r->update - 1) % RUN_UPDATES + 1 : 0;
    c->loss = context_last(r, "training.loss", &count);
    if (!count)
        c->loss = NAN;
    c->seconds = (double)r->update;
}

/* "call at EPOCH with {...}". */
static const char *call_name(run *r, uint32_t when)
{
    return trial_text(r->t, "call at %s with %s",
                      when == NN_AT_START    ? "START"
                      : when == NN_AT_UPDATE ? "UPDATE"
                      : when == NN_AT_EPOCH  ? "EPOCH"
                                             : "END",
                      r->text);
}

/* What the code says after a call in which FAILED functions failed and NOISE
 * messages came. */
static void judge(run *r, uint32_t when, uint32_t failed, uint64_t noise)
{
    int32_t code = r->code == NN_HOOK_STOP ? NN_HOOK_CONTINUE : r->code;

    if (r->options.judge & RUN_JUDGE_CODES)
        check_host_code(r->t, &r->host, call_name(r, when), code);
    if (!(r->options.judge & RUN_JUDGE_FAILURES) || !failed)
        return;
    check_host_code(r->t, &r->host, call_name(r, when), code);
    if (code >= 0 && !noise)
        trial_fail(r->t, call_name(r, when),
                   "a function that failed is told: by a code, or a message",
                   trial_text(r->t, "%d, and no word", r->code));
}

int32_t run_call(run *r, uint32_t when)
{
    uint32_t asked = r->asked[r->options.fails];
    uint64_t noise = (uint64_t)r->host.logged + r->spoken;
    uint32_t i;

    if (!(r->f.events & when))
        return NN_HOOK_CONTINUE;
    fill_context(r, when);
    context_say(r, "call %u", when);
    check_host_clear(&r->host);
    if (r->locked)
        mprotect(r->page, PAGE, PROT_READ);
    trial_enter(r->t, "call");
    r->code = r->f.call(r->hook, &r->page->context);
    trial_leave(r->t);
    if (r->locked)
        mprotect(r->page, PAGE, PROT_READ | PROT_WRITE);
    ++r->calls;
    if (r->code < 0 && !r->error) {
        r->error = r->code;
        r->error_text = trial_text(r->t, "%s", check_host_message(&r->host));
    }
    context_say(r, "returned %d", r->code);
    judge(r, when, r->asked[r->options.fails] - asked,
          (uint64_t)r->host.logged + r->spoken - noise);
    r->stopped |= r->code != NN_HOOK_CONTINUE;
    for (i = 0; i < r->n_logs; ++i)
        r->logs[i].seen = r->logs[i].count;
    return r->code;
}

/* ---- runs -------------------------------------------------------------- */

/* The value of a log at STEP: it falls, or rises, and then turns. */
static double value_at(const run *r, int64_t step, int rises)
{
    static const double falling[] = {0.9, 0.7,  0.6,  0.65,
                                     0.5, 0.62, 0.63, 0.64};
    double value = falling[step % 8];

    if (r->options.odd != 0 && step % 2)
        return r->options.odd;
    return rises ? 1 - value : value;
}

static void make_update(run *r)
{
    ++r->update;
    if (!r->options.silent)
        context_append(r, "training.loss", value_at(r, r->update, 0));
    if (r->options.updates)
        run_call(r, NN_AT_UPDATE);
}

void run_epoch(run *r)
{
    int64_t k;

    for (k = 0; k < RUN_UPDATES; ++k)
        make_update(r);
    ++r->epoch;
    if (!r->options.silent) {
        context_append(r, "validation.loss", value_at(r, r->epoch, 0));
        context_append(r, "validation.accuracy", value_at(r, r->epoch, 1));
    }
    if (r->options.updates != 1)
        run_call(r, NN_AT_EPOCH);
}

void run_whole(run *r)
{
    run_call(r, NN_AT_START);
    while (r->epoch < r->options.epochs && !r->stopped)
        run_epoch(r);
    run_call(r, NN_AT_END);
}

void run_resume(run *r, const run *from)
{
    memcpy(r->logs, from->logs, RUN_LOGS * sizeof *r->logs);
    memcpy(r->keys, from->keys, sizeof r->keys);
    r->n_logs = from->n_logs;
    r->n_keys = from->n_keys;
    r->epoch = from->epoch;
    r->update = from->update;
}

/* ---- texts ------------------------------------------------------------- */

/* A text for the required string PARAM, by its name. */
static const char *string_value(const nn_param *param)
{
    static const struct {
        const char *word;
        const char *text;
    } words[] = {{"path", "out.txt"},    {"file", "out.txt"},
                 {"buffer", "hidden.W"}, {"parameter", "hidden.W"},
                 {"layer", "hidden"},    {"data", "validation"}};
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(param->name, words[i].word))
            return words[i].text;
    return "validation.loss";
}

static const char *hook_value(trial *t, const nn_param *param, void *self)
{
    (void)t;
    (void)self;
    if (param->type == NN_PARAM_STRING && param->flags & NN_PARAM_REQUIRED)
        return string_value(param);
    if (param->type == NN_PARAM_COMPONENT && param->kind == NN_KIND_SCORER)
        return "mean_squared_error";
    if (param->type == NN_PARAM_COMPONENT && param->kind == NN_KIND_SCHEDULE)
        return "{constant: 0.5}";
    return NULL;
}

const text_set *run_texts(trial *t)
{
    return texts_make(t, hook_value, NULL);
}

void run_each(trial *t, texts_run each)
{
    texts_each(t, run_texts(t), each);
}
