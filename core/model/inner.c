/* SPDX-License-Identifier: MIT */
/* inner.c - see inner.h.  What an nn_child keeps begins with the function that
 * ends it, so that nn_inner_destroy need not know kinds. */
#include "core/model/inner.h"

#include <stdlib.h>
#include <string.h>

#include "core/config/child.h"
#include "core/reference/complete.h"
#include "core/registry/host.h"
#include "core/util/error.h"

/* What was made of a child. */
typedef struct inner {
    void (*destroy)(struct inner *made); /* frees MADE too */
} inner;

typedef struct inner_iterator {
    inner base;
    nn_iterator_interface functions;
    nn_iterator *iterator;
} inner_iterator;

typedef struct inner_handler {
    inner base;
    nn_handler_interface functions;
    nn_handler *handler;
    nn_completed *completed;
} inner_handler;

/* BYTES for what is made of CHILD, a component of KIND, once. */
static void *begin(nn_child *child, uint32_t kind, size_t bytes,
                   void (*destroy)(inner *made))
{
    inner *made = NULL;

    if (!child || child->type != NN_PARAM_COMPONENT || child->kind != kind ||
        child->runtime) {
        nn_error_set(NN_STATE, "inner.create",
                     "an inner component is made once, by its parent");
        return NULL;
    }
    made = calloc(1, bytes);
    if (!made) {
        nn_error_no_memory("an inner component", bytes);
        return NULL;
    }
    made->destroy = destroy;
    child->runtime = made;
    return made;
}

/* ---- iterators --------------------------------------------------------- */

static void end_iterator(inner *base)
{
    inner_iterator *made = (inner_iterator *)base;

    made->functions.destroy(made->iterator);
    free(made);
}

static int32_t create_iterator(nn_child *child,
                               const nn_iterator_request *request)
{
    inner_iterator *made = begin(child, NN_KIND_ITERATOR, sizeof *made,
                                 end_iterator);
    const nn_iterator_interface *theirs;
    int32_t code;

    if (!made)
        return nn_error_code();
    theirs = child->component->interface;
    memcpy(&made->functions, theirs,
           theirs->size < sizeof made->functions ? theirs->size
                                                 : sizeof made->functions);
    code = made->functions.create(nn_host_process(), child->params, request,
                                  &made->iterator);
    if (code < 0 && !nn_error_code())
        nn_error_set(code, "data.failed",
                     "iterator '%s' failed to open with code %d and no message",
                     child->component->name, code);
    return code;
}

static void describe(nn_child *child, nn_iterator_info *info)
{
    const inner_iterator *made = child->runtime;

    made->functions.describe(made->iterator, info);
}

static int32_t start(nn_child *child, const nn_epoch *epoch)
{
    const inner_iterator *made = child->runtime;

    return made->functions.start(made->iterator, epoch);
}

static int32_t next(nn_child *child, nn_batch *batch)
{
    const inner_iterator *made = child->runtime;

    return made->functions.next(made->iterator, batch);
}

static int32_t seek(nn_child *child, int64_t batch)
{
    const inner_iterator *made = child->runtime;

    return made->functions.seek(made->iterator, batch);
}

static int32_t gather(nn_child *child, const nn_epoch *epoch,
                      const int64_t *ids, nn_batch *batch)
{
    const inner_iterator *made = child->runtime;

    return made->functions.gather(made->iterator, epoch, ids, batch);
}

static int32_t can_gather(nn_child *child)
{
    const inner_iterator *made = child->runtime;

    return made && made->functions.gather != NULL;
}

const nn_iterators nn_iterators_table = {
    .size = NN_SIZEOF(nn_iterators, can_gather),
    .create = create_iterator,
    .describe = describe,
    .start = start,
    .next = next,
    .seek = seek,
    .gather = gather,
    .can_gather = can_gather,
};

/* ---- handlers ---------------------------------------------------------- */

nn_handler_interface nn_handler_functions(const nn_component *component)
{
    const nn_handler_interface *theirs = component->interface;
    nn_handler_interface full;

    memset(&full, 0, sizeof full);
    memcpy(&full, theirs,
           theirs->size < sizeof full ? theirs->size : sizeof full);
    full.size = NN_SIZEOF(nn_handler_interface, get_interface);
    if (!NN_HAS(theirs, operations) || !full.operations)
        full.n_operations = 0;
    return full;
}

int32_t nn_handler_make(const nn_component *component, const nn_params *params,
                        const nn_host *host, const nn_handler_request *request,
                        nn_handler **handler)
{
    const nn_handler_interface functions = nn_handler_functions(component);
    int32_t code = functions.create(host, params, request, handler);

    if (!code)
        return NN_OK;
    *handler = NULL;
    if (!nn_error_code())
        nn_error_set(code, "handler.create",
                     "it failed with code %d and no message", code);
    return nn_error_prefix(code, "handler '%s': ", component->name);
}

static void end_handler(inner *base)
{
    inner_handler *made = (inner_handler *)base;

    nn_completed_destroy(made->completed);
    if (made->handler)
        made->functions.destroy(made->handler);
    free(made);
}

static int32_t create_handler(nn_child *child,
                              const nn_handler_request *request)
{
    inner_handler *made = begin(child, NN_KIND_HANDLER, sizeof *made,
                                end_handler);
    int32_t code;

    if (!made)
        return nn_error_code();
    made->functions = nn_handler_functions(child->component);
    code = nn_handler_make(child->component, child->params, nn_host_process(),
                           request, &made->handler);
    return code ? code
                : nn_completed_create(&made->functions, made->handler,
                                      request->real, &made->completed);
}

static const nn_handler_interface *functions_of(nn_child *child)
{
    const inner_handler *made = child->runtime;

    return made ? &made->functions : NULL;
}

static nn_handler *handler_of(nn_child *child)
{
    const inner_handler *made = child->runtime;

    return made ? made->handler : NULL;
}

static const nn_operations *operations_of(nn_child *child)
{
    const inner_handler *made = child->runtime;

    return made ? nn_completed_operations(made->completed) : NULL;
}

static int32_t error_of(nn_child *child, const char **id, const char **text)
{
    const inner_handler *made = child->runtime;

    return nn_completed_error(made->completed, id, text);
}

static void clear_error_of(nn_child *child)
{
    const inner_handler *made = child->runtime;

    nn_completed_clear(made->completed);
}

const nn_handlers nn_handlers_table = {
    .size = NN_SIZEOF(nn_handlers, clear_error),
    .create = create_handler,
    .functions = functions_of,
    .handler = handler_of,
    .operations = operations_of,
    .error = error_of,
    .clear_error = clear_error_of,
};

/* ---- the end ----------------------------------------------------------- */

static void destroy_value(const nn_value *value)
{
    inner *made = value->child ? value->child->runtime : NULL;
    uint32_t i;

    if (made) {
        made->destroy(made);
        value->child->runtime = NULL;
    }
    if (value->child && value->child->params)
        nn_inner_destroy(value->child->params);
    for (i = 0; i < value->count; ++i)
        destroy_value(value->items[i]);
}

void nn_inner_destroy(const nn_params *params)
{
    uint32_t i;

    for (i = 0; i < params->count; ++i)
        destroy_value(params->values[i]);
}
