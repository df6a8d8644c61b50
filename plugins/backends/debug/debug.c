/* SPDX-License-Identifier: MIT */
/* debug.c - the handler `debug(X)`: X with every call examined.
 *
 * It offers every operation, those that X lacks as the core completes them, and
 * the extensions of X; its results are X's to the bit.  It asks
 * for a redzone around every buffer and is told of buffers and passes by
 * nn.track/1; without that it watches whole blocks. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "debug.h"

/* ---- the inner handler ------------------------------------------------- */

static int32_t make_inner(nn_handler *made, const nn_handler_request *request)
{
    const nn_host *host = made->host;
    const nn_handlers *handlers = host->get_extension(host, NN_HANDLERS);
    nn_child *child = nn_param_child(made->params, INNER);
    int32_t code;

    made->handlers = handlers;
    made->child = child;
    made->reference = host->get_extension(host, NN_REFERENCE);
    if (!handlers || !NN_HAS(handlers, clear_error) || !made->reference ||
        !NN_HAS(made->reference, judge))
        return nn_fail(host, NN_UNSUPPORTED, "debug.host",
                       "this host does not offer %s and %s", NN_HANDLERS,
                       NN_REFERENCE);
    code = handlers->create(child, request);
    if (code)
        return code;
    made->inner = handlers->functions(child);
    made->operations = handlers->operations(child);
    made->self = handlers->handler(child);
    made->rows = host->alloc(host, MOST_ROWS * sizeof *made->rows);
    return made->rows ? NN_OK : NN_NO_MEMORY;
}

static void destroy(nn_handler *handler)
{
    const nn_host *host;

    if (!handler)
        return;
    host = handler->host;
    if (handler->self) {
        debug_extension_finish(handler);
        debug_memory_finish(handler);
        debug_findings_finish(handler);
    }
    host->free(host, handler->rows);
    host->free(host, handler);
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_handler_request *request, nn_handler **handler)
{
    nn_handler *made = host->alloc(host, sizeof *made);
    int32_t code;

    *handler = NULL;
    if (!made)
        return NN_NO_MEMORY;
    made->host = host;
    made->params = params;
    code = make_inner(made, request);
    if (code) {
        destroy(made);
        return code;
    }
    *handler = made;
    return NN_OK;
}

static void describe(nn_handler *handler, nn_handler_info *info)
{
    nn_handler_info known;
    const uint32_t size = info->size;

    memset(&known, 0, sizeof known);
    known.size = NN_SIZEOF(nn_handler_info, memory);
    handler->inner->describe(handler->self, &known);
    snprintf(handler->device, sizeof handler->device, "%s, every call examined",
             known.device ? known.device : "");
    known.device = handler->device;
    known.redzone_bytes = GUARD;
    memcpy(info, &known, size < sizeof known ? size : sizeof known);
    info->size = size;
}

/* ---- errors ------------------------------------------------------------ */

static int32_t error(nn_handler *handler, const char **id, const char **text)
{
    if (!handler->code)
        return handler->handlers->error(handler->child, id, text);
    if (id)
        *id = handler->id;
    if (text)
        *text = handler->text;
    return handler->code;
}

static void clear_error(nn_handler *handler)
{
    handler->handlers->clear_error(handler->child);
    if (handler->code != NN_DEVICE)
        handler->code = NN_OK;
}

static int32_t synchronize(nn_handler *handler)
{
    int32_t code = handler->inner->synchronize(handler->self);

    return handler->code ? handler->code : code;
}

/* ---- branches and other tables ----------------------------------------- */

static void fork_branches(nn_handler *handler, uint32_t branches)
{
    if (handler->inner->fork)
        handler->inner->fork(handler->self, branches);
}

static void branch(nn_handler *handler, uint32_t index)
{
    if (handler->inner->branch)
        handler->inner->branch(handler->self, index);
}

static void join(nn_handler *handler)
{
    if (handler->inner->join)
        handler->inner->join(handler->self);
}

static const void *get_interface(nn_handler *handler, const char *id)
{
    (void)handler;
    return strcmp(id, NN_TRACK) ? NULL : &debug_memory_track;
}

/* ---- description ------------------------------------------------------- */

static const nn_operation_fn operations[NN_OP_COUNT] = {
#define SLOT(NAME, name, operands, types, doc) debug_operation_run,
    NN_BASE_OPERATIONS(SLOT)
#undef SLOT
};

static const nn_handler_interface interface = {
    .size = NN_SIZEOF(nn_handler_interface, get_interface),
    .n_operations = NN_OP_COUNT,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .allocate = debug_memory_allocate,
    .release = debug_memory_release,
    .map = debug_memory_map,
    .unmap = debug_memory_unmap,
    .error = error,
    .clear_error = clear_error,
    .synchronize = synchronize,
    .operations = operations,
    .extension = debug_extension_find,
    .fork = fork_branches,
    .branch = branch,
    .join = join,
    .get_interface = get_interface,
};

static const char *const stops[] = {"first", "never", NULL};

static const nn_param inner_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_COMPONENT,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .kind = NN_KIND_HANDLER,
    .name = "inner",
    .doc = "The handler that computes",
};
static const nn_param pattern = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_STRING,
    .name = "id",
    .doc = "An id such as NN-log_t-not-finite; `*` stands for any text",
};
static const nn_param mute_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_LIST,
    .name = "mute",
    .doc = "Patterns of findings that are left out",
    .default_text = "[]",
    .element = &pattern,
};
static const nn_param stop_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_CHOICE,
    .name = "stop",
    .doc = "Whether the first finding is an error, or the run goes on",
    .default_text = "first",
    .choices = stops,
};
static const nn_param limit_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED,
    .name = "limit",
    .doc = "Findings that are told; further ones are counted",
    .default_text = "100",
    .minimum = 0,
    .maximum = INFINITY,
};
static const nn_param not_finite_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_BOOL,
    .name = "not_finite",
    .doc = "Tell when NaN or infinity comes out of finite numbers",
    .default_text = "true",
};
static const nn_param thorough_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_BOOL,
    .name = "thorough",
    .doc = "Compare what is only read before and after each operation",
    .default_text = "false",
};
static const nn_param *const params[] = {
    [INNER] = &inner_param,
    [MUTE] = &mute_param,
    [STOP] = &stop_param,
    [LIMIT] = &limit_param,
    [NOT_FINITE] = &not_finite_param,
    [THOROUGH] = &thorough_param,
};

static const nn_case on_reference = {
    .size = NN_SIZEOF(nn_case, inputs),
    .params = "{inner: reference}",
};
static const nn_case *const cases[] = {&on_reference, NULL};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, cases),
    .kind = NN_KIND_HANDLER,
    .name = "debug",
    .summary = "Another handler, with every call examined before and after it",
    .doc = "debug(X) computes what X computes, to the bit, and tells of calls "
           "that are wrong: shapes, types, pitches, modes, indices out of "
           "range, memory that is another handler's, released, outside of its "
           "buffer, dead or never written, forbidden overlap, writes to what "
           "is read-only, rows run by the wrong plan, operations outside of a "
           "pass; after each one bytes that nobody was to write, and NaN or "
           "infinity out of finite numbers. Each finding has an id, "
           "NN-OPERATION-WHAT, and names operands, buffers and layer. It "
           "waits for X after every operation, and is slow.",
    .n_params = sizeof params / sizeof *params,
    .params = params,
    .interface = &interface,
    .cases = cases,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(handler_debug) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.handler.debug",
    .name = "debug",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Another handler, with every call examined before and after it",
    .n_components = 1,
    .components = components,
};
