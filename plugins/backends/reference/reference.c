/* SPDX-License-Identifier: MIT */
/* reference.c - the handler `reference`: the host's own definition of every
 * operation, on plain memory.
 *
 * It has no mathematics.  The host offers nn.reference/1; this plugin owns
 * memory, turns views into pointers after a check of their bounds, and keeps
 * the first error. */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/handler.h>
#include <nn/host_memory.h>
#include <nn/reference.h>

#define ALIGNMENT 64
#define MAX_OPERANDS 4

struct nn_memory {
    char *bytes;
    int64_t size;
};

struct nn_handler {
    const nn_host *host;
    const nn_reference *reference;
    int32_t code; /* kept error, 0 if none */
    const char *id;
    char text[512];
};

static const uint32_t operand_counts[NN_OP_COUNT] = {
#define COUNT(NAME, name, operands, types, doc) sizeof types - 1,
    NN_BASE_OPERATIONS(COUNT)
#undef COUNT
};

static void fail(nn_handler *handler, int32_t code, const char *id,
                 const char *text)
{
    if (handler->code)
        return;
    handler->code = code;
    handler->id = id;
    snprintf(handler->text, sizeof handler->text, "%s", text);
}

static const nn_reference *find_reference(const nn_host *host)
{
    const nn_reference *reference = host->get_extension(host, NN_REFERENCE);

    if (reference && NN_HAS(reference, run) && reference->check &&
        reference->run)
        return reference;
    nn_fail(host, NN_UNSUPPORTED, "reference.missing",
            "this host does not offer %s", NN_REFERENCE);
    return NULL;
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_handler_request *request, nn_handler **handler)
{
    const nn_reference *reference = find_reference(host);

    (void)params;
    *handler = NULL;
    if (!reference)
        return NN_UNSUPPORTED;
    if (request->real != NN_FLOAT32 && request->real != NN_FLOAT64)
        return nn_fail(host, NN_UNSUPPORTED, "reference.real",
                       "the real type with code %u is not offered",
                       request->real);
    *handler = host->alloc(host, sizeof **handler);
    if (!*handler)
        return NN_NO_MEMORY;
    (*handler)->host = host;
    (*handler)->reference = reference;
    return NN_OK;
}

static void destroy(nn_handler *handler)
{
    if (handler)
        handler->host->free(handler->host, handler);
}

static void describe(nn_handler *handler, nn_handler_info *info)
{
    const nn_handler_info known = {NN_SIZEOF(nn_handler_info, memory), 1, 0,
                                   "plain C, 1 thread",
                                   nn_host_memory_available()};
    const uint32_t size = info->size;

    (void)handler;
    memcpy(info, &known, size < known.size ? size : known.size);
    info->size = size;
}

static int32_t allocate(nn_handler *handler, int64_t bytes, nn_memory **memory)
{
    const nn_host *host = handler->host;
    nn_memory *made = host->alloc(host, sizeof *made);
    void *block = NULL;

    *memory = NULL;
    if (!made)
        return NN_NO_MEMORY;
    if (bytes <= 0 || (uint64_t)bytes > SIZE_MAX ||
        posix_memalign(&block, ALIGNMENT, (size_t)bytes) != 0) {
        host->free(host, made);
        return nn_fail(host, NN_NO_MEMORY, "reference.memory",
                       "no block of %lld bytes", (long long)bytes);
    }
    memset(block, 0, (size_t)bytes); /* touches every page */
    made->bytes = block;
    made->size = bytes;
    *memory = made;
    return NN_OK;
}

static void release(nn_handler *handler, nn_memory *memory)
{
    if (!memory)
        return;
    free(memory->bytes);
    handler->host->free(handler->host, memory);
}

static void *map(nn_handler *handler, nn_memory *memory, int64_t offset,
                 int64_t bytes, uint32_t access)
{
    (void)access;
    if (handler->code)
        return NULL;
    if (!memory || offset < 0 || bytes < 0 || offset > memory->size ||
        bytes > memory->size - offset) {
        fail(handler, NN_INVALID_ARGUMENT, "reference.range",
             "map: the range lies outside its memory");
        return NULL;
    }
    return memory->bytes + offset;
}

static void unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                  uint32_t access)
{
    (void)handler;
    (void)memory;
    (void)pointer;
    (void)access;
}

static int32_t error(nn_handler *handler, const char **id, const char **text)
{
    if (handler->code && id)
        *id = handler->id;
    if (handler->code && text)
        *text = handler->text;
    return handler->code;
}

static void clear_error(nn_handler *handler)
{
    handler->code = NN_OK;
}

static int32_t synchronize(nn_handler *handler)
{
    return handler->code;
}

static const char *id_of(int32_t code)
{
    switch (code) {
    case NN_SHAPE:
        return "operation.shape";
    case NN_UNSUPPORTED:
        return "operation.unsupported";
    default:
        return "operation.argument";
    }
}

/* Address of the first element of ARRAY, whose extent does not overflow; NULL
 * if it leaves its memory. */
static void *locate(const nn_array *array)
{
    const nn_memory *memory = array->memory;
    int64_t bytes = ((nn_rows(array) - 1) * array->pitch + nn_columns(array)) *
                    nn_dtype_bytes(array->dtype);

    if (!memory || array->offset > memory->size ||
        bytes > memory->size - array->offset)
        return NULL;
    return memory->bytes + array->offset;
}

/* Every operation: checked, located, handed to the host's reference. */
static void run(void *self, uint32_t operation, const nn_array *const *operands,
                const nn_attributes *attributes)
{
    nn_handler *handler = self;
    const nn_reference *reference = handler->reference;
    const uint32_t n = operation < NN_OP_COUNT ? operand_counts[operation] : 0;
    void *data[MAX_OPERANDS] = {NULL};
    char text[sizeof handler->text] = "";
    int32_t code;
    uint32_t i;

    if (handler->code)
        return;
    code = reference->check(operation, operands, attributes, text, sizeof text);
    if (code) {
        fail(handler, code, id_of(code), text);
        return;
    }
    if (!n || !nn_wanted(operands[n - 1]))
        return;
    for (i = 0; i < n; ++i) {
        if (!nn_wanted(operands[i]))
            continue;
        data[i] = locate(operands[i]);
        if (!data[i]) {
            snprintf(text, sizeof text,
                     "operation %u: operand %u lies outside its memory",
                     operation, i);
            fail(handler, NN_INVALID_ARGUMENT, "reference.range", text);
            return;
        }
    }
    code = reference->run(operation, operands, data, attributes, text,
                          sizeof text);
    if (code)
        fail(handler, code, id_of(code), text);
}

static const nn_operation_fn operations[NN_OP_COUNT] = {
#define SLOT(NAME, name, operands, types, doc) run,
    NN_BASE_OPERATIONS(SLOT)
#undef SLOT
};

static const nn_handler_interface interface = {
    .size = NN_SIZEOF(nn_handler_interface, get_interface),
    .n_operations = NN_OP_COUNT,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .allocate = allocate,
    .release = release,
    .map = map,
    .unmap = unmap,
    .error = error,
    .clear_error = clear_error,
    .synchronize = synchronize,
    .operations = operations,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HANDLER,
    .name = "reference",
    .summary = "Plain C on one thread: the definition of every operation",
    .doc = "Runs each base operation in the host's own reference, which sums "
           "in double precision and rounds once. It is slow and exact; every "
           "other handler is compared with it.",
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

static int32_t init(const nn_host *host)
{
    return find_reference(host) ? NN_OK : NN_UNSUPPORTED;
}

NN_PLUGIN_ENTRY(handler_reference) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.handler.reference",
    .name = "reference",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Plain C on one thread: the definition of every operation",
    .n_components = 1,
    .components = components,
    .init = init,
};
