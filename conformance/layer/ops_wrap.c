/* SPDX-License-Identifier: MIT */
/* ops_wrap.c - see ops_wrap.h.
 *
 * A block of memory is an address in a range that cannot be touched, so that a
 * layer that takes it for its own handler's struct is killed at once.
 * Operations replace it in their operands by the block that is meant.
 * Extensions are not handed on: the library composes their rows of base
 * operations, all of which come through here. */
#define _GNU_SOURCE
#include "conformance/layer/ops_wrap.h"

#include <string.h>
#include <sys/mman.h>

#include "conformance/watch_note.h"

#define MOST_BLOCKS 16384u
#define STEP 64u /* bytes of the range that stand for one block */
#define OPERANDS 8u
#define MOST_ROWS 16u
#define MOST_EXTENSIONS 8u

/* An extension whose plans fail. */
typedef struct refused {
    nn_extension extension;
    nn_row rows[MOST_ROWS];
    const nn_row *list[MOST_ROWS];
} refused;

/* The handler that is handed out. */
struct nn_handler {
    wrap *owner;
};

struct wrap {
    struct nn_handler handler; /* first */
    trial *trial;
    nn_part *part;
    nn_device *inner_device;
    nn_device *device;
    const nn_handler_interface *inner;
    nn_handler *inner_handler;
    nn_handler_interface functions;
    nn_operation_fn operations[NN_OP_COUNT];
    char *range;
    nn_memory *blocks[MOST_BLOCKS];
    uint32_t n_blocks;
    int64_t count;
    int64_t fail_at;
    int32_t fail_code;
    int32_t code;
    int32_t plan_code;
    int64_t plans;
    int64_t maps;
    refused extensions[MOST_EXTENSIONS];
    uint32_t n_extensions;
    uint32_t n_operands[NN_OP_COUNT];
};

/* ---- memory ------------------------------------------------------------- */

static nn_memory *meant(const wrap *w, const nn_memory *memory)
{
    size_t index;

    if (!memory)
        return NULL;
    index = ((uintptr_t)memory - (uintptr_t)w->range) / STEP;
    return index < w->n_blocks ? w->blocks[index] : NULL;
}

static int32_t allocate(nn_handler *handler, int64_t bytes, nn_memory **memory)
{
    wrap *w = handler->owner;
    int32_t code;

    *memory = NULL;
    if (w->n_blocks == MOST_BLOCKS)
        return NN_NO_MEMORY;
    code = w->inner->allocate(w->inner_handler, bytes, &w->blocks[w->n_blocks]);
    if (!code)
        *memory = (nn_memory *)(void *)(w->range + STEP * w->n_blocks++);
    return code;
}

static void release(nn_handler *handler, nn_memory *memory)
{
    wrap *w = handler->owner;

    if (!memory)
        return;
    w->inner->release(w->inner_handler, meant(w, memory));
    w->blocks[(size_t)((char *)(void *)memory - w->range) / STEP] = NULL;
}

static void *map(nn_handler *handler, nn_memory *memory, int64_t offset,
                 int64_t bytes, uint32_t access)
{
    wrap *w = handler->owner;

    if (watch_is_plugin(CALLER)) {
        ++w->maps;
        return NULL;
    }
    if (w->code)
        return NULL;
    return w->inner->map(w->inner_handler, meant(w, memory), offset, bytes,
                         access);
}

static void unmap(nn_handler *handler, nn_memory *memory, void *pointer,
                  uint32_t access)
{
    wrap *w = handler->owner;

    w->inner->unmap(w->inner_handler, meant(w, memory), pointer, access);
}

/* ---- operations --------------------------------------------------------- */

static void operate(void *self, uint32_t operation,
                    const nn_array *const *operands,
                    const nn_attributes *attributes)
{
    wrap *w = ((nn_handler *)self)->owner;
    nn_array copies[OPERANDS];
    const nn_array *list[OPERANDS] = {NULL};
    uint32_t i;

    if (w->code)
        return;
    if (++w->count == w->fail_at) {
        w->code = w->fail_code;
        return;
    }
    for (i = 0; i < w->n_operands[operation]; ++i) {
        if (!operands[i])
            continue;
        copies[i] = *operands[i];
        copies[i].memory = meant(w, copies[i].memory);
        list[i] = &copies[i];
    }
    w->inner->operations[operation](w->inner_handler, operation, list,
                                    attributes);
}

static int32_t error(nn_handler *handler, const char **id, const char **text)
{
    wrap *w = handler->owner;

    if (!w->code)
        return w->inner->error(w->inner_handler, id, text);
    if (id)
        *id = "trial.failure";
    if (text)
        *text = "the suite made this operation fail";
    return w->code;
}

static void clear_error(nn_handler *handler)
{
    wrap *w = handler->owner;

    if (w->code != NN_DEVICE)
        w->code = 0;
    w->inner->clear_error(w->inner_handler);
}

static int32_t synchronize(nn_handler *handler)
{
    wrap *w = handler->owner;
    int32_t code = w->inner->synchronize(w->inner_handler);

    return w->code ? w->code : code;
}

static void describe(nn_handler *handler, nn_handler_info *info)
{
    handler->owner->inner->describe(handler->owner->inner_handler, info);
}

/* ---- plans -------------------------------------------------------------- */

static int32_t refuse_plan(nn_handler *handler, const nn_plan_request *request,
                           nn_plan_result *result)
{
    wrap *w = handler->owner;
    const nn_host *host = nn_part_host(w->part);

    (void)request;
    (void)result;
    ++w->plans;
    return host->set_error(host, w->plan_code, "trial.plan",
                           "the suite made this plan fail");
}

static const nn_extension *extension(nn_handler *handler, const char *id)
{
    wrap *w = handler->owner;
    const nn_extension *theirs;
    refused *mine;
    uint32_t i;

    for (i = 0; i < w->n_extensions; ++i)
        if (!strcmp(w->extensions[i].extension.id, id))
            return &w->extensions[i].extension;
    if (!w->plan_code || !w->inner->extension ||
        !(theirs = w->inner->extension(w->inner_handler, id)) ||
        w->n_extensions == MOST_EXTENSIONS)
        return NULL;
    mine = &w->extensions[w->n_extensions++];
    for (i = 0; i < theirs->n_rows && i < MOST_ROWS; ++i) {
        if (!theirs->rows[i])
            continue;
        memcpy(&mine->rows[i], theirs->rows[i],
               theirs->rows[i]->size < sizeof mine->rows[i]
                   ? theirs->rows[i]->size
                   : sizeof mine->rows[i]);
        mine->rows[i].plan = refuse_plan;
        mine->list[i] = &mine->rows[i];
    }
    mine->extension.size = NN_SIZEOF(nn_extension, rows);
    mine->extension.n_rows = i;
    mine->extension.id = theirs->id;
    mine->extension.rows = mine->list;
    return &mine->extension;
}

/* ---- making ------------------------------------------------------------- */

static void count_operands(wrap *w)
{
    static const char *const texts[] = {
#define OPERANDS_OF(NAME, name, operands, types, doc) operands,
        NN_BASE_OPERATIONS(OPERANDS_OF)
#undef OPERANDS_OF
    };
    const char *at;
    uint32_t i;

    for (i = 0; i < NN_OP_COUNT; ++i)
        for (at = texts[i]; at; at = strstr(at, ", ")) {
            at += *at == ',' ? 2 : 0;
            ++w->n_operands[i];
        }
}

static void fill_functions(wrap *w)
{
    nn_handler_interface *f = &w->functions;
    uint32_t i;

    f->size = NN_SIZEOF(nn_handler_interface, get_interface);
    f->n_operations = NN_OP_COUNT;
    f->describe = describe;
    f->allocate = allocate;
    f->release = release;
    f->map = map;
    f->unmap = unmap;
    f->error = error;
    f->clear_error = clear_error;
    f->synchronize = synchronize;
    f->operations = w->operations;
    f->extension = extension;
    for (i = 0; i < NN_OP_COUNT && i < w->inner->n_operations; ++i)
        w->operations[i] = w->inner->operations[i] ? operate : NULL;
}

wrap *wrap_create(trial *trial, const char *name)
{
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  NN_FLOAT64, 1};
    wrap *w = trial_alloc(trial, sizeof *w);
    const char *text = NULL;

    w->trial = trial;
    w->handler.owner = w;
    w->range = mmap(NULL, STEP * MOST_BLOCKS, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w->range == MAP_FAILED ||
        nn_part_create(trial->plugins, NN_KIND_HANDLER, name, NULL, &w->part) ||
        nn_device_create(w->part, &request, &w->inner_device)) {
        nn_error(NULL, &text);
        trial_skip(trial, "the handler '%s' cannot be made: %s", name,
                   text ? text : "no memory");
        return NULL;
    }
    w->inner = nn_device_functions(w->inner_device);
    w->inner_handler = nn_device_handler(w->inner_device);
    count_operands(w);
    fill_functions(w);
    if (nn_device_wrap(&w->functions, &w->handler, NN_FLOAT64, &w->device)) {
        trial_broken(trial, "a handler of the suite cannot be wrapped");
        return NULL;
    }
    return w;
}

void wrap_destroy(wrap *w)
{
    nn_device_destroy(w->device);
    nn_device_destroy(w->inner_device);
    nn_part_destroy(w->part);
    munmap(w->range, STEP * MOST_BLOCKS);
}

/* The same network as bench_create makes. */
static int32_t make_model(bench *b)
{
    static const char *const keep[] = {"*"};
    nn_model_options o;
    int32_t code;

    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.training = 1;
    o.deltas = 1;
    o.T = b->one->T;
    o.B = b->one->B;
    o.seed = 1;
    o.keep = keep;
    o.n_keep = 1;
    o.device = b->device;
    code = nn_model_create(b->config, &o, &b->model);
    if (code)
        return code;
    b->network = nn_model_network(b->model);
    return nn_network_begin(b->network, b->one->T, b->one->B,
                            NN_PASS_TRAIN | NN_PASS_BACKWARD);
}

bench *wrap_bench(wrap *w, const layer_case *one, int32_t *code)
{
    bench *b = trial_alloc(w->trial, sizeof *b);

    *code = NN_INVALID_ARGUMENT;
    b->trial = w->trial;
    b->one = one;
    b->config = layer_config_for(w->trial,
                                 layer_case_text(w->trial, one, NN_FLOAT64, 0),
                                 NULL, NULL);
    if (!b->config)
        return NULL;
    b->device = w->device;
    *code = make_model(b);
    if (!*code &&
        !bench_begin(b, one->T, one->B, NN_PASS_TRAIN | NN_PASS_BACKWARD))
        return b;
    wrap_bench_destroy(b);
    return NULL;
}

void wrap_bench_destroy(bench *b)
{
    nn_device *device = b ? b->device : NULL;
    uint32_t i;

    if (!b)
        return;
    nn_model_destroy(b->model);
    for (i = 0; i < b->n_blocks; ++i)
        nn_device_functions(device)->release(nn_device_handler(device),
                                             b->blocks[i]);
    nn_config_destroy(b->config);
    memset(b, 0, sizeof *b);
}

/* ---- on demand ---------------------------------------------------------- */

void wrap_fail(wrap *w, int64_t number, int32_t code)
{
    w->fail_at = number ? w->count + number : 0;
    w->fail_code = code;
}

void wrap_fail_plans(wrap *w, int32_t code)
{
    w->plan_code = code;
}

int64_t wrap_plans(const wrap *w)
{
    return w->plans;
}

int64_t wrap_operations(const wrap *w)
{
    return w->count;
}

int32_t wrap_error(const wrap *w)
{
    return w->code;
}

int64_t wrap_maps(const wrap *w)
{
    return w->maps;
}

void wrap_clear(wrap *w)
{
    w->code = 0;
    w->fail_at = 0;
    nn_device_clear(w->device);
}
