/* SPDX-License-Identifier: MIT */
/* open.h - configs, runs and data for the commands.
 *
 * A run is a folder: checkpoints that its hooks and the trainer wrote, and
 * config.resolved.yaml, the config as it was trained, with every option of the
 * command line applied and every default filled in.  Functions return STATUS_OK, or
 * another status after saying why. */
#ifndef NN_TOOLS_OPEN_H
#define NN_TOOLS_OPEN_H

#include "command.h"

/* Reads the config at PATH with what COMMON says; its errors and warnings are
 * told.  EXTRA (may be NULL) is one more assignment.  *OUT is NULL on
 * failure. */
int open_config(const struct common *common, const char *path,
                const char *extra, nn_config **out);

/* The config of a run or checkpoint at PATH, or of a config file; *FROM (freed
 * by nn_free) is the file that was read. */
int open_any_config(const struct common *common, const char *path,
                    nn_config **out, char **from);

/* The config whose data a model of RUN is used with: the file CONFIG, or if it
 * is NULL the run's own. */
int open_run_config(const struct common *common, const char *run,
                    const char *config, nn_config **out);

/* Data NAME of CONFIG. */
int open_data(nn_config *config, const char *name, nn_data **out);

/* Opens the checkpoint at PATH; or only sees whether that works, and notes
 * which file it is. */
int open_checkpoint(const char *path, nn_checkpoint **out);
int check_checkpoint(const char *path);

/* The model of RUN for passes of up to T and B (0: small ones).  KEEP (may be
 * NULL) is the path of a buffer that stays readable. */
int open_model(const struct common *common, const char *run, int64_t T,
               int64_t B, const char *keep, nn_model **out);

/* 1 if PATH is a folder. */
int is_folder(const char *path);

/* FOLDER/NAME, or the folder of the file FOLDER in front; freed by the caller.
 * NULL without memory. */
char *path_in_run(const char *run, const char *name);

/* A copy of TEXT in which FORMAT is carried out; NULL without memory. */
char *text_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
