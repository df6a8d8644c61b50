/* SPDX-License-Identifier: MIT */
/* handler.c - a handler to copy: a backend on the memory of the host.
 *
 * A handler owns the memory and the operations of a device.  This one has plain
 * memory and runs one operation itself, add_tt; all others it hands to the
 * host's own definition of them, the extension nn.reference/1.  It could as well
 * leave them out: what a handler lacks, the core composes of others or runs on
 * the host through `map`.  So a new backend runs every network from its first
 * day, and gets faster with each operation that it adds.
 *
 * What you change, in the order of this file: the instance and its memory, the
 * mapping, the operations, the names at the end.  `make` builds the plugin,
 * `make check` says whether it is right; a config then says `handler: plain_host`.
 *
 * Errors are sticky: an operation returns nothing; the first failure is kept
 * with its message, and later operations do nothing until clear_error.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn/handler.h>
#include <nn/host_memory.h>
#include <nn/reference.h>

#define ALIGNMENT 64
#define MOST_OPERANDS 4

/* A block: the views of layers name it, and only this file looks inside. */
struct nn_memory {
    char *bytes;
    int64_t size;
};

/* The instance.  No global variables: there can be two of them. */
struct nn_handler {
    const nn_host *host;
    const nn_reference *reference;
    int32_t code; /* kept error, 0 if none */
    char text[512];
};

/* Operands of each operation, from the one list of them. */
static const uint32_t counts[NN_OP_COUNT] = {
#define COUNT(NAME, name, operands, types, doc) sizeof types - 1,
    NN_BASE_OPERATIONS(COUNT)
#undef COUNT
};

/* ---- life -------------------------------------------------------------- */

/* Makes an instance for float32 or float64, which REQUEST says. */
static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_handler_request *request, nn_handler **handler)
{
    const nn_reference *reference = host->get_extension(host, NN_REFERENCE);

    (void)params;
    *handler = NULL;
    if (!reference || !NN_HAS(reference, run))
        return nn_fail(host, NN_UNSUPPORTED, "plain_host.host",
                       "this host does not offer %s", NN_REFERENCE);
    if (request->real != NN_FLOAT32 && request->real != NN_FLOAT64)
        return nn_fail(host, NN_UNSUPPORTED, "plain_host.real",
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

/* Fills INFO up to the size that the caller knows. */
static void describe(nn_handler *handler, nn_handler_info *info)
{
    const nn_handler_info known = {NN_SIZEOF(nn_handler_info, memory), 1, 0,
                                   "plain memory, 1 thread",
                                   nn_host_memory_available()};
    const uint32_t size = info->size;

    (void)handler;
    memcpy(info, &known, size < known.size ? size : known.size);
    info->size = size;
}

/* ---- memory ------------------------------------------------------------ */

/* BYTES of the device, aligned for whatever its operations load at once. */
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
        return nn_fail(host, NN_NO_MEMORY, "plain_host.memory",
                       "no block of %lld bytes", (long long)bytes);
    }
    memset(block, 0, (size_t)bytes); /* touches every page now */
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

/* ---- errors ------------------------------------------------------------ */

static void fail(nn_handler *handler, int32_t code, const char *text)
{
    if (handler->code) /* the first one wins */
        return;
    handler->code = code;
    snprintf(handler->text, sizeof handler->text, "%s", text);
}

static int32_t error(nn_handler *handler, const char **id, const char **text)
{
    if (handler->code && id)
        *id = "plain_host.operation";
    if (handler->code && text)
        *text = handler->text;
    return handler->code;
}

static void clear_error(nn_handler *handler)
{
    handler->code = NN_OK;
}

/* A device that works behind the program's back waits here. */
static int32_t synchronize(nn_handler *handler)
{
    return handler->code;
}

/* ---- mapping ----------------------------------------------------------- */

/* On another device: copies the range here if ACCESS reads it. */
static void *map(nn_handler *handler, nn_memory *memory, int64_t offset,
                 int64_t bytes, uint32_t access)
{
    (void)access;
    if (handler->code)
        return NULL;
    if (!memory || offset < 0 || bytes < 0 || offset > memory->size ||
        bytes > memory->size - offset) {
        fail(handler, NN_INVALID_ARGUMENT,
             "map: the range lies outside its memory");
        return NULL;
    }
    return memory->bytes + offset;
}

/* On another device: copies it back if ACCESS wrote it. */
static void unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                  uint32_t access)
{
    (void)handler;
    (void)memory;
    (void)pointer;
    (void)access;
}

/* ---- operations -------------------------------------------------------- */

/* Address of the first element of ARRAY; NULL if it leaves its memory. */
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

/* The operation that this handler runs itself, in float32: y = x + z.  Every
 * pitch is fine, and the output is set or added to as its mode says. */
static void add(const nn_array *const *operands, void *const *data)
{
    const nn_array *x = operands[0];
    const nn_array *z = operands[1];
    const nn_array *y = operands[2];
    int64_t row;
    int64_t i;

    for (row = 0; row < nn_rows(y); ++row) {
        const float *from_x = (const float *)data[0] + row * x->pitch;
        const float *from_z = (const float *)data[1] + row * z->pitch;
        float *to = (float *)data[2] + row * y->pitch;

        for (i = 0; i < nn_columns(y); ++i) {
            float sum = from_x[i] + from_z[i];

            to[i] = y->mode == NN_ADD ? to[i] + sum : sum;
        }
    }
}

/* Every operation: judged by the table of operations, located, run. */
static void run(void *self, uint32_t operation, const nn_array *const *operands,
                const nn_attributes *attributes)
{
    nn_handler *handler = self;
    const uint32_t n = operation < NN_OP_COUNT ? counts[operation] : 0;
    void *data[MOST_OPERANDS] = {NULL};
    char text[sizeof handler->text] = "";
    int32_t code;
    uint32_t i;

    if (handler->code)
        return;
    code = handler->reference->check(operation, operands, attributes, text,
                                     sizeof text);
    if (code) {
        fail(handler, code, text);
        return;
    }
    if (!n || !nn_wanted(operands[n - 1])) /* nobody wants the result */
        return;
    for (i = 0; i < n; ++i) {
        if (!nn_wanted(operands[i]))
            continue;
        data[i] = locate(operands[i]);
        if (!data[i]) {
            fail(handler, NN_INVALID_ARGUMENT,
                 "an operand lies outside its memory");
            return;
        }
    }
    if (operation == NN_OP_ADD_TT && operands[0]->dtype == NN_FLOAT32) {
        add(operands, data);
        return;
    }
    code = handler->reference->run(operation, operands, data, attributes, text,
                                   sizeof text);
    if (code)
        fail(handler, code, text);
}

/* One entry an operation; NULL for one that the core is to complete. */
static const nn_operation_fn operations[NN_OP_COUNT] = {
#define SLOT(NAME, name, operands, types, doc) run,
    NN_BASE_OPERATIONS(SLOT)
#undef SLOT
};

/* ---- description ------------------------------------------------------- */

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
    .size = NN_SIZEOF(nn_component, cases),
    .kind = NN_KIND_HANDLER,
    .name = "plain_host",
    .summary = "Plain memory, and the host's definition of the operations",
    .doc = "Adds two arrays of float32 itself, and hands every other operation "
           "to the host's reference.",
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(handler_plain_host) = {
    NN_PLUGIN_HEAD,
    .id = "org.example.handler.plain_host", /* a domain of yours, in reverse */
    .name = "plain_host",
    .version = "1.0.0",
    .license = "MIT",
    .author = "Your name",
    .summary = "Plain memory, and the host's definition of the operations",
    .n_components = 1,
    .components = components,
};
