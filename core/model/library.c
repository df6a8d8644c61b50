/* SPDX-License-Identifier: MIT */
/* library.c - version, messages and threads of the whole library, and the
 * tables that the host offers to plugins. */
#include <pthread.h>
#include <stdlib.h>

#include <nervenet.h>

#include "config.h"
#include "core/model/inner.h"
#include "core/model/sections.h"
#include "core/reference/reference.h"
#include "core/registry/host.h"
#include "core/util/error.h"

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void (*log_function)(void *self, uint32_t level, const char *text);
static void *log_self;

const char *nn_version(void)
{
    return PACKAGE_VERSION;
}

int32_t nn_error(const char **id, const char **text)
{
    if (id)
        *id = nn_error_id();
    if (text)
        *text = nn_error_text();
    return nn_error_code();
}

void nn_free(void *memory)
{
    free(memory);
}

void nn_library_log(void *self, uint32_t level, const char *text)
{
    void (*log)(void *, uint32_t, const char *);
    void *to;

    (void)self;
    pthread_mutex_lock(&log_lock);
    log = log_function;
    to = log_self;
    pthread_mutex_unlock(&log_lock);
    if (log)
        log(to, level, text);
}

void nn_log_to(void (*log)(void *self, uint32_t level, const char *text),
               void *self)
{
    pthread_mutex_lock(&log_lock);
    log_function = log;
    log_self = self;
    pthread_mutex_unlock(&log_lock);
    nn_host_process_log(nn_library_log, NULL);
}

void nn_set_threads(uint32_t count)
{
    nn_threads_set(count);
}

uint32_t nn_thread_budget(void)
{
    return nn_threads_get();
}

int32_t nn_library_start(void)
{
    int32_t code = nn_host_provide(NN_REFERENCE, &nn_reference_table);

    if (!code)
        code = nn_host_provide(NN_ITERATORS, &nn_iterators_table);
    return code ? code : nn_host_provide(NN_HANDLERS, &nn_handlers_table);
}
