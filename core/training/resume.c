/* SPDX-License-Identifier: MIT */
/* resume.c - the state of training in a checkpoint, and back.
 *
 * Beside the model's own groups a checkpoint of training holds
 *     values   trainer.stepper, .seed, .epoch, .update, .batch, .batches,
 *              .passes, .updated, .loss, .event, .calling; tunable/PATH,
 *              file/NAME, hook/NAME/KEY
 *     tensors  "training": loss_sums, loss_weights, and seen/HOOK
 *              "logs": the series
 *              "stepper": STEPPER/VECTOR/PARAMETER, without padding
 *              "context": carried frames by the path of their buffer
 * Restoring first fills the trainer, which nobody uses yet, then asks the
 * model, which checks everything before it changes, and then sets what cannot
 * fail for reasons of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/training/trainer.h"
#include "core/util/error.h"

/* Longest key or name that is made here. */
#define NAME 1024

static int32_t put_numbers(nn_checkpoint_writer *writer, const char *group,
                           const char *name, const double *values,
                           int64_t count)
{
    nn_tensor tensor;

    memset(&tensor, 0, sizeof tensor);
    tensor.name = name;
    tensor.group = group;
    tensor.dtype = NN_FLOAT64;
    tensor.ndim = 1;
    tensor.shape[0] = count;
    tensor.data = values;
    tensor.bytes = count * (int64_t)sizeof *values;
    return nn_checkpoint_put_tensor(writer, &tensor);
}

/* The COUNT numbers that put_numbers stored, or NULL. */
static const double *get_numbers(const nn_checkpoint *checkpoint,
                                 const char *group, const char *name,
                                 int64_t count)
{
    nn_tensor tensor;

    if (!nn_checkpoint_find(checkpoint, group, name, &tensor) ||
        tensor.dtype != NN_FLOAT64 || tensor.ndim != 1 ||
        tensor.shape[0] != count)
        return NULL;
    return tensor.data;
}

/* ---- arrays of the handler --------------------------------------------- */

static int32_t put_array(nn_trainer *t, nn_checkpoint_writer *writer,
                         nn_arena *arena, const nn_array *array,
                         const char *group, const char *name)
{
    nn_tensor tensor;
    void *data;
    int32_t code;

    memset(&tensor, 0, sizeof tensor);
    tensor.name = name;
    tensor.group = group;
    tensor.dtype = array->dtype;
    tensor.ndim = array->ndim;
    memcpy(tensor.shape, array->shape, sizeof tensor.shape);
    tensor.bytes = nn_elements(array) * nn_dtype_bytes(array->dtype);
    data = nn_arena_alloc(arena, tensor.bytes, 1);
    if (!data)
        return NN_NO_MEMORY;
    tensor.data = data;
    code = nn_network_download(t->network, array, data);
    return code ? code : nn_checkpoint_put_tensor(writer, &tensor);
}

/* The tensor for ARRAY; with another shape or type, or missing, an error. */
static int32_t find_array(const nn_checkpoint *checkpoint,
                          const nn_array *array, const char *group,
                          const char *name, nn_tensor *out)
{
    if (!nn_checkpoint_find(checkpoint, group, name, out))
        return nn_error_set(NN_FORMAT, "resume.missing",
                            "%s: there is no '%s' in its %s",
                            nn_checkpoint_path(checkpoint), name, group);
    if (out->dtype == array->dtype && out->ndim == array->ndim &&
        !memcmp(out->shape, array->shape, array->ndim * sizeof(int64_t)))
        return NN_OK;
    return nn_error_set(NN_FORMAT, "resume.other",
                        "%s: '%s' in its %s has another shape or type than "
                        "the run's",
                        nn_checkpoint_path(checkpoint), name, group);
}

/* ---- vectors of the stepper -------------------------------------------- */

static void name_vector(const nn_trainer *t, uint32_t vector,
                        const nn_parameter *parameter, char name[NAME])
{
    snprintf(name, NAME, "%s/%s/%s", t->stepping.component->name,
             t->stepping.interface.vector_names[vector], parameter->name);
}

static int32_t store_vectors(nn_trainer *t, nn_checkpoint_writer *writer,
                             nn_arena *arena)
{
    int32_t code = NN_OK;
    char name[NAME];
    uint32_t v;
    uint32_t i;

    for (v = 0; v < t->stepping.interface.n_vectors; ++v)
        for (i = 0; i < t->runs.n_parameters && !code; ++i) {
            nn_array array = nn_stepping_vector(&t->stepping, v,
                                                &t->runs.parameters[i]);

            name_vector(t, v, &t->runs.parameters[i], name);
            code = put_array(t, writer, arena, &array, "stepper", name);
        }
    return code;
}

static int32_t restore_vectors(nn_trainer *t, const nn_checkpoint *checkpoint)
{
    int32_t code = NN_OK;
    nn_tensor tensor;
    char name[NAME];
    uint32_t v;
    uint32_t i;

    for (v = 0; v < t->stepping.interface.n_vectors; ++v)
        for (i = 0; i < t->runs.n_parameters && !code; ++i) {
            nn_array array = nn_stepping_vector(&t->stepping, v,
                                                &t->runs.parameters[i]);

            name_vector(t, v, &t->runs.parameters[i], name);
            code = find_array(checkpoint, &array, "stepper", name, &tensor);
            if (!code)
                code = nn_network_upload(t->network, &array, tensor.data);
        }
    return code;
}

/* ---- carried frames ---------------------------------------------------- */

/* The frames of RECORD that are carried, for B samples; 0 if it has none. */
static int carried_frames(const nn_network *network, int32_t record, int64_t B,
                          nn_array *out)
{
    const nn_record *one = &network->layout->records[record];

    if (one->carry < 0 || one->context_before < 1)
        return 0;
    *out = nn_layout_array(network->layout, record, 1, B);
    out->memory = network->blocks[NN_BLOCK_CARRY];
    out->offset = one->carry;
    out->shape[0] = one->context_before;
    return 1;
}

static int32_t store_frames(nn_trainer *t, nn_checkpoint_writer *writer,
                            nn_arena *arena)
{
    nn_network *network = t->network;
    int64_t B = network->carrying ? network->carried_B : 0;
    int32_t code;
    nn_array array;
    int32_t i;

    if (!t->carries)
        return NN_OK;
    code = nn_checkpoint_put_int(writer, "trainer.carried", B);
    for (i = 0; B && i < network->layout->n_records && !code; ++i)
        if (carried_frames(network, i, B, &array))
            code = put_array(t, writer, arena, &array, "context",
                             network->layout->records[i].path);
    return code;
}

/* UPLOAD 0: only checks. */
static int32_t restore_frames(nn_trainer *t, const nn_checkpoint *checkpoint,
                              int upload)
{
    nn_network *network = t->network;
    int32_t code = NN_OK;
    nn_tensor tensor;
    nn_array array;
    int64_t B;
    int32_t i;

    if (!t->carries ||
        nn_checkpoint_get_int(checkpoint, "trainer.carried", &B) || B == 0)
        return NN_OK;
    if (B < 0 || B > network->layout->B)
        return nn_error_set(NN_FORMAT, "resume.carried",
                            "%s: its carried frames have %lld samples, the "
                            "model was made for %lld",
                            nn_checkpoint_path(checkpoint), (long long)B,
                            (long long)network->layout->B);
    for (i = 0; i < network->layout->n_records && !code; ++i) {
        if (!carried_frames(network, i, B, &array))
            continue;
        code = find_array(checkpoint, &array, "context",
                          network->layout->records[i].path, &tensor);
        if (!code && upload)
            code = nn_network_upload(network, &array, tensor.data);
    }
    if (!code && upload) {
        network->carrying = 1;
        network->carried_B = B;
    }
    return code;
}

/* ---- hooks ------------------------------------------------------------- */

static int32_t store_hook(const nn_hooked *hooked, const nn_logs *logs,
                          nn_checkpoint_writer *writer, nn_arena *arena)
{
    /* A hook that saves has seen everything once its call is over. */
    int now = hooked->trainer->calling == hooked && !logs->frozen;
    uint32_t count = now ? logs->count : hooked->n_seen;
    double *seen = nn_arena_alloc(arena, count, sizeof *seen);
    int32_t code = NN_OK;
    char name[NAME];
    uint32_t i;

    if (!seen)
        return NN_NO_MEMORY;
    for (i = 0; i < hooked->n_memories && !code; ++i) {
        snprintf(name, sizeof name, "hook/%s/%s", hooked->extra->name,
                 hooked->memories[i].key);
        code = nn_checkpoint_put_real(writer, name, hooked->memories[i].value);
    }
    for (i = 0; i < count; ++i)
        seen[i] = (double)(now ? logs->items[i].count : hooked->seen[i]);
    snprintf(name, sizeof name, "seen/%s", hooked->extra->name);
    if (!code && count)
        code = put_numbers(writer, "training", name, seen, count);
    return code;
}

static int32_t restore_seen(nn_hooked *hooked, const nn_checkpoint *checkpoint)
{
    nn_tensor tensor;
    char name[NAME];
    int64_t i;

    snprintf(name, sizeof name, "seen/%s", hooked->extra->name);
    if (!nn_checkpoint_find(checkpoint, "training", name, &tensor) ||
        tensor.dtype != NN_FLOAT64 || tensor.ndim != 1 ||
        tensor.shape[0] > hooked->trainer->logs.count)
        return NN_OK; /* a hook that is new */
    hooked->seen = calloc((size_t)tensor.shape[0] + 1, sizeof *hooked->seen);
    if (!hooked->seen)
        return nn_error_no_memory("a hook", (uint64_t)tensor.bytes);
    hooked->n_seen = (uint32_t)tensor.shape[0];
    for (i = 0; i < tensor.shape[0]; ++i) {
        double count = ((const double *)tensor.data)[i];

        hooked->seen[i] = count >= 0 && count < 1e15 ? (int64_t)count : 0;
    }
    return NN_OK;
}

static int32_t restore_hook(nn_hooked *hooked, const nn_checkpoint *checkpoint)
{
    int32_t code = restore_seen(hooked, checkpoint);
    char prefix[NAME];
    const char *key;
    size_t length;
    double value;
    uint32_t i;

    snprintf(prefix, sizeof prefix, "hook/%s/", hooked->extra->name);
    length = strlen(prefix);
    for (i = 0; !code && (key = nn_checkpoint_key(checkpoint, i)); ++i)
        if (!strncmp(key, prefix, length) &&
            !nn_checkpoint_get_real(checkpoint, key, &value))
            code = nn_hook_remember(hooked, key + length, value);
    return code;
}

/* The event that the checkpoint was saved in, if it was. */
static int32_t restore_event(nn_trainer *t, const nn_checkpoint *checkpoint)
{
    const char *name = nn_checkpoint_get_text(checkpoint, "trainer.calling");
    int64_t event = 0;
    uint32_t i;

    if (!name || nn_checkpoint_get_int(checkpoint, "trainer.event", &event) ||
        (event != NN_AT_UPDATE && event != NN_AT_EPOCH))
        return NN_OK;
    for (i = 0; i < t->n_hooks; ++i)
        if (!strcmp(t->hooks[i].extra->name, name)) {
            t->event = (uint32_t)event;
            t->calling = &t->hooks[i];
        }
    return NN_OK;
}

/* ---- the whole --------------------------------------------------------- */

static int32_t store_position(nn_trainer *t, nn_checkpoint_writer *writer)
{
    int in_event = t->calling && (t->event & (NN_AT_UPDATE | NN_AT_EPOCH));
    int32_t code = nn_checkpoint_put_text(writer, "trainer.stepper",
                                          t->stepping.component->name);

    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.seed", (int64_t)t->seed);
    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.epoch", t->epoch);
    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.update", t->update);
    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.batch", t->batch);
    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.batches",
                                     t->train->info.n_batches);
    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.passes", t->passes);
    if (!code)
        code = nn_checkpoint_put_int(writer, "trainer.updated", t->updated);
    if (!code)
        code = nn_checkpoint_put_real(writer, "trainer.loss", t->loss);
    if (!code && in_event)
        code = nn_checkpoint_put_int(writer, "trainer.event", t->event);
    if (!code && in_event)
        code = nn_checkpoint_put_text(writer, "trainer.calling",
                                      t->calling->extra->name);
    if (!code)
        code = put_numbers(writer, "training", "loss_sums", t->loss_sums,
                           t->n_losses);
    if (!code)
        code = put_numbers(writer, "training", "loss_weights", t->loss_weights,
                           t->n_losses);
    return code;
}

int32_t nn_trainer_store(nn_trainer *trainer, nn_checkpoint_writer *writer,
                         nn_arena *arena)
{
    int32_t code = nn_model_store(trainer->model, writer, arena);
    uint32_t i;

    if (!code)
        code = store_position(trainer, writer);
    if (!code)
        code = nn_tuning_store(&trainer->tuning, writer);
    if (!code)
        code = nn_appended_store(&trainer->files, writer);
    if (!code)
        code = nn_logs_store(&trainer->logs, writer);
    for (i = 0; i < trainer->n_hooks && !code; ++i)
        code = store_hook(&trainer->hooks[i], &trainer->logs, writer, arena);
    if (!code)
        code = store_vectors(trainer, writer, arena);
    return code ? code : store_frames(trainer, writer, arena);
}

/* The count KEY, which is not negative. */
static int32_t get_count(const nn_checkpoint *checkpoint, const char *key,
                         int64_t *out)
{
    if (!nn_checkpoint_get_int(checkpoint, key, out) && *out >= 0)
        return NN_OK;
    return nn_error_set(NN_FORMAT, "resume.position",
                        "%s: its '%s' is missing or no count",
                        nn_checkpoint_path(checkpoint), key);
}

static int32_t restore_position(nn_trainer *t, const nn_checkpoint *checkpoint)
{
    const double *sums = get_numbers(checkpoint, "training", "loss_sums",
                                     t->n_losses);
    const double *weights = get_numbers(checkpoint, "training", "loss_weights",
                                        t->n_losses);
    int64_t seed = 0;
    int32_t code = get_count(checkpoint, "trainer.epoch", &t->epoch);

    if (!code)
        code = get_count(checkpoint, "trainer.update", &t->update);
    if (!code)
        code = get_count(checkpoint, "trainer.batch", &t->batch);
    if (!code)
        code = get_count(checkpoint, "trainer.passes", &t->passes);
    if (!code)
        code = get_count(checkpoint, "trainer.updated", &t->updated);
    if (code)
        return code;
    if (!sums || !weights ||
        nn_checkpoint_get_int(checkpoint, "trainer.seed", &seed) ||
        nn_checkpoint_get_real(checkpoint, "trainer.loss", &t->loss))
        return nn_error_set(NN_FORMAT, "resume.position",
                            "%s: its seed or its losses are missing, or are "
                            "those of another number of losses",
                            nn_checkpoint_path(checkpoint));
    t->seed = (uint64_t)seed;
    memcpy(t->loss_sums, sums, t->n_losses * sizeof *sums);
    memcpy(t->loss_weights, weights, t->n_losses * sizeof *weights);
    return NN_OK;
}

/* In the middle of an epoch the number of a batch says where the data stand
 * only if they are cut into batches as before. */
static int32_t check_batches(const nn_trainer *t,
                             const nn_checkpoint *checkpoint)
{
    int64_t now = t->train->info.n_batches;
    int64_t then;

    if (!t->batch ||
        nn_checkpoint_get_int(checkpoint, "trainer.batches", &then) ||
        then == now)
        return NN_OK;
    return nn_error_set(NN_FORMAT, "resume.batches",
                        "%s: it stands behind batch %lld of an epoch of %lld "
                        "batches, the run's data have %lld",
                        nn_checkpoint_path(checkpoint), (long long)t->batch,
                        (long long)then, (long long)now);
}

static const char *dtype_name(uint32_t dtype)
{
    return dtype == NN_FLOAT64 ? "float64" : "float32";
}

/* What is said best before tensors are compared one by one. */
static int32_t check_kind(const nn_trainer *t, const nn_checkpoint *checkpoint)
{
    const char *stepper = nn_checkpoint_get_text(checkpoint, "trainer.stepper");
    const char *path = nn_checkpoint_path(checkpoint);
    nn_tensor tensor;
    uint32_t i;

    if (!stepper)
        return nn_error_set(NN_FORMAT, "resume.no-training",
                            "%s: it holds a model alone, and no training to "
                            "go on with",
                            path);
    for (i = 0; nn_checkpoint_tensor(checkpoint, i, &tensor); ++i)
        if (!strcmp(tensor.group, "parameters") &&
            tensor.dtype != t->network->real)
            return nn_error_set(NN_FORMAT, "resume.dtype",
                                "%s: its network is %s, the run's is %s", path,
                                dtype_name(tensor.dtype),
                                dtype_name(t->network->real));
    if (strcmp(stepper, t->stepping.component->name))
        return nn_error_set(NN_FORMAT, "resume.stepper",
                            "%s: it was trained with stepper '%s', the run "
                            "has '%s'",
                            path, stepper, t->stepping.component->name);
    return NN_OK;
}

int32_t nn_trainer_restore(nn_trainer *trainer, const nn_checkpoint *checkpoint)
{
    int32_t code = check_kind(trainer, checkpoint);
    uint32_t i;

    if (!code)
        code = restore_position(trainer, checkpoint);
    if (!code)
        code = check_batches(trainer, checkpoint);
    if (!code)
        code = restore_event(trainer, checkpoint);
    if (!code)
        code = nn_logs_restore(&trainer->logs, checkpoint);
    for (i = 0; i < trainer->n_hooks && !code; ++i)
        code = restore_hook(&trainer->hooks[i], checkpoint);
    if (!code)
        code = nn_appended_restore(&trainer->files, checkpoint);
    if (!code)
        code = restore_frames(trainer, checkpoint, 0);
    if (!code)
        code = restore_vectors(trainer, checkpoint);
    if (!code)
        code = nn_model_restore(trainer->model, checkpoint);
    if (!code)
        code = restore_frames(trainer, checkpoint, 1);
    if (code)
        return code;
    nn_tuning_restore(&trainer->tuning, checkpoint);
    trainer->network->seed = trainer->seed;
    return NN_OK;
}
