/* SPDX-License-Identifier: MIT */
/* nervenet.h - the interface of libnervenet for programs.
 *
 *   config    a text in YAML, checked against the plugins that it names
 *   model     a config brought to life: plugins, handler, network
 *   network   forward, backward, buffers by name
 *   data      batches, from a config's iterators or from arrays of the caller
 *   trainer   model, data, stepper and hooks, with checkpoints
 *
 * Functions return 0 or a negative code of <nn/base.h>; nn_error tells the
 * message of the calling thread.  An object is used by one thread at a time;
 * different objects are independent.  What a function hands out as const
 * belongs to the object; `char **text` results are freed with nn_free.
 * X_destroy(NULL) does nothing.  The library never prints, exits, handles
 * signals or sets the locale.
 *
 * Structs that the caller fills begin with `size`: set it to sizeof the struct
 * and all other bytes to zero. */
#ifndef NERVENET_H
#define NERVENET_H

#include <nn/handler.h>
#include <nn/layer.h>

#ifdef __GNUC__
#define NN_API __attribute__((visibility("default")))
#else
#define NN_API
#endif

NN_BEGIN_DECLS

typedef struct nn_config nn_config;
typedef struct nn_model nn_model;
typedef struct nn_network nn_network;
typedef struct nn_data nn_data;
typedef struct nn_trainer nn_trainer;
typedef struct nn_plugins nn_plugins;
typedef struct nn_checkpoint nn_checkpoint;
typedef struct nn_part nn_part;
typedef struct nn_device nn_device;

/* ---- the library ------------------------------------------------------- */

/* "0.1.0".  [any] */
NN_API const char *nn_version(void);

/* The code of the calling thread's last failure, 0 if none; *ID ("config.
 * unknown-key") and *TEXT (each may be NULL) live until its next call into the
 * library.  [any] */
NN_API int32_t nn_error(const char **id, const char **text);

/* Frees a text that the library handed out.  [any] */
NN_API void nn_free(void *memory);

/* Where warnings and other messages go; LOG may be NULL: nowhere.  LEVEL is
 * NN_LOG_...  [setup] */
NN_API void nn_log_to(void (*log)(void *self, uint32_t level, const char *text),
                      void *self);

/* The number of threads that one handler may use; 0: the CPUs on which the
 * process may run.  nn_thread_budget tells it.  [setup] */
NN_API void nn_set_threads(uint32_t count);
NN_API uint32_t nn_thread_budget(void);

/* ---- plugins ----------------------------------------------------------- */

#define NN_STATE_OK 0u       /* can be named in a config */
#define NN_STATE_SHADOWED 1u /* another of the same name comes first */
#define NN_STATE_OFF 2u      /* sound, but of no use on this machine */
#define NN_STATE_REFUSED 3u  /* no plugin, or not to be trusted */

/* Where to look besides the usual folders. */
typedef struct nn_plugins_options {
    size_t size;                    /* sizeof(nn_plugins_options) */
    const char *const *files;       /* plugin files that must load */
    const char *const *plugin_path; /* further folders, absolute */
    uint32_t n_files;               /* entries of `files` */
    uint32_t n_plugin_path;         /* entries of `plugin_path` */
} nn_plugins_options;

/* A file that was seen. */
typedef struct nn_plugin_file {
    const char *path;        /* absolute */
    uint32_t state;          /* NN_STATE_... */
    const char *reason;      /* NULL if the state is OK */
    const char *warning;     /* NULL, or why it should not be trusted */
    const nn_plugin *plugin; /* metadata without functions; NULL if refused */
} nn_plugin_file;

/* A component that was seen. */
typedef struct nn_plugin_component {
    const nn_component *component; /* metadata without functions */
    const nn_plugin *plugin;       /* the same */
    const char *path;              /* of its file, absolute */
    uint32_t state;                /* NN_STATE_... */
    const char *reason;            /* NULL if the state is OK */
} nn_plugin_component;

/* Finds and describes all plugins, without opening one in this process.
 * OPTIONS may be NULL.  [setup] */
NN_API int32_t nn_plugins_create(const nn_plugins_options *options,
                                 nn_plugins **out);
NN_API void nn_plugins_destroy(nn_plugins *plugins);

/* Number INDEX of the files, components and searched folders, in their order;
 * 0 past the end.  *REASON is NULL if the folder was read.  [any] */
NN_API int32_t nn_plugins_file(const nn_plugins *plugins, uint32_t index,
                               nn_plugin_file *out);
NN_API int32_t nn_plugins_component(const nn_plugins *plugins, uint32_t index,
                                    nn_plugin_component *out);
NN_API const char *nn_plugins_folder(const nn_plugins *plugins, uint32_t index,
                                     const char **reason);

/* "layer", "handler", ...; NULL for an unknown kind.  [any] */
NN_API const char *nn_kind_name(uint32_t kind);

/* ---- components without a config --------------------------------------- */

/* A component of KIND, opened, with its parameters: TEXT is what a config would
 * write, "adam", "{adam: {beta1: 0.8}}", "debug(cpu)".  HOST is handed to it; it
 * outlives the part, and NULL means the library's own.  PLUGINS outlive the
 * part.  [setup] */
NN_API int32_t nn_part_create(const nn_plugins *plugins, uint32_t kind,
                              const char *text, const nn_host *host,
                              nn_part **out);
NN_API void nn_part_destroy(nn_part *part);

/* Its description, whose interface is that of its kind (iterator.h, hook.h,
 * training.h, ...) for the caller to call; its parameters; and the host that
 * instances are to get.  They live as long as the part.  [any] */
NN_API const nn_component *nn_part_component(const nn_part *part);
NN_API const nn_params *nn_part_params(const nn_part *part);
NN_API const nn_host *nn_part_host(const nn_part *part);

/* A handler made from HANDLER, a part of that kind which outlives it; once a
 * part.  [setup] */
NN_API int32_t nn_device_create(nn_part *handler,
                                const nn_handler_request *request,
                                nn_device **out);

/* The same around a handler of the caller's, made for REAL (NN_FLOAT32 or
 * NN_FLOAT64), which stays the caller's.  [setup] */
NN_API int32_t nn_device_wrap(const nn_handler_interface *functions,
                              nn_handler *handler, uint32_t real,
                              nn_device **out);
NN_API void nn_device_destroy(nn_device *device);

/* Its functions at this library's size, what it lacks being NULL, and the
 * handler to hand to them.  [any] */
NN_API const nn_handler_interface *nn_device_functions(const nn_device *device);
NN_API nn_handler *nn_device_handler(const nn_device *device);

/* All operations: its own, and what it lacks composed of others or run by the
 * reference on the host.  [any] */
NN_API const nn_operations *nn_device_operations(const nn_device *device);

/* Row NUMBER of extension ID and in *SELF what its functions get: the handler's
 * own, or with COMPOSED 1, or if it lacks it, the library's composition; NULL
 * if there is neither.  [setup] */
NN_API const nn_row *nn_device_row(nn_device *device, const char *id,
                                   uint32_t number, int32_t composed,
                                   nn_handler **self);

/* The error that the operations above keep, 0 if none, without waiting, and
 * forgetting it.  [compute] */
NN_API int32_t nn_device_error(nn_device *device, const char **id,
                               const char **text);
NN_API void nn_device_clear(nn_device *device);

/* ---- config ------------------------------------------------------------ */

/* What is put over a config. */
typedef struct nn_config_options {
    size_t size;                /* sizeof(nn_config_options) */
    const char *const *plugins; /* plugin files that must load */
    const char *const *set;     /* assignments "training.epochs=3" */
    uint32_t n_plugins;         /* entries of `plugins` */
    uint32_t n_set;             /* entries of `set` */
    const char *handler;        /* in place of the config's; NULL: that */
    const char *folder;         /* nn_config_parse: files are relative to it;
                                   NULL: the current one */
    const nn_host *host; /* handed to components; outlives the config; NULL:
                            the library's own */
} nn_config_options;

/* Reads and checks a config: keys, types, ranges, components, connections and
 * shapes; not whether data files exist.  *OUT is made even if errors were
 * found: nn_config_messages then has all of them; it is NULL only if memory is
 * exhausted.  OPTIONS may be NULL.  [setup] */
NN_API int32_t nn_config_load(const char *path,
                              const nn_config_options *options,
                              nn_config **out);

/* The same for TEXT, which messages call NAME; files are relative to
 * options->folder.  [setup] */
NN_API int32_t nn_config_parse(const char *text, const char *name,
                               const nn_config_options *options,
                               nn_config **out);
NN_API void nn_config_destroy(nn_config *config);

/* All errors and warnings, each with file, line, column, the line and a
 * caret; "" if there are none.  [any] */
NN_API const char *nn_config_messages(const nn_config *config);

/* The config with every default filled in, as YAML.  [any] */
NN_API int32_t nn_config_render(const nn_config *config, char **text);

/* Opens the data named in the config and checks that they fit the network's
 * inputs.  [setup] */
NN_API int32_t nn_config_check_data(nn_config *config);

/* ---- arrays on the host ------------------------------------------------ */

/* Dense memory of the caller.  Data are (T, B, features...). */
typedef struct nn_host_array {
    size_t size;                /* sizeof(nn_host_array) */
    const char *name;           /* of the input or field */
    uint32_t dtype;             /* NN_FLOAT32, NN_FLOAT64, NN_INT32, NN_UINT8 */
    uint32_t ndim;              /* axes of `shape` */
    int64_t shape[NN_MAX_DIMS]; /* elements on each axis */
    void *data;                 /* in C order */
} nn_host_array;

/* ---- model ------------------------------------------------------------- */

/* How a model is made. */
typedef struct nn_model_options {
    size_t size;           /* sizeof(nn_model_options) */
    int32_t training;      /* 1: with gradients */
    int32_t uninitialized; /* 1: leave the parameters zero */
    int64_t T;     /* largest number of time steps of a pass; 0: 1 */
    int64_t B;     /* largest number of samples of a pass; 0: 128 */
    uint64_t seed; /* 0: the config's */
    const char *handler;        /* in place of the config's or checkpoint's */
    const char *const *keep;    /* patterns of buffers that stay readable */
    uint32_t n_keep;            /* entries of `keep` */
    uint32_t n_plugins;         /* entries of `plugins` */
    const char *const *plugins; /* for nn_model_load: files that must load */
    nn_device *device; /* in place of any handler; outlives the model; NULL: the
                          handler that is named */
    int32_t deltas;    /* 1, with training: the network's inputs, and outputs
                          that no layer reads, have deltas as others do */
    int32_t reserved;  /* zero */
} nn_model_options;

/* Makes handler and network of CONFIG, which outlives the model, and
 * initializes the parameters.  [setup] */
NN_API int32_t nn_model_create(nn_config *config,
                               const nn_model_options *options, nn_model **out);

/* The model that a checkpoint describes, with its parameters and state; PATH
 * is a file, or a run's folder, whose best checkpoint, or else the last one,
 * is taken.  Needs neither data nor hooks nor a stepper.  [setup] */
NN_API int32_t nn_model_load(const char *path, const nn_model_options *options,
                             nn_model **out);
NN_API void nn_model_destroy(nn_model *model);

/* Its network, and its config.  They live as long as the model.  [any] */
NN_API nn_network *nn_model_network(nn_model *model);
NN_API nn_config *nn_model_config(nn_model *model);

/* "cpu: AVX-512, 2 threads".  [any] */
NN_API const char *nn_model_device(const nn_model *model);

/* Runs INPUTS (N of them; (T, B, features...), any B: it is cut into batches)
 * through the network and copies the output at PATH ("scores.outputs.default";
 * NULL: the predictions of the loss, or else the output of the last layer) to
 * *OUT, whose memory the caller frees with nn_free(out->data).  Inputs that
 * this output does not need, such as targets, may be left out.  [compute] */
NN_API int32_t nn_model_predict(nn_model *model, const nn_host_array *inputs,
                                uint32_t n, const char *path,
                                nn_host_array *out);

/* Writes parameters and state, without anything of training.  Atomic.
 * [compute] */
NN_API int32_t nn_model_save(nn_model *model, const char *path);

/* One layer of a summary. */
typedef struct nn_layer_summary {
    const char *name;      /* "hidden" */
    const char *type;      /* "fully_connected" */
    const char *inputs;    /* "images", "hidden, skip" */
    const char *shape;     /* of the first output, "(T, B, 10)" */
    int64_t parameters;    /* of its own */
    int64_t multiply_adds; /* of forward for one sample and time step; -1: not
                              known */
    const char *notes;     /* "shares conv1", "copies a slice"; or "" */
} nn_layer_summary;

/* What a network needs, all exact; in bytes. */
typedef struct nn_memory_summary {
    size_t size;        /* sizeof(nn_memory_summary) */
    int64_t parameters; /* with padding */
    int64_t gradients;  /* 0 without training */
    int64_t state;      /* what is kept and not trained */
    int64_t
        activations; /* outputs, deltas, internals, workspace, by lifetime */
    int64_t carried; /* frames that go on from pass to pass */
    int64_t stepper; /* the vectors of the stepper */
    int64_t total;   /* the sum */
    int64_t T;       /* largest number of time steps of a pass */
    int64_t B;       /* largest number of samples of a pass */
} nn_memory_summary;

/* Layer INDEX of CONFIG's network, in the order of execution; 0 past the end.
 * [any] */
NN_API int32_t nn_config_layer(const nn_config *config, uint32_t index,
                               nn_layer_summary *out);

/* The memory that CONFIG's network takes for T and B (0: as the training data
 * have them), with or without TRAINING; nothing is allocated.  [setup] */
NN_API int32_t nn_config_memory(nn_config *config, int64_t T, int64_t B,
                                int32_t training, nn_memory_summary *out);

/* ---- network ----------------------------------------------------------- */

/* Flags of a backward pass. */
#define NN_ACCUMULATE 1u /* add to the gradients instead of replacing them */
#define NN_GIVEN_DELTAS 2u /* the deltas of outputs that no layer reads, losses
                              among them, are what the caller uploaded; without
                              it they are the derivative of the loss, and 0 for
                              what is no loss.  Needs nn_model_options.deltas */

/* Chooses T and B of the next pass, and NN_PASS_TRAIN and NN_PASS_BACKWARD in
 * FLAGS: then inputs are set, then it runs.  More than the network was made
 * for is NN_SHAPE.  [compute] */
NN_API int32_t nn_network_begin(nn_network *network, int64_t T, int64_t B,
                                uint32_t flags);

/* The array of the network input NAME for the pass begun, or NN_NOT_FOUND.
 * [compute] */
NN_API int32_t nn_network_input(nn_network *network, const char *name,
                                nn_array *array);

/* Copies dense host DATA of the array's dtype to ARRAY, or back.  [compute] */
NN_API int32_t nn_network_upload(nn_network *network, const nn_array *array,
                                 const void *data);
NN_API int32_t nn_network_download(nn_network *network, const nn_array *array,
                                   void *data);

/* Runs all layers.  CARRY 1 goes on from the frames of the last pass, but for
 * the rows of BEGINS (B flags, may be NULL: none); 0 starts all rows anew.
 * [compute] */
NN_API int32_t nn_network_forward(nn_network *network, int carry,
                                  const uint8_t *begins);

/* Gradients of the loss, after a forward pass with NN_PASS_BACKWARD.  With
 * nn_model_options.deltas also those by the inputs: view "PATH.output_deltas.
 * NAME" of the layer that the inputs come from.  [compute] */
NN_API int32_t nn_network_backward(nn_network *network, uint32_t flags);

#define NN_PASS_FORWARD_OF 0u  /* of nn_network_layer and nn_network_run */
#define NN_PASS_BACKWARD_OF 1u /* the same */

/* What the forward or backward (PASS) of top layer NAME sees in the pass begun.
 * The caller may read its arrays, and may replace members, arrays and modes
 * among them, for the next nn_network_run of it; the next call restores them.
 * [compute] */
NN_API int32_t nn_network_layer(nn_network *network, const char *name,
                                uint32_t pass, nn_layer_context **context);

/* Runs the forward or backward (PASS) of top layer NAME alone, with what the
 * core does around it: frames of context, dense copies, zeroing before it what
 * it adds to unless FLAGS has NN_ACCUMULATE.  [compute] */
NN_API int32_t nn_network_run(nn_network *network, const char *name,
                              uint32_t pass, uint32_t flags);

/* The number of parts of the loss.  [any] */
NN_API uint32_t nn_network_losses(const nn_network *network);

/* The loss of the last forward pass, its parts, and the weight that each part
 * has when batches are averaged (arrays of nn_network_losses; each may be
 * NULL).  Waits for the handler.  [compute] */
NN_API int32_t nn_network_loss(nn_network *network, double *loss,
                               double *values, double *weights);

/* The array of the buffer at dotted PATH, such as "hidden.W" or
 * "hidden.outputs.default", for the last T and B.  A buffer whose memory is
 * used again during a pass is NN_STATE, and the message names the pattern to
 * keep.  [compute] */
NN_API int32_t nn_network_view(nn_network *network, const char *path,
                               nn_array *array);

/* A deep copy of that buffer: its memory is freed with nn_free(out->data).
 * [compute] */
NN_API int32_t nn_network_snapshot(nn_network *network, const char *path,
                                   nn_host_array *out);

/* The path of buffer INDEX, in the order of the layers, NULL past the end.
 * [any] */
NN_API const char *nn_network_path(const nn_network *network, uint32_t index);

/* All parameters, or all gradients, as one vector with its padding.
 * [compute] */
NN_API nn_array nn_network_parameters(const nn_network *network);
NN_API nn_array nn_network_gradients(const nn_network *network);

/* Bytes of the carried frames, and their copy to and from the host; set also
 * makes them valid for B samples.  [compute] */
NN_API int64_t nn_network_context_bytes(const nn_network *network);
NN_API int32_t nn_network_context_get(nn_network *network, void *bytes,
                                      int64_t *B);
NN_API int32_t nn_network_context_set(nn_network *network, const void *bytes,
                                      int64_t B);

/* ---- data -------------------------------------------------------------- */

/* The data NAME ("train", "validation", "test") of CONFIG, opened.  CONFIG
 * outlives it.  Fields of the network's inputs have their shapes and types; who
 * needs one that is missing, as training does, refuses the data.  [setup] */
NN_API int32_t nn_data_create(nn_config *config, const char *name,
                              nn_data **out);

/* Batches of SIZE samples from the caller's ARRAYS, (T, B, features...) each,
 * which stay the caller's and outlive the data; SHUFFLE 1 draws their order
 * anew each epoch from the seed of the training.  The last batch may be
 * short.  [setup] */
NN_API int32_t nn_iterator_from_arrays(const nn_host_array *arrays, uint32_t n,
                                       int64_t size, int32_t shuffle,
                                       nn_data **out);
NN_API void nn_data_destroy(nn_data *data);

/* Begins EPOCH with SEED; nn_data_next then gives batch after batch: 0, NN_END,
 * or a negative code.  FIELD asks for the current batch's array NAME, which
 * lives until the next one.  [compute] */
NN_API int32_t nn_data_start(nn_data *data, uint64_t seed, uint64_t epoch);
NN_API int32_t nn_data_next(nn_data *data);
NN_API int32_t nn_data_field(const nn_data *data, const char *name,
                             nn_host_array *out);

/* Samples and batches of an epoch, -1 if not known.  [any] */
NN_API int64_t nn_data_samples(const nn_data *data);
NN_API int64_t nn_data_batches(const nn_data *data);

/* The largest T and B of a batch: what a model for these data needs.  [any] */
NN_API void nn_data_largest(const nn_data *data, int64_t *T, int64_t *B);

/* ---- trainer ----------------------------------------------------------- */

/* What a trainer says while it runs. */
typedef struct nn_trainer_status {
    size_t size;     /* sizeof(nn_trainer_status) */
    int64_t epoch;   /* complete epochs */
    int64_t epochs;  /* of the run; -1: no limit */
    int64_t update;  /* complete updates */
    int64_t batch;   /* complete batches of this epoch */
    int64_t batches; /* of an epoch; -1: not known */
    int64_t samples; /* seen since training began or went on */
    double seconds;  /* the same */
    double loss;     /* of the last batch; NaN at first */
} nn_trainer_status;

/* How a trainer runs. */
typedef struct nn_trainer_options {
    size_t size;        /* sizeof(nn_trainer_options) */
    const char *out;    /* folder of the run, made if missing; NULL: no files */
    const char *resume; /* run folder or checkpoint to go on from, or NULL */
    int64_t epochs;     /* in total; 0: the config's */

    /* Takes the text of a hook, whole lines, whose destination is stderr; NULL:
     * nobody does.  Called by the thread of nn_trainer_run.  [compute] */
    void (*emit)(void *self, const char *text);

    /* Called after every update, and when a hook shows progress; NULL: nobody
     * is.  STATUS lives for the call.  [compute] */
    void (*progress)(void *self, const nn_trainer_status *status);
    void *self;
} nn_trainer_options;

/* Why training ended. */
#define NN_ENDED_EPOCHS 0  /* all epochs are done */
#define NN_ENDED_HOOK 1    /* a hook asked for it */
#define NN_ENDED_STOPPED 2 /* nn_trainer_stop; a checkpoint is written */

/* Makes a trainer of what CONFIG says under `training`, for MODEL, which was
 * made with training = 1.  TRAIN may be NULL: the config's `data.train`;
 * otherwise it is the caller's and outlives the trainer.  Everything that can
 * be checked before the first update is: data, output folder, checkpoint.
 * [setup] */
NN_API int32_t nn_trainer_create(nn_model *model, nn_data *train,
                                 const nn_trainer_options *options,
                                 nn_trainer **out);
NN_API void nn_trainer_destroy(nn_trainer *trainer);

/* Adds data under NAME for hooks that evaluate; the caller's.  [setup] */
NN_API int32_t nn_trainer_add_data(nn_trainer *trainer, const char *name,
                                   nn_data *data);

/* Trains to the end.  *ENDED (may be NULL) gets NN_ENDED_...  [compute] */
NN_API int32_t nn_trainer_run(nn_trainer *trainer, int32_t *ended);

/* Makes run end after the current update; safe in a signal handler and from
 * any thread.  [any] */
NN_API void nn_trainer_stop(nn_trainer *trainer);

/* The last value of a log such as "training.loss"; NaN if there is none.
 * [compute] */
NN_API double nn_trainer_log(const nn_trainer *trainer, const char *name);

/* Writes a checkpoint of everything to PATH.  Atomic.  [compute] */
NN_API int32_t nn_trainer_save(nn_trainer *trainer, const char *path);

/* One number of an evaluation. */
typedef struct nn_score {
    const char *name; /* lives as long as the model */
    double value;     /* over all of the data */
} nn_score;

/* Loss and scores over all of DATA: the first ROOM of them in SCORES, how many
 * there are in *COUNT.  The scorers are those that the config names under
 * `evaluation.scorers`, or in its hooks.  [compute] */
NN_API int32_t nn_model_evaluate(nn_model *model, nn_data *data,
                                 nn_score *scores, uint32_t room,
                                 uint32_t *count);

/* ---- checkpoints ------------------------------------------------------- */

/* A tensor in a checkpoint. */
typedef struct nn_tensor {
    const char *name;  /* "hidden.W" */
    const char *group; /* "parameters", "state", "stepper", "context" */
    uint32_t dtype;    /* NN_FLOAT32, NN_FLOAT64, NN_INT32, NN_UINT8 */
    uint32_t ndim;     /* axes of `shape` */
    int64_t shape[NN_MAX_DIMS]; /* elements on each axis */
    const void *data;           /* dense, in the machine's byte order */
    int64_t bytes;              /* of `data` */
} nn_tensor;

/* Reads a checkpoint, every checksum verified; PATH as for nn_model_load.
 * [setup] */
NN_API int32_t nn_checkpoint_open(const char *path, nn_checkpoint **out);
NN_API void nn_checkpoint_close(nn_checkpoint *checkpoint);

/* Tensor INDEX; 0 past the end.  [any] */
NN_API int32_t nn_checkpoint_tensor(const nn_checkpoint *checkpoint,
                                    uint32_t index, nn_tensor *out);

/* Its file, and the config in it as YAML.  [any] */
NN_API const char *nn_checkpoint_path(const nn_checkpoint *checkpoint);
NN_API const char *nn_checkpoint_config(const nn_checkpoint *checkpoint);

NN_END_DECLS

#endif
