/* SPDX-License-Identifier: MIT */
/* trainer.c - makes a trainer: everything that can fail before the first
 * update does it here. */
#define _GNU_SOURCE
#include "core/training/trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/store/file.h"
#include "core/store/folder.h"
#include "core/util/error.h"

#define RESOLVED_CONFIG "config.resolved.yaml"

double nn_trainer_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

nn_progress nn_trainer_progress(const nn_trainer *t)
{
    nn_progress progress;
    int64_t batches = t->train->info.n_batches;
    int64_t whole;

    memset(&progress, 0, sizeof progress);
    progress.size = NN_SIZEOF(nn_progress, total_updates);
    progress.epoch = t->epoch;
    progress.update = t->update;
    progress.updates_in_epoch = batches < 0 ? -1
                                            : (batches + t->accumulate - 1) /
                                                  t->accumulate;
    progress.total_epochs = t->epochs;
    progress.total_updates = t->updates;
    if (t->epochs < 0 || batches < 0 ||
        __builtin_mul_overflow(t->epochs, progress.updates_in_epoch, &whole))
        return progress;
    if (t->updates < 0 || whole < t->updates)
        progress.total_updates = whole;
    return progress;
}

/* ---- creation ---------------------------------------------------------- */

static int32_t check_model(const nn_model *model)
{
    if (!model->config->training)
        return nn_error_set(NN_INVALID_ARGUMENT, "training.no-section",
                            "the config has no section 'training'");
    if (!model->network->layout->training)
        return nn_error_set(NN_STATE, "training.inference",
                            "the model was made without gradients: it can not "
                            "be trained");
    if (!nn_network_losses(model->network))
        return nn_error_set(NN_INVALID_ARGUMENT, "training.no-loss",
                            "the network has no loss to train with");
    return NN_OK;
}

/* The value INDEX of `training`, or -1 for none. */
static int64_t limit(const nn_config *config, uint32_t index)
{
    const nn_value *value = config->training->values[index];

    return value->type ? value->integer : -1;
}

static int32_t read_limits(nn_trainer *t)
{
    t->epochs = limit(t->config, NN_TRAINING_EPOCHS);
    if (t->options.epochs > 0)
        t->epochs = t->options.epochs;
    t->updates = limit(t->config, NN_TRAINING_UPDATES);
    t->accumulate = nn_param_int(t->config->training, NN_TRAINING_ACCUMULATE);
    t->carries = nn_model_carries(t->model);
    if (t->epochs >= 0 || t->updates >= 0 || t->config->hooks.count)
        return NN_OK;
    return nn_error_set(NN_INVALID_ARGUMENT, "training.no-end",
                        "training has no end: give 'epochs' or 'updates', or "
                        "a hook that stops it");
}

static int32_t make_sums(nn_trainer *t)
{
    t->n_losses = nn_network_losses(t->network);
    t->loss_sums = nn_arena_alloc(t->arena, 4 * (int64_t)t->n_losses,
                                  sizeof *t->loss_sums);
    if (!t->loss_sums)
        return NN_NO_MEMORY;
    t->loss_weights = t->loss_sums + t->n_losses;
    t->values = t->loss_weights + t->n_losses;
    t->weights = t->values + t->n_losses;
    t->loss = NAN;
    return NN_OK;
}

static int32_t open_train(nn_trainer *t, nn_data *train)
{
    int32_t code = NN_OK;

    t->train = train;
    if (!train) {
        code = nn_data_create(t->config, "train", &t->train);
        t->owns_train = !code;
    }
    return code ? code : nn_model_check_data(t->model, t->train, "train");
}

/* The stepper's plans see the values of the first update. */
static int32_t make_parts(nn_trainer *t)
{
    nn_progress start;
    int32_t code;

    nn_tuning_init(&t->tuning, t->config->host, t->arena);
    code = nn_runs_create(t->model, &t->tuning, &t->runs);
    if (!code)
        code = nn_modifying_init(t->model, &t->runs, &t->tuning, &t->modifying);
    if (code)
        return code;
    start = nn_trainer_progress(t);
    code = nn_tuning_follow(&t->tuning, &start);
    if (!code)
        code = nn_stepping_init(t->model, &t->runs, t->arena, &t->stepping);
    return code ? code : nn_hooking_init(t);
}

/* ---- the folder, and what to go on from -------------------------------- */

static int32_t keep_folder(nn_trainer *t)
{
    if (!t->options.out)
        return NN_OK;
    t->files.folder = strdup(t->options.out);
    return t->files.folder
               ? NN_OK
               : nn_error_no_memory("a path", strlen(t->options.out));
}

static int32_t write_config(nn_trainer *t)
{
    nn_output *output = NULL;
    char *text = NULL;
    char *path = nn_appended_path(&t->files, RESOLVED_CONFIG);
    int32_t code = path ? nn_config_render(t->config, &text) : nn_error_code();

    if (!code)
        code = nn_output_create(path, &output);
    if (!code)
        nn_output_put(output, text, strlen(text));
    code = nn_output_finish(output, code);
    free(text);
    free(path);
    return code;
}

/* 1 if PATH is a folder. */
static int is_folder(const char *path)
{
    struct stat state;

    return !stat(path, &state) && S_ISDIR(state.st_mode);
}

static int32_t make_folder(nn_trainer *t)
{
    char *last;
    int32_t code;

    if (!t->files.folder)
        return NN_OK;
    code = nn_file_make_folder(t->files.folder);
    if (code)
        return code;
    last = nn_appended_path(&t->files, NN_LAST_CHECKPOINT);
    if (!last)
        return nn_error_code();
    if (is_folder(last))
        code = nn_error_set(NN_IO, "training.folder",
                            "\"%s\" is a folder, where the checkpoint would "
                            "be written",
                            last);
    free(last);
    return code ? code : write_config(t);
}

static int32_t resume(nn_trainer *t)
{
    nn_checkpoint *checkpoint = NULL;
    nn_text path = {0};
    int32_t code;

    if (!t->options.resume)
        return NN_OK;
    nn_text_append(&path, t->options.resume);
    if (is_folder(t->options.resume))
        nn_text_append(&path, "/" NN_LAST_CHECKPOINT);
    code = nn_text_status(&path);
    if (!code)
        code = nn_checkpoint_open(nn_text_string(&path), &checkpoint);
    if (!code)
        code = nn_trainer_restore(t, checkpoint);
    nn_checkpoint_close(checkpoint);
    nn_text_finish(&path);
    return code;
}

static int32_t make(nn_trainer *t, nn_data *train)
{
    int32_t code = nn_arena_create(&t->arena);

    if (!code)
        code = read_limits(t);
    if (!code)
        code = keep_folder(t);
    if (!code)
        code = make_sums(t);
    if (!code)
        code = open_train(t, train);
    if (!code)
        code = make_parts(t);
    if (!code)
        code = resume(t);
    return code ? code : make_folder(t);
}

/* A run that was resumed after its end has nothing to do, and says so. */
static void warn_done(const nn_trainer *t)
{
    const nn_host *host = t->config->host;
    char text[128];

    if (!t->options.resume || t->epochs < 0 || t->epoch < t->epochs)
        return;
    snprintf(text, sizeof text,
             "the run has %lld epochs already; nothing is left to train",
             (long long)t->epoch);
    host->log(host, NN_LOG_WARNING, text);
}

int32_t nn_trainer_create(nn_model *model, nn_data *train,
                          const nn_trainer_options *options, nn_trainer **out)
{
    nn_trainer *t;
    int32_t code;

    nn_error_clear();
    *out = NULL;
    code = check_model(model);
    if (code)
        return code;
    t = calloc(1, sizeof *t);
    if (!t)
        return nn_error_no_memory("a trainer", sizeof *t);
    if (options)
        memcpy(&t->options, options,
               options->size < sizeof t->options ? options->size
                                                 : sizeof t->options);
    t->model = model;
    t->config = model->config;
    t->network = model->network;
    t->seed = model->seed;
    atomic_init(&t->stop, 0);
    t->started = nn_trainer_clock();
    code = make(t, train);
    if (code) {
        nn_trainer_destroy(t);
        return code;
    }
    warn_done(t);
    *out = t;
    return NN_OK;
}

void nn_trainer_destroy(nn_trainer *trainer)
{
    if (!trainer)
        return;
    nn_hooking_finish(trainer);
    nn_stepping_finish(&trainer->stepping);
    nn_modifying_finish(&trainer->modifying);
    nn_trainer_drop_data(trainer);
    if (trainer->owns_train)
        nn_data_destroy(trainer->train);
    nn_logs_finish(&trainer->logs);
    nn_appended_finish(&trainer->files);
    nn_arena_destroy(trainer->arena);
    free(trainer);
}

/* ---- what else is public ----------------------------------------------- */

void nn_trainer_stop(nn_trainer *trainer)
{
    atomic_store(&trainer->stop, 1);
}

double nn_trainer_log(const nn_trainer *trainer, const char *name)
{
    const nn_series *series = nn_logs_find(&trainer->logs, name);

    return series && series->count ? series->values[series->count - 1] : NAN;
}

int32_t nn_trainer_write(nn_trainer *trainer, const char *path)
{
    nn_checkpoint_writer *writer = NULL;
    nn_arena *arena = NULL;
    int32_t code = nn_arena_create(&arena);

    if (!code)
        code = nn_checkpoint_writer_create(&writer);
    if (!code)
        code = nn_trainer_store(trainer, writer, arena);
    if (!code)
        code = nn_checkpoint_write(writer, path);
    nn_checkpoint_writer_destroy(writer);
    nn_arena_destroy(arena);
    return code;
}

int32_t nn_trainer_save(nn_trainer *trainer, const char *path)
{
    nn_error_clear();
    return nn_trainer_write(trainer, path);
}
