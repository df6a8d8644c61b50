/* SPDX-License-Identifier: MIT */
/* complete.c - makes the completed table and looks rows up. */
#include "core/reference/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/linear.h>
#include <nn/optimizer.h>

#include "core/reference/compose.h"
#include "core/reference/signature.h"
#include "core/util/error.h"

static const nn_extension *const composed[] = {&nn_composed_linear,
                                               &nn_composed_optimizer};
#define N_COMPOSED (sizeof composed / sizeof composed[0])

void nn_completed_fail(nn_completed *completed, int32_t code, const char *id,
                       const char *text)
{
    if (completed->code)
        return;
    completed->code = code;
    completed->id = id;
    snprintf(completed->text, sizeof completed->text, "%s", text);
}

nn_operation_fn nn_completed_native(const nn_completed *completed,
                                    uint32_t operation)
{
    const nn_handler_interface *interface = completed->interface;

    if (!NN_HAS(interface, operations) || !interface->operations ||
        operation >= interface->n_operations)
        return NULL;
    return interface->operations[operation];
}

static void run_native(void *self, uint32_t operation,
                       const nn_array *const *operands,
                       const nn_attributes *attributes)
{
    nn_completed *completed = self;

    if (!completed->code)
        completed->interface->operations[operation](completed->handler,
                                                    operation, operands,
                                                    attributes);
}

static void run_composed(void *self, uint32_t operation,
                         const nn_array *const *operands,
                         const nn_attributes *attributes)
{
    nn_completed *completed = self;

    if (completed->code)
        return;
    if (!nn_composition_find(completed, operation)(completed, operands,
                                                   attributes))
        nn_completed_run_on_host(completed, operation, operands, attributes);
}

static void run_reference(void *self, uint32_t operation,
                          const nn_array *const *operands,
                          const nn_attributes *attributes)
{
    nn_completed_run_on_host(self, operation, operands, attributes);
}

static uint32_t how_of(const nn_completed *completed, uint32_t operation)
{
    if (nn_completed_native(completed, operation))
        return NN_HOW_NATIVE;
    return nn_composition_find(completed, operation) ? NN_HOW_COMPOSED
                                                     : NN_HOW_REFERENCE;
}

static int is_usable(const nn_handler_interface *interface)
{
    return interface && NN_HAS(interface, clear_error) && interface->map &&
           interface->unmap && interface->error && interface->clear_error;
}

int32_t nn_completed_create(const nn_handler_interface *interface,
                            nn_handler *handler, uint32_t real,
                            nn_completed **completed)
{
    static const nn_operation_fn functions[] = {
        [NN_HOW_NATIVE] = run_native,
        [NN_HOW_COMPOSED] = run_composed,
        [NN_HOW_REFERENCE] = run_reference,
    };
    nn_completed *made;
    uint32_t i;

    *completed = NULL;
    if (!is_usable(interface))
        return nn_error_set(NN_INVALID_ARGUMENT, "handler.incomplete",
                            "the handler lacks map, unmap, error or "
                            "clear_error");
    made = calloc(1, sizeof *made);
    if (!made)
        return nn_error_no_memory("the table of operations", sizeof *made);
    made->interface = interface;
    made->handler = handler;
    made->operations.size = NN_SIZEOF(nn_operations, slots);
    made->operations.count = NN_OP_COUNT;
    made->operations.slot_size = sizeof(nn_slot);
    made->operations.real = real;
    made->operations.slots = made->slots;
    for (i = 0; i < NN_OP_COUNT; ++i) {
        made->slots[i].run = functions[how_of(made, i)];
        made->slots[i].self = made;
    }
    *completed = made;
    return NN_OK;
}

void nn_completed_destroy(nn_completed *completed)
{
    free(completed);
}

const nn_operations *nn_completed_operations(const nn_completed *completed)
{
    return &completed->operations;
}

int32_t nn_completed_error(nn_completed *completed, const char **id,
                           const char **text)
{
    if (!completed->code)
        return completed->interface->error(completed->handler, id, text);
    if (id)
        *id = completed->id;
    if (text)
        *text = completed->text;
    return completed->code;
}

void nn_completed_clear(nn_completed *completed)
{
    completed->code = NN_OK;
    completed->interface->clear_error(completed->handler);
}

static const nn_row *row_of(const nn_extension *extension, uint32_t number)
{
    if (!extension || !NN_HAS(extension, rows) || number >= extension->n_rows)
        return NULL;
    return extension->rows[number];
}

static const nn_row *native_row(const nn_completed *completed, const char *id,
                                uint32_t number)
{
    const nn_handler_interface *interface = completed->interface;
    const nn_row *row;

    if (!NN_HAS(interface, extension) || !interface->extension)
        return NULL;
    row = row_of(interface->extension(completed->handler, id), number);
    return row && NN_HAS(row, run) && row->plan && row->run ? row : NULL;
}

nn_row_slot nn_composed_row(nn_completed *completed, const char *id,
                            uint32_t number)
{
    nn_row_slot slot = {NULL, (nn_handler *)(void *)completed};
    size_t i;

    for (i = 0; i < N_COMPOSED; ++i)
        if (strcmp(composed[i]->id, id) == 0)
            slot.row = row_of(composed[i], number);
    return slot;
}

nn_row_slot nn_completed_row(nn_completed *completed, const char *id,
                             uint32_t number)
{
    nn_row_slot slot = {native_row(completed, id, number), completed->handler};

    return slot.row ? slot : nn_composed_row(completed, id, number);
}

int nn_completed_list(nn_completed *completed, uint32_t index,
                      nn_completed_entry *entry)
{
    size_t i;

    if (index < NN_OP_COUNT) {
        entry->extension = NULL;
        entry->name = nn_operation_name(index);
        entry->how = how_of(completed, index);
        return 1;
    }
    index -= NN_OP_COUNT;
    for (i = 0; i < N_COMPOSED; ++i) {
        if (index < composed[i]->n_rows) {
            entry->extension = composed[i]->id;
            entry->name = composed[i]->rows[index]->name;
            entry->how = native_row(completed, composed[i]->id, index)
                             ? NN_HOW_NATIVE
                             : NN_HOW_COMPOSED;
            return 1;
        }
        index -= composed[i]->n_rows;
    }
    return 0;
}
