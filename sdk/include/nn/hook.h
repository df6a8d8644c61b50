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
#define NN_AT_ALWAYS 16u /* in events: UPDATE and EPOCH both, whatever the
                            timescale; without it the hook is called at that of
                            the timescale alone, by default EPOCH */

/* What call returns, besides negative codes. */
#define NN_HOOK_CONTINUE 0
#define NN_HOOK_STOP 1 /* end training after this update or epoch */

typedef struct nn_hook_context nn_hook_context;

/* What a hook sees, read only; it and all texts in it live for the call.  Its
 * functions are called within that call only; those that return a code return
 * 0 or a negative one with the message set.  Log names are dotted:
 * "training.loss", "validation.accuracy". */
struct nn_hook_context {
    uint32_t size;           /* NN_SIZEOF(nn_hook_context, read) */
    uint32_t when;           /* NN_AT_...: why it is called now */
    const nn_host *host;     /* for messages and extensions */
    const nn_params *params; /* of the hook */
    const char *name;        /* of this hook in the run */
    nn_progress progress;    /* counts after the update just made */
    int64_t batches;         /* of this epoch so far, of updates_in_epoch */
    double loss;             /* of the last batch; NaN where there is none */
    double seconds;          /* since training started; for display only */

    /* The last value of log NAME and in *COUNT (may be NULL) how many there
     * are; NaN and 0 if none.  [compute] */
    double (*log_last)(const nn_hook_context *context, const char *name,
                       int64_t *count);

    /* Value number INDEX, from 0, of log NAME; NaN out of range.  [compute] */
    double (*log_at)(const nn_hook_context *context, const char *name,
                     int64_t index);

    /* Appends VALUE to log NAME, which is made if it is new.  [compute] */
    int32_t (*log)(const nn_hook_context *context, const char *name,
                   double value);

    /* Calls VISIT for each log that got a value since this hook was called
     * last, with that value; NAME lives for the call.  [compute] */
    void (*log_new)(const nn_hook_context *context,
                    void (*visit)(void *self, const char *name, double value),
                    void *self);

    /* Losses and scores over all of data NAME ("validation"), each appended to
     * the logs as NAME.loss, NAME.<scorer>.  SCORERS are the items of a LIST
     * parameter of kind scorer; NULL: the loss alone.  Training is not
     * disturbed.  NN_NOT_FOUND if there are no such data.  [compute] */
    int32_t (*evaluate)(const nn_hook_context *context, const char *name,
                        const nn_value *scorers);

    /* Writes a checkpoint of now to PATH, relative to the run's folder;
     * atomic.  An existing file is replaced.  NN_IO if it cannot be written.
     * [compute] */
    int32_t (*save)(const nn_hook_context *context, const char *path);

    /* Text for the hook's destination, whole lines; it is copied.
     * [compute] */
    void (*emit)(const nn_hook_context *context, const char *text);

    /* Says how far training is; the program draws it as it likes.
     * [compute] */
    void (*show_progress)(const nn_hook_context *context);

    /* Appends COUNT BYTES to the file PATH of the run's folder; a resumed run
     * first cuts it to what the checkpoint knew.  [compute] */
    int32_t (*append)(const nn_hook_context *context, const char *path,
                      const char *bytes, size_t count);

    /* 1 if all parameters (WHAT "parameters") or gradients ("gradients") are
     * finite; else 0, and *NAME is the first one that is not, which lives for
     * the call; or a negative code.  [compute] */
    int32_t (*all_finite)(const nn_hook_context *context, const char *what,
                          const char **name);

    /* Sets the TUNABLE parameter at PATH, "stepper.learning_rate"; it holds
     * from the next update on and wins over a schedule.  NN_NOT_FOUND for a
     * path without one.  [compute] */
    int32_t (*tune)(const nn_hook_context *context, const char *path,
                    double value);

    /* Keeps VALUE under KEY with this hook and in every checkpoint: what it
     * must know after a resume.  recall returns it, NaN if never set.
     * [compute] */
    int32_t (*remember)(const nn_hook_context *context, const char *key,
                        double value);
    double (*recall)(const nn_hook_context *context, const char *key);

    /* Copies the buffer at dotted PATH ("hidden.W", or one that a pattern of
     * nn_hook_interface.requests keeps) as numbers in C order: *COUNT of them,
     * of which the first ROOM go to VALUES.  Returns 0, NN_NOT_FOUND, or
     * NN_STATE for a buffer that is not kept.  [compute] */
    int32_t (*read)(const nn_hook_context *context, const char *path,
                    double *values, int64_t room, int64_t *count);
};

/* The functions of a hook. */
typedef struct nn_hook_interface {
    uint32_t size;   /* NN_SIZEOF(nn_hook_interface, call) */
    uint32_t events; /* NN_AT_...: when it wants to be called */

    /* Makes an instance.  Absent: the hook keeps nothing, `hook` is NULL.
     * [setup] */
    int32_t (*create)(const nn_host *host, const nn_params *params,
                      nn_hook **hook);

    /* Releases it; NULL is fine.  [setup] */
    void (*destroy)(nn_hook *hook);

    /* Patterns of buffers that it wants to read ("*.outputs.*"): constant,
     * NULL-terminated; absent: none. */
    const char *const *requests;

    /* Called.  Returns NN_HOOK_..., or a negative code with the message set,
     * which ends training with an error.  [compute] */
    int32_t (*call)(nn_hook *hook, const nn_hook_context *context);
} nn_hook_interface;

NN_END_DECLS

#endif
