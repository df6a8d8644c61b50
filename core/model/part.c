/* SPDX-License-Identifier: MIT */
/* part.c - one component with its parameters, and a handler with everything
 * that it lacks: what a program has in hand without a config. */
#include <stdlib.h>
#include <string.h>

#include "core/model/inner.h"
#include "core/model/lookup.h"
#include "core/model/sections.h"
#include "core/reference/complete.h"
#include "core/util/error.h"

struct nn_part {
    nn_arena *arena;
    nn_lookup lookup;
    nn_catalog catalog;
    const nn_host *host;
    nn_named named;
    int32_t in_use; /* 1: a device was made of it */
};

struct nn_device {
    nn_part *part; /* NULL: around a handler of the caller's */
    nn_handler_interface functions;
    nn_handler *handler;
    nn_completed *completed;
};

/* ---- parts ------------------------------------------------------------- */

static int32_t read_part(nn_part *part, uint32_t kind, const char *text)
{
    const char *what = nn_kind_name(kind);
    nn_node *node = NULL;
    int32_t code;

    if (!what)
        return nn_error_set(NN_INVALID_ARGUMENT, "part.kind",
                            "%u is not a kind of component", kind);
    code = nn_node_read(text, strlen(text), what, NULL, &node);
    if (!code)
        code = nn_schema_component(&part->catalog, kind, node, what, NULL,
                                   part->arena, NULL, &part->named);
    nn_node_destroy(node);
    return code;
}

int32_t nn_part_create(const nn_plugins *plugins, uint32_t kind,
                       const char *text, const nn_host *host, nn_part **out)
{
    const nn_registry *registry = nn_plugins_registry(plugins);
    nn_part *part = calloc(1, sizeof *part);
    int32_t code;

    nn_error_clear();
    *out = NULL;
    if (!part)
        return nn_error_no_memory("a component", sizeof *part);
    code = nn_arena_create(&part->arena);
    part->lookup.registry = registry;
    part->lookup.arena = part->arena;
    nn_lookup_catalog(&part->lookup, NULL, &part->catalog);
    part->host = host ? host : nn_registry_host(registry);
    if (!code)
        code = read_part(part, kind, text);
    if (code) {
        nn_part_destroy(part);
        return code;
    }
    *out = part;
    return NN_OK;
}

void nn_part_destroy(nn_part *part)
{
    if (!part)
        return;
    if (part->named.params)
        nn_inner_destroy(part->named.params);
    nn_arena_destroy(part->arena);
    free(part);
}

const nn_component *nn_part_component(const nn_part *part)
{
    return part->named.component;
}

const nn_params *nn_part_params(const nn_part *part)
{
    return part->named.params;
}

const nn_host *nn_part_host(const nn_part *part)
{
    return part->host;
}

/* ---- devices ----------------------------------------------------------- */

static int32_t complete(nn_device *device, uint32_t real, nn_device **out)
{
    int32_t code = nn_completed_create(&device->functions, device->handler,
                                       real, &device->completed);

    if (code) {
        nn_device_destroy(device);
        return code;
    }
    *out = device;
    return NN_OK;
}

int32_t nn_device_create(nn_part *handler, const nn_handler_request *request,
                         nn_device **out)
{
    const nn_component *component = handler->named.component;
    nn_device *device;
    int32_t code;

    nn_error_clear();
    *out = NULL;
    if (component->kind != NN_KIND_HANDLER || handler->in_use)
        return nn_error_set(NN_INVALID_ARGUMENT, "device.part",
                            handler->in_use ? "there is a device of this part"
                                            : "'%s' is not a handler",
                            component->name);
    device = calloc(1, sizeof *device);
    if (!device)
        return nn_error_no_memory("a device", sizeof *device);
    device->functions = nn_handler_functions(component);
    code = nn_handler_make(component, handler->named.params, handler->host,
                           request, &device->handler);
    if (code) {
        nn_inner_destroy(handler->named.params);
        free(device);
        return code;
    }
    device->part = handler;
    handler->in_use = 1;
    return complete(device, request->real, out);
}

int32_t nn_device_wrap(const nn_handler_interface *functions,
                       nn_handler *handler, uint32_t real, nn_device **out)
{
    nn_component component;
    nn_device *device;

    nn_error_clear();
    *out = NULL;
    device = calloc(1, sizeof *device);
    if (!device)
        return nn_error_no_memory("a device", sizeof *device);
    memset(&component, 0, sizeof component);
    component.interface = functions;
    device->functions = nn_handler_functions(&component);
    device->handler = handler;
    return complete(device, real, out);
}

void nn_device_destroy(nn_device *device)
{
    if (!device)
        return;
    nn_completed_destroy(device->completed);
    if (device->part) {
        device->functions.destroy(device->handler);
        nn_inner_destroy(device->part->named.params);
        device->part->in_use = 0;
    }
    free(device);
}

const nn_handler_interface *nn_device_functions(const nn_device *device)
{
    return &device->functions;
}

nn_handler *nn_device_handler(const nn_device *device)
{
    return device->handler;
}

const nn_operations *nn_device_operations(const nn_device *device)
{
    return nn_completed_operations(device->completed);
}

const nn_row *nn_device_row(nn_device *device, const char *id, uint32_t number,
                            int32_t composed, nn_handler **self)
{
    nn_row_slot slot;

    nn_error_clear();
    slot = composed ? nn_composed_row(device->completed, id, number)
                    : nn_completed_row(device->completed, id, number);
    *self = slot.self;
    return slot.row;
}

int32_t nn_device_error(nn_device *device, const char **id, const char **text)
{
    return nn_completed_error(device->completed, id, text);
}

void nn_device_clear(nn_device *device)
{
    nn_completed_clear(device->completed);
}
