/* SPDX-License-Identifier: MIT */
/* interface.c - see interface.h.
 *
 * Each kind has a list of (offset, name) of what must be there: every function
 * whose comment in the SDK does not say what its absence means.  Every
 * interface starts with its size, and every mandatory member is a pointer. */
#include "core/registry/interface.h"

#include <string.h>

#include <nn/handler.h>
#include <nn/hook.h>
#include <nn/iterator.h>
#include <nn/layer.h>
#include <nn/training.h>

typedef struct slot {
    size_t offset;
    const char *name; /* NULL ends the list */
} slot;

#define SLOT(type, member)                                                     \
    {                                                                          \
        offsetof(type, member), #member                                        \
    }

static const slot layer_slots[] = {
    SLOT(nn_layer_interface, setup),
    SLOT(nn_layer_interface, forward),
    {0, NULL},
};

static const slot handler_slots[] = {
    SLOT(nn_handler_interface, create),
    SLOT(nn_handler_interface, destroy),
    SLOT(nn_handler_interface, describe),
    SLOT(nn_handler_interface, allocate),
    SLOT(nn_handler_interface, release),
    SLOT(nn_handler_interface, map),
    SLOT(nn_handler_interface, unmap),
    SLOT(nn_handler_interface, error),
    SLOT(nn_handler_interface, clear_error),
    SLOT(nn_handler_interface, synchronize),
    {0, NULL},
};

static const slot hook_slots[] = {
    SLOT(nn_hook_interface, call),
    {0, NULL},
};

static const slot iterator_slots[] = {
    SLOT(nn_iterator_interface, create),
    SLOT(nn_iterator_interface, destroy),
    SLOT(nn_iterator_interface, describe),
    SLOT(nn_iterator_interface, start),
    SLOT(nn_iterator_interface, next),
    SLOT(nn_iterator_interface, seek),
    {0, NULL},
};

static const slot stepper_slots[] = {
    SLOT(nn_stepper_interface, step),
    {0, NULL},
};

static const slot initializer_slots[] = {
    SLOT(nn_initializer_interface, fill),
    {0, NULL},
};

static const slot scorer_slots[] = {
    SLOT(nn_scorer_interface, score),
    {0, NULL},
};

static const slot modifier_slots[] = {
    SLOT(nn_modifier_interface, modify),
    {0, NULL},
};

static const slot schedule_slots[] = {
    SLOT(nn_schedule_interface, value),
    {0, NULL},
};

static const struct {
    const char *name;
    const slot *slots; /* NULL: none is known yet */
} kinds[] = {
    [NN_KIND_LAYER] = {"layer", layer_slots},
    [NN_KIND_HANDLER] = {"handler", handler_slots},
    [NN_KIND_HOOK] = {"hook", hook_slots},
    [NN_KIND_ITERATOR] = {"iterator", iterator_slots},
    [NN_KIND_STEPPER] = {"stepper", stepper_slots},
    [NN_KIND_INITIALIZER] = {"initializer", initializer_slots},
    [NN_KIND_SCORER] = {"scorer", scorer_slots},
    [NN_KIND_MODIFIER] = {"modifier", modifier_slots},
    [NN_KIND_SCHEDULE] = {"schedule", schedule_slots},
    [NN_KIND_COMMUNICATOR] = {"communicator", NULL},
};

static int32_t is_known(uint32_t kind)
{
    return kind > 0 && kind < sizeof kinds / sizeof kinds[0];
}

const char *nn_kind_name(uint32_t kind)
{
    return is_known(kind) ? kinds[kind].name : NULL;
}

/* Is the pointer at OFFSET there? */
static int32_t has_slot(const void *interface, uint32_t size, size_t offset)
{
    const void *value;

    if (size < offset + sizeof value)
        return 0;
    memcpy(&value, (const char *)interface + offset, sizeof value);
    return value != NULL;
}

int32_t nn_interface_check(uint32_t kind, const void *interface,
                           nn_text *reason)
{
    const slot *slots = is_known(kind) ? kinds[kind].slots : NULL;
    uint32_t size;

    if (!interface) {
        nn_text_append(reason, "its interface is NULL");
        return NN_FORMAT;
    }
    memcpy(&size, interface, sizeof size);
    for (; slots && slots->name; ++slots)
        if (!has_slot(interface, size, slots->offset)) {
            nn_text_format(reason, "its interface lacks `%s`", slots->name);
            return NN_FORMAT;
        }
    return NN_OK;
}
