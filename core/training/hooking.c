/* SPDX-License-Identifier: MIT */
/* hooking.c - makes the hooks of a run, and calls them.
 *
 * A hook states the events at which it wants to be called.  Of NN_AT_UPDATE
 * and NN_AT_EPOCH it gets one, that of its `timescale`, by default the epoch;
 * with NN_AT_ALWAYS it gets both.  `interval` counts what the timescale says:
 * a call is made where the number of complete updates or epochs is a multiple
 * of it, so that a resumed run calls at the same places.  Calls at the start,
 * at the end, and those of the other event are always made. */
#include "core/training/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/error.h"

#define UPDATE_OR_EPOCH (NN_AT_UPDATE | NN_AT_EPOCH)

/* ---- making ------------------------------------------------------------ */

/* Which events HOOKED gets, and what its interval counts. */
static int32_t choose_events(nn_hooked *hooked)
{
    uint32_t offered = hooked->interface.events & UPDATE_OR_EPOCH;
    uint32_t wanted = hooked->extra->timescale;

    hooked->events = hooked->interface.events &
                     (NN_AT_START | NN_AT_UPDATE | NN_AT_EPOCH | NN_AT_END);
    if (wanted && !(offered & wanted))
        return nn_error_set(NN_INVALID_ARGUMENT, "hook.timescale",
                            "it is not called after an %s",
                            wanted == NN_AT_UPDATE ? "update" : "epoch");
    hooked->timescale = wanted;
    if (!wanted)
        hooked->timescale = offered & NN_AT_EPOCH ? NN_AT_EPOCH : NN_AT_UPDATE;
    if (!(hooked->interface.events & NN_AT_ALWAYS))
        hooked->events &= ~UPDATE_OR_EPOCH | hooked->timescale;
    return NN_OK;
}

static int32_t create(nn_hooked *hooked)
{
    const nn_trainer *trainer = hooked->trainer;
    int32_t code = choose_events(hooked);

    if (!code && hooked->extra->output && !trainer->files.folder)
        code = nn_error_set(NN_INVALID_ARGUMENT, "hook.output",
                            "its output is the file '%s', but the run has no "
                            "folder",
                            hooked->extra->output);
    if (code || !hooked->interface.create)
        return code;
    code = hooked->interface.create(trainer->config->host,
                                    hooked->extra->named.params, &hooked->hook);
    if (code && !nn_error_code())
        nn_error_set(code, "hook.create",
                     "it failed with code %d and no message", code);
    hooked->created = !code;
    return code;
}

int32_t nn_hooking_init(nn_trainer *trainer)
{
    const nn_extras *extras = &trainer->config->hooks;
    int32_t code = NN_OK;
    int64_t i;

    trainer->hooks = nn_arena_alloc(trainer->arena, extras->count,
                                    sizeof *trainer->hooks);
    if (!trainer->hooks)
        return NN_NO_MEMORY;
    for (i = 0; i < extras->count && !code; ++i) {
        nn_hooked *hooked = &trainer->hooks[i];
        const nn_hook_interface *theirs =
            extras->items[i].named.component->interface;

        ++trainer->n_hooks;
        hooked->trainer = trainer;
        hooked->extra = &extras->items[i];
        memcpy(
            &hooked->interface, theirs,
            theirs->size < sizeof hooked->interface ? theirs->size
                                                    : sizeof hooked->interface);
        nn_hook_context_init(hooked);
        code = create(hooked);
        if (code)
            nn_error_prefix(code, "hook '%s': ", hooked->extra->name);
    }
    return code;
}

void nn_hooking_finish(nn_trainer *trainer)
{
    uint32_t i;
    uint32_t k;

    for (i = 0; i < trainer->n_hooks; ++i) {
        nn_hooked *hooked = &trainer->hooks[i];

        if (hooked->created && hooked->interface.destroy)
            hooked->interface.destroy(hooked->hook);
        for (k = 0; k < hooked->n_memories; ++k)
            free(hooked->memories[k].key);
        free(hooked->memories);
        free(hooked->seen);
    }
    trainer->n_hooks = 0;
}

/* ---- calling ----------------------------------------------------------- */

static int is_called(const nn_hooked *hooked, uint32_t when)
{
    const nn_trainer *trainer = hooked->trainer;

    if (!(hooked->events & when))
        return 0;
    if (when != hooked->timescale)
        return 1;
    return (when == NN_AT_EPOCH ? trainer->epoch : trainer->update) %
               hooked->extra->interval ==
           0;
}

static void fill_context(nn_hooked *hooked, uint32_t when)
{
    const nn_trainer *trainer = hooked->trainer;
    nn_hook_context *context = &hooked->context;

    context->when = when;
    context->progress = nn_trainer_progress(trainer);
    context->batches = trainer->batch;
    context->loss = trainer->loss;
    context->seconds = nn_trainer_clock() - trainer->started;
}

static int32_t call(nn_hooked *hooked, uint32_t when)
{
    int32_t code;

    nn_error_clear();
    hooked->emit_code = NN_OK;
    fill_context(hooked, when);
    hooked->trainer->calling = hooked;
    code = hooked->interface.call(hooked->hook, &hooked->context);
    if (code == NN_HOOK_STOP) {
        hooked->trainer->stopped = 1;
        code = NN_OK;
    }
    if (code > 0)
        code = nn_error_set(NN_INTERNAL, "hook.code",
                            "it returned %d, which means nothing", code);
    else if (code < 0 && !nn_error_code())
        nn_error_set(code, "hook.failed",
                     "it failed with code %d and no message", code);
    code = code ? code : hooked->emit_code;
    /* A call at the start is one more when a run is resumed. */
    if (!code && (when & UPDATE_OR_EPOCH))
        code = nn_hook_saw(hooked);
    return code ? nn_error_prefix(code, "hook '%s': ", hooked->extra->name)
                : NN_OK;
}

/* Puts the error CODE aside if it is the first. */
static void keep_first(nn_kept_error *kept, int32_t code)
{
    if (code && !kept->code)
        nn_error_keep(kept);
}

int32_t nn_hooking_call(nn_trainer *trainer, uint32_t when, uint32_t first)
{
    nn_kept_error kept = {0};
    uint32_t i;

    trainer->event = when;
    for (i = first; i < trainer->n_hooks; ++i) {
        if (!is_called(&trainer->hooks[i], when))
            continue;
        keep_first(&kept, call(&trainer->hooks[i], when));
        if (kept.code && when != NN_AT_END)
            break;
    }
    trainer->event = 0;
    trainer->calling = NULL;
    for (i = 0; i < trainer->n_hooks && !kept.code && when != NN_AT_END; ++i)
        keep_first(&kept, nn_hook_make_room(&trainer->hooks[i]));
    return nn_error_restore(&kept);
}
