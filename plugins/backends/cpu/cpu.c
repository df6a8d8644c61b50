/* SPDX-License-Identifier: MIT */
/* cpu.c - the handler `cpu`: OpenBLAS and kernels of our own on host memory.
 *
 * The environment variable NN_CPU_KERNELS chooses the kernels of a new handler
 * (avx512, avx2, plain); without it the best ones that the processor has are
 * taken.  With "reference" the host's nn.reference/1 computes everything in
 * this handler's memory, on one thread. */
#define _GNU_SOURCE

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <nn/host_memory.h>
#include <nn/linear.h>
#include <nn/optimizer.h>
#include <nn/plugin.h>
#include <nn/reference.h>

#include "handler.h"

#define PARAM_THREADS 0u
#define MAX_THREADS 1024
#define MAX_OPERANDS 4
#define ALIGNMENT 64
#define HUGE_PAGE (INT64_C(2) << 20)
#define SCRATCH (INT64_C(1) << 20) /* of reductions, at least */

static const cpu_operation_fn functions[NN_OP_COUNT] = {
    [NN_OP_COPY] = cpu_copy,
    [NN_OP_CAST] = cpu_cast,
    [NN_OP_FILL] = cpu_fill,
    [NN_OP_TRANSPOSE_M] = cpu_transpose,
    [NN_OP_BROADCAST_T] = cpu_matrix_vector,
    [NN_OP_ADD_TT] = cpu_element_wise,
    [NN_OP_SUBTRACT_TT] = cpu_element_wise,
    [NN_OP_MULT_TT] = cpu_element_wise,
    [NN_OP_DIVIDE_TT] = cpu_element_wise,
    [NN_OP_MAXIMUM_TT] = cpu_element_wise,
    [NN_OP_MINIMUM_TT] = cpu_element_wise,
    [NN_OP_ADD_TS] = cpu_element_wise,
    [NN_OP_MULT_TS] = cpu_element_wise,
    [NN_OP_AXPBY_TT] = cpu_element_wise,
    [NN_OP_POWER_TS] = cpu_power,
    [NN_OP_CLIP_T] = cpu_element_wise,
    [NN_OP_ADD_MV] = cpu_matrix_vector,
    [NN_OP_SUBTRACT_MV] = cpu_matrix_vector,
    [NN_OP_MULT_MV] = cpu_matrix_vector,
    [NN_OP_DIVIDE_MV] = cpu_matrix_vector,
    [NN_OP_DOT_MM] = cpu_dot,
    [NN_OP_ABS_T] = cpu_element_wise,
    [NN_OP_SIGN_T] = cpu_element_wise,
    [NN_OP_SQUARE_T] = cpu_element_wise,
    [NN_OP_SQRT_T] = cpu_element_wise,
    [NN_OP_EXP_T] = cpu_element_wise,
    [NN_OP_LOG_T] = cpu_element_wise,
    [NN_OP_SUM_T] = cpu_reduce,
    [NN_OP_SUM_SQUARES_T] = cpu_reduce,
    [NN_OP_MAX_T] = cpu_reduce,
    [NN_OP_ARGMAX_M] = cpu_argmax,
    [NN_OP_LESS_TT] = cpu_element_wise,
    [NN_OP_LESS_EQUAL_TT] = cpu_element_wise,
    [NN_OP_EQUAL_TT] = cpu_element_wise,
    [NN_OP_GREATER_TS] = cpu_element_wise,
    [NN_OP_GREATER_EQUAL_TS] = cpu_element_wise,
    [NN_OP_EQUAL_TS] = cpu_element_wise,
    [NN_OP_IS_FINITE_T] = cpu_element_wise,
    [NN_OP_SELECT_TTT] = cpu_element_wise,
    [NN_OP_GATHER_M_BY_V] = cpu_gather,
    [NN_OP_SCATTER_M_BY_V] = cpu_scatter_rows,
    [NN_OP_INDEX_M_BY_V] = cpu_index,
    [NN_OP_SCATTER_V_BY_V] = cpu_scatter,
    [NN_OP_ONE_HOT_V] = cpu_one_hot,
    [NN_OP_FILL_UNIFORM] = cpu_random,
    [NN_OP_FILL_GAUSSIAN] = cpu_random,
    [NN_OP_FILL_BERNOULLI] = cpu_random,
    [NN_OP_DROPOUT_T] = cpu_random,
    [NN_OP_ACTIVATION_T] = cpu_activation,
    [NN_OP_ACTIVATION_BACKWARD_T] = cpu_activation_backward,
    [NN_OP_SOFTMAX_M] = cpu_softmax,
    [NN_OP_LOG_SOFTMAX_M] = cpu_softmax,
    [NN_OP_SOFTMAX_BACKWARD_M] = cpu_softmax,
};

/* Operands of each operation; the output is the last one. */
static const uint32_t operand_counts[NN_OP_COUNT] = {
#define COUNT(NAME, name, operands, types, doc) sizeof types - 1,
    NN_BASE_OPERATIONS(COUNT)
#undef COUNT
};

void cpu_fail(nn_handler *handler, int32_t code, const char *id,
              const char *format, ...)
{
    va_list arguments;

    if (handler->code)
        return;
    handler->code = code;
    snprintf(handler->id, sizeof handler->id, "%s", id);
    va_start(arguments, format);
    vsnprintf(handler->text, sizeof handler->text, format, arguments);
    va_end(arguments);
}

const cpu_kernels *cpu_kernels_for(const nn_handler *handler, uint32_t dtype)
{
    return dtype == NN_FLOAT64 ? handler->set->float64 : handler->set->float32;
}

/* The operation in the host's reference. */
static void run_reference(nn_handler *handler, uint32_t operation,
                          const nn_array *const *operands,
                          const nn_attributes *attributes)
{
    void *data[MAX_OPERANDS] = {NULL};
    char text[sizeof handler->text] = "";
    int32_t code = handler->reference->check(operation, operands, attributes,
                                             text, sizeof text);
    uint32_t i;

    for (i = 0; i < operand_counts[operation]; ++i)
        if (nn_wanted(operands[i]))
            data[i] = cpu_data(operands[i]);
    if (!code)
        code = handler->reference->run(operation, operands, data, attributes,
                                       text, sizeof text);
    if (code)
        cpu_fail(handler, code, "cpu.reference", "%s", text);
}

/* Every entry of the table of operations. */
static void run(void *self, uint32_t operation, const nn_array *const *operands,
                const nn_attributes *attributes)
{
    const nn_attributes none = nn_no_attributes();
    nn_handler *handler = self;

    if (handler->code || operation >= NN_OP_COUNT ||
        !nn_wanted(operands[operand_counts[operation] - 1]))
        return;
    if (!attributes)
        attributes = &none;
    if (handler->set)
        functions[operation](handler, operation, operands, attributes);
    else
        run_reference(handler, operation, operands, attributes);
}

static const nn_operation_fn operations[NN_OP_COUNT] = {
#define ENTRY(NAME, name, operands, types, doc) run,
    NN_BASE_OPERATIONS(ENTRY)
#undef ENTRY
};

/* Block of BYTES whose pages are there: in huge ones if it is large. */
static void *allocate_block(int64_t bytes)
{
    int64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    void *block;

    if (bytes > INT64_MAX - alignment)
        return NULL;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (posix_memalign(&block, (size_t)alignment, (size_t)bytes))
        return NULL;
    if (alignment == HUGE_PAGE)
        madvise(block, (size_t)bytes, MADV_HUGEPAGE);
    memset(block, 0, (size_t)bytes);
    return block;
}

static int32_t find_reference(nn_handler *handler)
{
    const nn_host *host = handler->host;

    handler->reference = host->get_extension(host, NN_REFERENCE);
    if (handler->reference && NN_HAS(handler->reference, run))
        return NN_OK;
    return nn_fail(host, NN_UNSUPPORTED, "cpu.reference",
                   "NN_CPU_KERNELS=reference: this host does not offer %s",
                   NN_REFERENCE);
}

/* The kernels that the environment asks for: a set, or the reference. */
static int32_t choose_kernels(nn_handler *handler)
{
    const char *name = secure_getenv("NN_CPU_KERNELS");

    if (name && !strcmp(name, "reference"))
        return find_reference(handler);
    handler->set = cpu_set_find(name && *name ? name : NULL);
    if (handler->set)
        return NN_OK;
    return nn_fail(handler->host, NN_UNSUPPORTED, "cpu.kernels",
                   "NN_CPU_KERNELS=%s: not among reference, plain, avx2 and "
                   "avx512, or not in this processor",
                   name);
}

/* The scratch memory of base operations, for every size that they take. */
static int32_t allocate_scratch(nn_handler *handler)
{
    handler->scratch_bytes = cpu_product_workspace(handler, NN_FLOAT32,
                                                   INT32_MAX, INT32_MAX);
    if (handler->scratch_bytes < SCRATCH)
        handler->scratch_bytes = SCRATCH;
    handler->scratch = allocate_block(handler->scratch_bytes);
    return handler->scratch
               ? NN_OK
               : nn_fail(handler->host, NN_NO_MEMORY, "cpu.scratch",
                         "no memory for %lld bytes of scratch",
                         (long long)handler->scratch_bytes);
}

void *cpu_scratch(nn_handler *handler, int64_t bytes)
{
    if (bytes <= handler->scratch_bytes)
        return handler->scratch;
    cpu_fail(handler, NN_INTERNAL, "cpu.scratch",
             "%lld bytes of scratch wanted, %lld are there", (long long)bytes,
             (long long)handler->scratch_bytes);
    return NULL;
}

static void destroy(nn_handler *handler)
{
    if (!handler)
        return;
    cpu_pool_destroy(handler->pool);
    free(handler->scratch);
    handler->host->free(handler->host, handler);
}

static int32_t start_threads(nn_handler *handler, int64_t threads)
{
    if (!threads)
        threads = handler->host->threads(handler->host);
    if (threads < 1)
        threads = 1;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    handler->pool = cpu_pool_create((int32_t)threads);
    if (!handler->pool)
        return nn_fail(handler->host, NN_NO_MEMORY, "cpu.threads",
                       "cannot start %lld threads", (long long)threads);
    snprintf(handler->device, sizeof handler->device, "%s, %lld thread%s, %s",
             handler->set ? handler->set->title : "reference",
             (long long)threads, threads == 1 ? "" : "s", cpu_blas_init());
    return NN_OK;
}

static int32_t create(const nn_host *host, const nn_params *params,
                      const nn_handler_request *request, nn_handler **handler)
{
    nn_handler *made;
    int32_t code;

    *handler = NULL;
    if (request->real != NN_FLOAT32 && request->real != NN_FLOAT64)
        return nn_fail(host, NN_UNSUPPORTED, "cpu.real",
                       "the real type with code %u is not offered",
                       request->real);
    made = host->alloc(host, sizeof *made);
    if (!made)
        return NN_NO_MEMORY;
    made->host = host;
    code = choose_kernels(made);
    if (!code)
        code = start_threads(made, nn_param_int(params, PARAM_THREADS));
    if (!code && made->set)
        code = allocate_scratch(made);
    if (code) {
        destroy(made);
        return code;
    }
    *handler = made;
    return NN_OK;
}

static void describe(nn_handler *handler, nn_handler_info *info)
{
    nn_handler_info full = {
        .size = info->size,
        .threads = (uint32_t)cpu_pool_threads(handler->pool),
        .device = handler->device,
        .memory = nn_host_memory_available(),
    };

    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
}

static int32_t allocate(nn_handler *handler, int64_t bytes, nn_memory **memory)
{
    const nn_host *host = handler->host;

    *memory = host->alloc(host, sizeof **memory);
    if (!*memory)
        return NN_NO_MEMORY;
    (*memory)->bytes = allocate_block(bytes);
    (*memory)->size = bytes;
    if ((*memory)->bytes)
        return NN_OK;
    host->free(host, *memory);
    *memory = NULL;
    return nn_fail(host, NN_NO_MEMORY, "cpu.memory", "no memory for %lld bytes",
                   (long long)bytes);
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
    if (offset < 0 || bytes < 0 || offset > memory->size ||
        bytes > memory->size - offset) {
        cpu_fail(handler, NN_INVALID_ARGUMENT, "cpu.map",
                 "map: %lld bytes at %lld, the memory has %lld",
                 (long long)bytes, (long long)offset, (long long)memory->size);
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
    handler->code = 0;
}

static int32_t synchronize(nn_handler *handler)
{
    return handler->code;
}

static const nn_extension *extension(nn_handler *handler, const char *id)
{
    if (!handler->set)
        return NULL;
    if (!strcmp(id, NN_LINEAR))
        return &cpu_linear;
    if (!strcmp(id, NN_OPTIMIZER))
        return &cpu_optimizer;
    return NULL;
}

static const nn_param threads = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_INT,
    .flags = NN_PARAM_RANGED,
    .name = "threads",
    .doc = "Threads to compute with; 0 takes what the program allows.",
    .default_text = "0",
    .minimum = 0,
    .maximum = MAX_THREADS,
};

static const nn_param *const params[] = {&threads};

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
    .extension = extension,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_HANDLER,
    .flags = NN_COMPONENT_THREADS,
    .n_params = sizeof params / sizeof *params,
    .name = "cpu",
    .summary = "Computes on the processor, with OpenBLAS and vector kernels",
    .doc = "Keeps `threads` threads busy.  The environment variable "
           "NN_CPU_KERNELS (avx512, avx2, plain, reference) forces a kernel "
           "set; the best one of the processor is taken otherwise.  Results "
           "do not depend on the number of threads.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};
static const char *const needs[] = {"libopenblas", NULL};

NN_PLUGIN_ENTRY(handler_cpu) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.handler.cpu",
    .name = "cpu",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "The handler for processors",
    .libraries = needs,
    .n_components = 1,
    .components = components,
};
