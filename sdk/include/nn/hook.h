/* SPDX-License-Identifier: MIT */
/* hook.h - what is called between updates.
 *
 * A hook watches: it is called at the start, every `interval` updates or
 * epochs, and at the end.  It changes nothing but TUNABLE parameters, and
 * talks only through `emit`, which the program routes to stderr or a file.
 * It needs a network and a place for logs, no trainer: a C program can create
 * one and call it.  Every hook has, beside its own parameters, those that the
 * core adds: timescale (epoch or update), interval, output. */
#ifndef NN_HOOK_H
#define NN_HOOK_H

#include <nn/plugin.h>
#include <nn/training.h>

NN_BEGIN_DECLS

/* An instance.  Defined by its plugin. */
typedef struct nn_hook nn_hook;

/* When a hook is called: nn_hook_context.when and nn_hook_interface.events. */
#define NN_AT_START 1u  /* once, before the first update; after a resume too */
#define NN_AT_UPDATE 2u /* after an update */
#define NN_AT_EPOCH 4u  /* after an epoch */
#define NN_AT_END 8u    /* once, also after an error or a signal */

/* What call returns, besides negative codes. */
#define NN_HOOK_CONTINUE 0
#define NN_HOOK_STOP 1 /* end training after this update or epoch */

typedef struct nn_hook_context nn_hook_context;

/* What a hook sees.  All functions [compute], within the call only.  Log names
 * are dotted: "training.loss", "validation.accuracy". */
struct nn_hook_context {
    uint32_t size;
    uint32_t when; /* NN_AT_... */
    const nn_host *host;
    const nn_params *params;
    const char *name;     /* of this hook in the run */
    nn_progress progress; /* counts after the update just made */
    int64_t batches;      /* of this epoch so far, of updates_in_epoch */
    double loss;          /* of the last batch; NaN where there is none */
    double seconds;       /* since training started; for display only */

    /* The last value of log NAME and in *COUNT (may be NULL) how many there
     * are; NaN and 0 if none. */
    double (*log_last)(const nn_hook_context *context, const char *name,
                       int64_t *count);

    /* Value number INDEX, from 0, of log NAME; NaN out of range. */
    double (*log_at)(const nn_hook_context *context, const char *name,
                     int64_t index);

    /* Appends VALUE to log NAME. */
    int32_t (*log)(const nn_hook_context *context, const char *name,
                   double value);

    /* Calls VISIT for each log that got a value since this hook was called
     * last, with that value. */
    void (*log_new)(const nn_hook_context *context,
                    void (*visit)(void *self, const char *name, double value),
                    void *self);

    /* Losses and scores over all of data NAME ("validation"), each appended to
     * the logs as NAME.loss, NAME.<scorer>.  SCORERS are the items of a LIST
     * parameter of kind scorer; NULL: the loss alone.  Training is not
     * disturbed. */
    int32_t (*evaluate)(const nn_hook_context *context, const char *name,
                        const nn_value *scorers);

    /* Writes a checkpoint of now to PATH, relative to the run's folder;
     * atomic.  An existing file is replaced. */
    int32_t (*save)(const nn_hook_context *context, const char *path);

    /* Text for the hook's destination, whole lines. */
    void (*emit)(const nn_hook_context *context, const char *text);

    /* Says how far training is; the program draws it as it likes. */
    void (*show_progress)(const nn_hook_context *context);

    /* Appends BYTES to the file PATH of the run's folder; a resumed run first
     * cuts it to what the checkpoint knew. */
    int32_t (*append)(const nn_hook_context *context, const char *path,
                      const char *bytes, size_t count);

    /* 1 if all parameters (what "parameters"), gradients ("gradients") are
     * finite; else 0, and *NAME is the first one that is not. */
    int32_t (*all_finite)(const nn_hook_context *context, const char *what,
                          const char **name);

    /* Sets a TUNABLE parameter, "stepper.learning_rate"; it holds from the
     * next update on and wins over a schedule. */
    int32_t (*tune)(const nn_hook_context *context, const char *path,
                    double value);

    /* The text of a scalar to be kept with the checkpoint: what the hook must
     * remember.  get returns NaN if never set. */
    int32_t (*remember)(const nn_hook_context *context, const char *key,
                        double value);
    double (*recall)(const nn_hook_context *context, const char *key);
};

typedef struct nn_hook_interface {
    uint32_t size;   /* NN_SIZEOF(nn_hook_interface, call) */
    uint32_t events; /* NN_AT_...: when it wants to be called */

    /* Makes an instance.  Absent: the hook keeps nothing, `hook` is NULL.
     * [setup] */
    int32_t (*create)(const nn_host *host, const nn_params *params,
                      nn_hook **hook);

    /* Releases it; NULL is fine.  [setup] */
    void (*destroy)(nn_hook *hook);

    /* Patterns of buffers that it wants to read ("*.outputs.*"), NULL-
     * terminated; absent: none.  [setup] */
    const char *const *(*requests)(nn_hook *hook);

    /* Called.  Returns NN_HOOK_..., or a negative code with the message set,
     * which ends training with an error.  [compute] */
    int32_t (*call)(nn_hook *hook, const nn_hook_context *context);
} nn_hook_interface;

NN_END_DECLS

#endif
