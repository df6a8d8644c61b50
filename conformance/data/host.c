/* SPDX-License-Identifier: MIT */
/* host.c - see host.h. */
#include "conformance/data/host.h"

#include <stdlib.h>
#include <string.h>

static check_host *of(const nn_host *host)
{
    return (check_host *)(uintptr_t)host;
}

static void *host_alloc(const nn_host *host, size_t bytes)
{
    check_host *self = of(host);
    void *memory = NULL;

    if (++self->allocations != self->fail_at)
        memory = calloc(1, bytes ? bytes : 1);
    if (memory)
        ++self->blocks;
    else
        host->set_error(host, NN_NO_MEMORY, "host.memory",
                        "memory is exhausted");
    return memory;
}

static void host_free(const nn_host *host, void *memory)
{
    if (memory)
        --of(host)->blocks;
    free(memory);
}

static int32_t host_set_error(const nn_host *host, int32_t code, const char *id,
                              const char *text)
{
    const nn_host *base = of(host)->base;

    return base->set_error(base, code, id, text);
}

static void host_log(const nn_host *host, uint32_t level, const char *text)
{
    (void)level;
    (void)text;
    ++of(host)->logged;
}

static const void *host_get_extension(const nn_host *host, const char *id)
{
    const nn_host *base = of(host)->base;

    return base->get_extension(base, id);
}

static uint32_t host_threads(const nn_host *host)
{
    const nn_host *base = of(host)->base;

    return base->threads(base);
}

int check_host_init(trial *t, check_host *host)
{
    static const nn_host functions = {
        NN_SIZEOF(nn_host, threads),
        NN_ABI_MINOR,
        host_alloc,
        host_free,
        host_set_error,
        host_log,
        host_get_extension,
        host_threads,
    };
    nn_part *part = NULL;

    memset(host, 0, sizeof *host);
    host->host = functions;
    host->plugins = t->plugins;
    if (nn_part_create(t->plugins, NN_KIND_HANDLER, "reference", NULL, &part)) {
        trial_broken(t, "the handler 'reference' is not to be found");
        return -1;
    }
    host->base = nn_part_host(part);
    nn_part_destroy(part);
    return 0;
}

void check_host_fail_after(check_host *host, int64_t count)
{
    host->fail_at = count ? host->allocations + count : 0;
}

void check_host_clear(check_host *host)
{
    nn_part *part = NULL;

    /* Every call of the library begins with it. */
    nn_part_create(host->plugins, NN_KIND_HANDLER, "reference", NULL, &part);
    nn_part_destroy(part);
}

const char *check_host_message(const check_host *host)
{
    const char *text = NULL;

    (void)host;
    nn_error(NULL, &text);
    return text ? text : "";
}

nn_part *check_host_other(trial *t, check_host *host, uint32_t kind,
                          const char *text)
{
    nn_part *part = NULL;

    nn_part_create(t->plugins, kind, text, &host->host, &part);
    return part;
}

nn_part *check_host_part(trial *t, check_host *host, const char *text)
{
    const nn_component *component = t->component->component;

    return check_host_other(t, host, component->kind,
                            trial_text(t, "{%s: %s}", component->name,
                                       text && *text ? text : "{}"));
}

void check_host_code(trial *t, const check_host *host, const char *where,
                     int32_t code)
{
    trial_tested(t, 1);
    if (code < NN_NOT_FINITE || code > 0)
        trial_fail(t, where, "0 or a negative code of base.h",
                   trial_text(t, "%d", code));
    else if (code < 0 && !*check_host_message(host))
        trial_fail(t, where, "a code together with a message",
                   trial_text(t, "code %d without a message", code));
}
