/* SPDX-License-Identifier: MIT */
/* host.c - see host.h.
 *
 * Every block has a head with its size and a mark, so that what is returned
 * twice or was never handed out is noticed at once instead of corrupting the
 * count.  Extensions are only ever added, to a fixed table: readers need no
 * lock. */
#define _GNU_SOURCE
#include "core/registry/host.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/util/error.h"
#include "core/util/number.h"

/* ---- memory ------------------------------------------------------------- */

#define MARK_LIVE 0x6e6e686f73746d65u
#define MARK_DEAD 0x64656164626c6f63u

typedef struct block {
    _Alignas(max_align_t) uint64_t mark;
    size_t bytes; /* behind this head */
} block;

static atomic_int_fast64_t n_blocks;
static atomic_int_fast64_t until_failure; /* 0: no failure is wanted */

int64_t nn_host_blocks(void)
{
    return atomic_load(&n_blocks);
}

void nn_host_fail_after(int64_t count)
{
    atomic_store(&until_failure, count);
}

/* 1 if this allocation is the one that is to fail. */
static int32_t must_fail(void)
{
    int_fast64_t left = atomic_load(&until_failure);

    while (left > 0)
        if (atomic_compare_exchange_weak(&until_failure, &left, left - 1))
            return left == 1;
    return 0;
}

static void *host_alloc(const nn_host *host, size_t bytes)
{
    block *head = NULL;

    (void)host;
    if (!must_fail() && bytes <= SIZE_MAX - sizeof *head)
        head = calloc(1, sizeof *head + bytes);
    if (!head) {
        nn_error_no_memory("a plugin", bytes);
        return NULL;
    }
    head->mark = MARK_LIVE;
    head->bytes = bytes;
    atomic_fetch_add(&n_blocks, 1);
    return head + 1;
}

static void host_free(const nn_host *host, void *memory)
{
    block *head;

    if (!memory)
        return;
    head = (block *)memory - 1;
    if (head->mark != MARK_LIVE) {
        host->log(host, NN_LOG_ERROR,
                  "a plugin returned memory that it does not own");
        return;
    }
    head->mark = MARK_DEAD;
    atomic_fetch_sub(&n_blocks, 1);
    free(head);
}

/* ---- messages ----------------------------------------------------------- */

static int32_t host_set_error(const nn_host *host, int32_t code, const char *id,
                              const char *text)
{
    (void)host;
    return nn_error_set(code, id ? id : "plugin.error", "%s",
                        text ? text : "a plugin gave no message");
}

static void host_log(const nn_host *host, uint32_t level, const char *text)
{
    const nn_host_instance *instance = (const nn_host_instance *)host;

    if (instance->log && text)
        instance->log(instance->log_self, level, text);
}

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static nn_log_function process_log; /* guarded by log_lock */
static void *process_log_self;

void nn_host_process_log(nn_log_function log, void *self)
{
    pthread_mutex_lock(&log_lock);
    process_log = log;
    process_log_self = self;
    pthread_mutex_unlock(&log_lock);
}

static void forward_log(void *self, uint32_t level, const char *text)
{
    nn_log_function log;

    (void)self;
    pthread_mutex_lock(&log_lock);
    log = process_log;
    self = process_log_self;
    pthread_mutex_unlock(&log_lock);
    if (log)
        log(self, level, text);
}

/* ---- extensions --------------------------------------------------------- */

#define MOST_EXTENSIONS 64

static pthread_mutex_t extension_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint n_extensions; /* written under extension_lock */
static struct {
    const char *id;
    const void *table;
} extensions[MOST_EXTENSIONS];

static const void *host_get_extension(const nn_host *host, const char *id)
{
    uint32_t count = atomic_load(&n_extensions);
    uint32_t i;

    (void)host;
    for (i = 0; id && i < count; ++i)
        if (!strcmp(extensions[i].id, id))
            return extensions[i].table;
    return NULL;
}

int32_t nn_host_provide(const char *id, const void *table)
{
    const void *known;
    uint32_t count;
    int32_t code = NN_OK;

    pthread_mutex_lock(&extension_lock);
    known = host_get_extension(NULL, id);
    count = atomic_load(&n_extensions);
    if (known && known != table) {
        code = nn_error_set(NN_STATE, "host.extension",
                            "extension %s is provided twice", id);
    } else if (!known && count == MOST_EXTENSIONS) {
        code = nn_error_set(NN_NO_MEMORY, "host.extension",
                            "more than %d extensions", MOST_EXTENSIONS);
    } else if (!known) {
        extensions[count].id = id;
        extensions[count].table = table;
        atomic_store(&n_extensions, count + 1);
    }
    pthread_mutex_unlock(&extension_lock);
    return code;
}

/* ---- threads ------------------------------------------------------------ */

static atomic_uint budget; /* 0: not yet asked */

/* CPUs on which this process may run, >= 1. */
static uint32_t count_cpus(void)
{
    size_t most = 1024;
    int count = 0;
    size_t bytes;
    cpu_set_t *set;

    for (; !count && most <= (size_t)1 << 20; most *= 4) {
        bytes = CPU_ALLOC_SIZE(most);
        set = CPU_ALLOC(most);
        if (set && !sched_getaffinity(0, bytes, set))
            count = CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
    }
    return count > 0 ? (uint32_t)count : 1;
}

static uint32_t default_budget(void)
{
    const char *text = getenv("NN_THREADS");
    uint32_t cpus = count_cpus();
    int64_t limit;

    if (text && !nn_number_parse_int(text, strlen(text), &limit) &&
        limit >= 1 && limit < cpus)
        return (uint32_t)limit;
    return cpus;
}

void nn_threads_set(uint32_t count)
{
    atomic_store(&budget, count);
}

uint32_t nn_threads_get(void)
{
    uint32_t count = atomic_load(&budget);
    uint32_t unset = 0;

    if (count)
        return count;
    count = default_budget();
    return atomic_compare_exchange_strong(&budget, &unset, count) ? count
                                                                  : unset;
}

static uint32_t host_threads(const nn_host *host)
{
    (void)host;
    return nn_threads_get();
}

/* ---- tables ------------------------------------------------------------- */

#define HOST_TABLE                                                             \
    {                                                                          \
        .size = NN_SIZEOF(nn_host, threads), .abi_minor = NN_ABI_MINOR,        \
        .alloc = host_alloc, .free = host_free, .set_error = host_set_error,   \
        .log = host_log, .get_extension = host_get_extension,                  \
        .threads = host_threads,                                               \
    }

void nn_host_init(nn_host_instance *instance, nn_log_function log, void *self)
{
    const nn_host_instance filled = {HOST_TABLE, log, self};

    *instance = filled;
}

const nn_host *nn_host_process(void)
{
    static const nn_host_instance process = {HOST_TABLE, forward_log, NULL};

    return &process.host;
}
