/* SPDX-License-Identifier: MIT */
/* loop.c - epochs, updates and batches.
 *
 * An update reads up to `accumulate` batches and adds up their gradients; the
 * mean over the batches of which something is to be learned is what modifiers
 * and the stepper get.  The loss of an epoch is, by part of the loss, the mean
 * over its batches weighed with the weight that the part itself states, so
 * that a short batch counts as what it is, and a part without weight in a
 * batch not at all.
 *
 * After the first update of each size nothing is allocated here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/training/trainer.h"
#include "core/util/error.h"

/* How a step of the loop ended, beside 0 and negative codes. */
#define EPOCH_IS_OVER NN_END

/* Not ended. */
#define GOING_ON (-1)

/* nn_trainer.placed: the data are, or have no further batch. */
#define PLACED 1
#define AT_THE_END 2

/* ---- one batch --------------------------------------------------------- */

/* Makes the data's next batch that which training wants next; returns NN_END
 * if the epoch has none. */
static int32_t place(nn_trainer *t)
{
    int64_t batches = t->train->info.n_batches;
    int32_t code;

    if (t->placed)
        return t->placed == AT_THE_END ? NN_END : NN_OK;
    if (batches >= 0 && t->batch > 0 && t->batch >= batches)
        return NN_END;
    code = nn_data_start(t->train, t->seed, (uint64_t)t->epoch);
    if (!code)
        code = nn_data_seek(t->train, t->batch);
    t->placed = code ? 0 : PLACED;
    return code;
}

static int32_t forward(nn_trainer *t)
{
    const nn_batch *batch = &t->train->batch;
    int32_t code = nn_network_begin(t->network, batch->T, batch->B,
                                    NN_PASS_TRAIN | NN_PASS_BACKWARD);

    if (!code)
        code = nn_data_upload(t->train, t->network);
    if (code)
        return code;
    ++t->batch;
    ++t->passes;
    t->samples += batch->B;
    t->network->update = (uint64_t)t->passes;
    return nn_network_forward(t->network, t->carries, batch->begins);
}

/* Adds the loss of this batch to the epoch's; *LEARNS is 0 if no part of it
 * has a weight. */
static int32_t add_loss(nn_trainer *t, int *learns)
{
    int32_t code = nn_network_loss(t->network, &t->loss, t->values, t->weights);
    uint32_t k;

    *learns = 0;
    for (k = 0; k < t->n_losses && !code; ++k) {
        if (t->weights[k] == 0)
            continue;
        *learns = 1;
        t->loss_sums[k] += t->values[k] * t->weights[k];
        t->loss_weights[k] += t->weights[k];
    }
    return code;
}

/* ---- one update -------------------------------------------------------- */

/* Gradients of up to `accumulate` batches; *COUNT of them count.  Returns
 * NN_END if the epoch has no further batch. */
static int32_t collect(nn_trainer *t, int64_t *count)
{
    int64_t read;
    int learns;
    int32_t code = NN_OK;

    *count = 0;
    for (read = 0; read < t->accumulate && !code; ++read) {
        if (read)
            code = nn_data_next(t->train);
        if (!code)
            code = forward(t);
        if (!code)
            code = add_loss(t, &learns);
        if (code || !learns)
            continue;
        code = nn_network_backward(t->network, *count ? NN_ACCUMULATE : 0);
        ++*count;
    }
    return code;
}

/* Gradients times FACTOR, run by run. */
static void scale(nn_trainer *t, double factor)
{
    const nn_operations *ops = nn_completed_operations(t->network->completed);
    uint32_t i;

    nn_network_track(t->network, NN_TRACK_CORE, NULL);
    for (i = 0; i < t->stepping.n_steps; ++i) {
        nn_array gradients = t->stepping.steps[i].gradients;

        gradients.flags = 0;
        nn_mult_ts(ops, &gradients, factor, &gradients);
    }
    nn_network_track(t->network, NN_TRACK_OUTSIDE, NULL);
}

static int32_t change_parameters(nn_trainer *t, int64_t count)
{
    nn_progress progress = nn_trainer_progress(t);
    int64_t update = t->update + 1;
    int32_t code = nn_tuning_follow(&t->tuning, &progress);

    if (!code && count > 1)
        scale(t, 1.0 / (double)count);
    if (!code)
        code = nn_modifying_call(&t->modifying, NN_MODIFY_GRADIENT, update);
    if (!code)
        code = nn_stepping_step(&t->stepping, update);
    if (!code)
        code = nn_modifying_call(&t->modifying, NN_MODIFY_PARAMETER, update);
    if (code)
        return code;
    t->update = update;
    ++t->updated;
    nn_trainer_show(t);
    return nn_hooking_call(t, NN_AT_UPDATE, 0);
}

/* One update from the batch that was just read. */
static int32_t update(nn_trainer *t)
{
    int64_t count = 0;
    int32_t code = collect(t, &count);

    if (code < 0)
        return code;
    if (code == EPOCH_IS_OVER)
        t->placed = AT_THE_END;
    return count ? change_parameters(t, count) : NN_OK;
}

/* ---- epochs ------------------------------------------------------------ */

static int32_t end_epoch(nn_trainer *t)
{
    int32_t code;

    if (!t->batch)
        return nn_error_set(NN_INVALID_ARGUMENT, "training.no-batches",
                            "the training data gave no batch in epoch %lld",
                            (long long)t->epoch + 1);
    if (!t->updated && t->epochs < 0)
        return nn_error_set(NN_INVALID_ARGUMENT, "training.no-updates",
                            "epoch %lld had nothing to learn from: every "
                            "weight of the loss is 0",
                            (long long)t->epoch + 1);
    code = nn_logs_append(&t->logs, "training.loss",
                          nn_mean_loss(t->loss_sums, t->loss_weights,
                                       t->n_losses));
    if (code)
        return code;
    ++t->epoch;
    t->batch = 0;
    t->updated = 0;
    t->placed = 0;
    memset(t->loss_sums, 0, t->n_losses * sizeof *t->loss_sums);
    memset(t->loss_weights, 0, t->n_losses * sizeof *t->loss_weights);
    return nn_hooking_call(t, NN_AT_EPOCH, 0);
}

/* Why training is over now, or GOING_ON. */
static int32_t ended(nn_trainer *t)
{
    if (t->stopped)
        return NN_ENDED_HOOK;
    if (atomic_load(&t->stop))
        return NN_ENDED_STOPPED;
    return t->epochs >= 0 && t->epoch >= t->epochs ? NN_ENDED_EPOCHS : GOING_ON;
}

/* One batch further: an update, or the end of an epoch. */
static int32_t advance(nn_trainer *t, int32_t *why)
{
    int32_t code = place(t);

    if (!code)
        code = nn_data_next(t->train);
    if (code == EPOCH_IS_OVER)
        return end_epoch(t);
    if (code)
        return code;
    if (t->updates >= 0 && t->update >= t->updates) {
        *why = NN_ENDED_EPOCHS;
        return NN_OK;
    }
    return update(t);
}

/* The hooks that a resumed run has still to call. */
static int32_t finish_event(nn_trainer *t)
{
    uint32_t first = t->calling ? (uint32_t)(t->calling - t->hooks) + 1
                                : t->n_hooks;
    uint32_t event = t->event;

    t->event = 0;
    return event ? nn_hooking_call(t, event, first) : NN_OK;
}

static int32_t train(nn_trainer *t, int32_t *why)
{
    uint32_t event = t->event;
    const nn_hooked *calling = t->calling;
    int32_t code = nn_hooking_call(t, NN_AT_START, 0);

    t->event = event;
    t->calling = calling;
    if (!code)
        code = finish_event(t);
    *why = GOING_ON;
    while (!code && *why == GOING_ON) {
        *why = ended(t);
        if (*why == GOING_ON)
            code = advance(t, why);
    }
    return code;
}

/* ---- a run ------------------------------------------------------------- */

/* The checkpoint of the end.  Parameters that are not finite are of no use to
 * anybody and leave an older file alone. */
static int32_t save_end(nn_trainer *t)
{
    const char *name;
    char text[256];
    int32_t code = NN_OK;
    char *path;

    if (!t->files.folder)
        return NN_OK;
    name = nn_runs_not_finite(&t->runs, t->network, 0, &code);
    if (code)
        return code;
    if (name) {
        snprintf(text, sizeof text,
                 "parameter %s is not finite: no checkpoint of the end is "
                 "written",
                 name);
        t->config->host->log(t->config->host, NN_LOG_WARNING, text);
        return NN_OK;
    }
    path = nn_appended_path(&t->files, NN_LAST_CHECKPOINT);
    code = path ? nn_trainer_write(t, path) : nn_error_code();
    free(path);
    return code;
}

/* What a run leaves behind goes on here: hooks at the end, the checkpoint. */
static int32_t finish(nn_trainer *t, int32_t code)
{
    nn_kept_error kept;
    int32_t end;

    nn_error_keep(&kept);
    nn_logs_freeze(&t->logs);
    nn_appended_freeze(&t->files);
    end = nn_hooking_call(t, NN_AT_END, 0);
    if (!code && !end)
        end = save_end(t);
    if (!code)
        return end;
    nn_error_restore(&kept);
    return code;
}

int32_t nn_trainer_run(nn_trainer *trainer, int32_t *why)
{
    int32_t reason = GOING_ON;
    int32_t code;

    nn_error_clear();
    trainer->started = nn_trainer_clock();
    trainer->samples = 0;
    trainer->stopped = 0;
    trainer->placed = 0;
    nn_logs_thaw(&trainer->logs);
    code = nn_appended_thaw(&trainer->files);
    if (!code)
        code = train(trainer, &reason);
    code = finish(trainer, code);
    atomic_store(&trainer->stop, 0);
    if (why && !code)
        *why = reason;
    return code;
}
