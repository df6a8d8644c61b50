/* SPDX-License-Identifier: MIT */
/* checkpoint.c - what is in a checkpoint that was read. */
#include "core/store/read.h"

int32_t nn_checkpoint_tensor(const nn_checkpoint *checkpoint, uint32_t index,
                             nn_tensor *out)
{
    if (index >= checkpoint->contents.n_tensors)
        return 0;
    *out = checkpoint->contents.tensors[index].tensor;
    return 1;
}

int32_t nn_checkpoint_find(const nn_checkpoint *checkpoint, const char *group,
                           const char *name, nn_tensor *out)
{
    const nn_stored_tensor *found = nn_contents_tensor(&checkpoint->contents,
                                                       group, name);

    if (!found)
        return 0;
    *out = found->tensor;
    return 1;
}

const char *nn_checkpoint_path(const nn_checkpoint *checkpoint)
{
    return checkpoint->path;
}

const char *nn_checkpoint_config(const nn_checkpoint *checkpoint)
{
    const char *config = nn_checkpoint_get_text(checkpoint, "config");

    return config ? config : "";
}

const char *nn_checkpoint_key(const nn_checkpoint *checkpoint, uint32_t index)
{
    if (index >= checkpoint->contents.n_values)
        return NULL;
    return checkpoint->contents.values[index].key;
}

/* The value KEY if it has TYPE, or NULL. */
static const nn_stored_value *value_of(const nn_checkpoint *checkpoint,
                                       const char *key, enum nn_value_type type)
{
    const nn_stored_value *found = nn_contents_value(&checkpoint->contents,
                                                     key);

    return found && found->type == type ? found : NULL;
}

const char *nn_checkpoint_get_text(const nn_checkpoint *checkpoint,
                                   const char *key)
{
    const nn_stored_value *found = value_of(checkpoint, key, NN_VALUE_TEXT);

    return found ? found->text : NULL;
}

int32_t nn_checkpoint_get_int(const nn_checkpoint *checkpoint, const char *key,
                              int64_t *value)
{
    const nn_stored_value *found = value_of(checkpoint, key, NN_VALUE_INT);

    if (!found)
        return NN_NOT_FOUND;
    *value = found->integer;
    return NN_OK;
}

int32_t nn_checkpoint_get_real(const nn_checkpoint *checkpoint, const char *key,
                               double *value)
{
    const nn_stored_value *found = value_of(checkpoint, key, NN_VALUE_REAL);

    if (!found)
        return NN_NOT_FOUND;
    *value = found->real;
    return NN_OK;
}
