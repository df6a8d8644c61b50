/* SPDX-License-Identifier: MIT */
/* train.c - nn train: trains what a config describes.
 *
 * Everything that can be wrong is found before the first update: config,
 * plugins, data, the folder of the run, the checkpoint to go on from.  SIGINT
 * and SIGTERM ask the trainer to stop; the update is finished, a checkpoint
 * written, and the exit status tells the signal.  The handler gives both
 * signals back to the system at once, so that a second one ends the program
 * there and then. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "open.h"
#include "progress.h"
#include "run_folder.h"
#include "scores.h"
#include "talk.h"

struct train_options {
    struct common common;
    struct option_count epochs;
    struct option_count seed;
    const char *out;
    const char *resume;
};

static const struct option options[] = {
    {"out", "RUN",
     "Folder of the run; it must be new or empty, or the one of --resume. "
     "Default: runs/NAME for NAME.yaml, numbered if that is there.",
     offsetof(struct train_options, out), OPTION_TEXT, 'o', 0},
    {"resume", "RUN",
     "Go on from the last checkpoint of RUN, or from a checkpoint file. "
     "Without --out the run goes on in its own folder.",
     offsetof(struct train_options, resume), OPTION_TEXT, 'r', 0},
    {"epochs", "N",
     "Train to N epochs in total, those before --resume counted.",
     offsetof(struct train_options, epochs), OPTION_COUNT, 'e', 1},
    {"seed", "N", "Draw everything random from N.",
     offsetof(struct train_options, seed), OPTION_COUNT, 0, 0},
    OPTION_HANDLER,
    OPTION_SET,
    OPTION_PLUGIN,
    OPTION_THREADS,
    {"quiet", NULL,
     "No progress and no notes; warnings, errors and results stay.",
     offsetof(struct common, quiet), OPTION_FLAG, 'q', 0},
    OPTION_END};

/* What one run owns. */
struct training {
    nn_config *config;
    nn_model *model;
    nn_trainer *trainer;
    struct run_folder folder;
};

/* ---- signals ----------------------------------------------------------- */

static nn_trainer *volatile signalled_trainer;
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    caught = number;
    nn_trainer_stop(signalled_trainer);
}

static void watch_signals(nn_trainer *trainer)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    signalled_trainer = trainer;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void leave_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

/* ---- making a run ------------------------------------------------------ */

/* The options that are assignments to the config, as if they had been given
 * with --set before all others. */
static int read_config(const struct train_options *given, const char *path,
                       nn_config **config)
{
    struct common common = given->common;
    const char **set = calloc(common.set.count + 2, sizeof *set);
    char seed[64];
    char epochs[64];
    uint32_t n = 0;
    int status;

    if (!set)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    snprintf(seed, sizeof seed, "seed=%lld", (long long)given->seed.value);
    snprintf(epochs, sizeof epochs, "training.epochs=%lld",
             (long long)given->epochs.value);
    if (given->seed.given)
        set[n++] = seed;
    if (given->epochs.given)
        set[n++] = epochs;
    if (common.set.count)
        memcpy(set + n, common.set.items, common.set.count * sizeof *set);
    common.set.items = set;
    common.set.count += n;
    status = open_config(&common, path, NULL, config);
    free(set);
    return status;
}

static int make_model(struct training *run)
{
    nn_model_options wanted;

    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.training = 1;
    if (nn_config_check_data(run->config))
        return talk_failure(STATUS_DATA);
    if (nn_model_create(run->config, &wanted, &run->model))
        return talk_failure(STATUS_FAILED);
    talk_note("%s", nn_model_device(run->model));
    return STATUS_OK;
}

static void emit(void *self, const char *text)
{
    (void)self;
    talk_text(text);
}

static int make_trainer(const struct train_options *given, struct training *run)
{
    nn_trainer_options wanted;
    int32_t code;

    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.out = run->folder.path;
    wanted.resume = given->resume;
    wanted.emit = emit;
    wanted.progress = given->common.quiet ? NULL : progress_show;
    code = nn_trainer_create(run->model, NULL, &wanted, &run->trainer);
    if (code == NN_INVALID_ARGUMENT || code == NN_NOT_FOUND)
        return talk_failure(STATUS_USAGE);
    if (code)
        return talk_failure(STATUS_FAILED);
    return STATUS_OK;
}

/* What --resume names must be there; what is in it the trainer judges. */
static int check_resume(const char *resume)
{
    if (!resume || access(resume, F_OK) == 0)
        return STATUS_OK;
    return talk_error(STATUS_CHECKPOINT, "%s: %s", resume, strerror(errno));
}

static int prepare(const struct train_options *given, const char *path,
                   struct training *run)
{
    int status = read_config(given, path, &run->config);

    if (!status)
        status = check_resume(given->resume);
    if (!status)
        status = run_folder_choose(path, given->out, given->resume,
                                   &run->folder);
    if (!status)
        status = make_model(run);
    if (!status)
        status = make_trainer(given, run);
    if (status)
        run_folder_abandon(&run->folder);
    return status;
}

/* ---- running it -------------------------------------------------------- */

static int train(struct training *run)
{
    int32_t ended = NN_ENDED_EPOCHS;
    int32_t code;

    talk_note("the run is %s", run->folder.path);
    progress_begin();
    watch_signals(run->trainer);
    code = nn_trainer_run(run->trainer, &ended);
    leave_signals();
    progress_end();
    if (code)
        return talk_failure(STATUS_FAILED);
    if (caught) {
        talk_note("ended by %s; --resume %s goes on",
                  caught == SIGINT ? "SIGINT" : "SIGTERM", run->folder.path);
        return STATUS_SIGNAL + (int)caught;
    }
    return STATUS_OK;
}

/* The data called test, if there are any, with the parameters as trained. */
static int test(struct training *run)
{
    nn_data *data = NULL;
    const char *id = NULL;
    int status;

    if (nn_data_create(run->config, "test", &data)) {
        nn_error(&id, NULL);
        if (id && !strcmp(id, "config.no-data"))
            return STATUS_OK;
        return talk_failure(STATUS_DATA);
    }
    status = print_scores(run->model, data, "test", 0);
    nn_data_destroy(data);
    return status;
}

static int run(const void *values, const struct operands *operands)
{
    struct training run = {NULL, NULL, NULL, {NULL, 0, 0}};
    int status = prepare(values, operands->items[0], &run);

    if (!status)
        status = train(&run);
    nn_trainer_destroy(run.trainer); /* hooks may have the test data open */
    if (!status)
        status = test(&run);
    nn_model_destroy(run.model);
    nn_config_destroy(run.config);
    run_folder_finish(&run.folder);
    return status;
}

const struct command command_train = {
    .name = "train",
    .operands = "CONFIG",
    .summary = "Trains what a config describes",
    .detail =
        "Trains the network of CONFIG with its data, stepper and hooks, into "
        "the folder of a run: checkpoints, logs, and config.resolved.yaml, "
        "the config as it was trained. Progress and the lines of hooks go to "
        "stderr. If the config has data called test, they are evaluated at "
        "the end, and a line a score goes to stdout: `test loss: 0.3100`.\n"
        "\n"
        "SIGINT (Ctrl-C) and SIGTERM finish the update and write a checkpoint, "
        "from which --resume goes on as if nothing had happened; a second "
        "signal ends at once.",
    .options = options,
    .least = 1,
    .most = 1,
    .size = sizeof(struct train_options),
    .run = run,
};
