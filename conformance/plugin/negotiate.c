/* SPDX-License-Identifier: MIT */
/* negotiate.c - components on older and on newer hosts.
 *
 * A host table of a released minor ends where its page ends, and what lies
 * behind may not be read: who uses a member without a look at the size is
 * killed.  A table of the future is longer, its minor larger, and what is
 * behind the known members is no address. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/plugin/checks.h"
#include "conformance/plugin/exercise.h"

/* The size of nn_host in each released minor. */
static const uint32_t sizes[] = {NN_SIZEOF(nn_host, threads)};

#define MINORS (sizeof sizes / sizeof *sizes)
#define FUTURE 512u /* bytes of a host to come */

static const nn_host *base; /* the library's own */

static void *give(const nn_host *host, size_t bytes)
{
    (void)host;
    return base->alloc(base, bytes);
}

static void take(const nn_host *host, void *memory)
{
    (void)host;
    base->free(base, memory);
}

static int32_t keep_error(const nn_host *host, int32_t code, const char *id,
                          const char *text)
{
    (void)host;
    return base->set_error(base, code, id, text);
}

static void hear(const nn_host *host, uint32_t level, const char *text)
{
    (void)host;
    base->log(base, level, text);
}

static const void *find(const nn_host *host, const char *id)
{
    (void)host;
    return base->get_extension(base, id);
}

static uint32_t threads(const nn_host *host)
{
    (void)host;
    return base->threads(base);
}

/* A table of SIZE bytes and MINOR that ends with its page; NULL after saying
 * that there is no memory. */
static const nn_host *make_host(trial *t, uint32_t size, uint32_t minor)
{
    const nn_host whole = {size,       minor, give, take,
                           keep_error, hear,  find, threads};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *host;

    if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_NONE)) {
        trial_broken(t, "no memory for two pages");
        return NULL;
    }
    host = memory + page - size;
    memset(host, 0x01, size);
    memcpy(host, &whole, size < sizeof whole ? size : sizeof whole);
    mprotect(memory, page, PROT_READ);
    return (const nn_host *)(const void *)host;
}

static void live_on(trial *t, const char *which, uint32_t size, uint32_t minor)
{
    const nn_host *host = make_host(t, size, minor);
    int64_t failures = trial_failures(t);

    if (!host)
        return;
    exercise(t, host, NULL);
    if (trial_failures(t) > failures)
        trial_fail(t, which, "the component works on it", "it does not");
}

static void run_negotiate(trial *t)
{
    nn_part *part = NULL;
    uint32_t needed = t->component->plugin->min_host_minor;
    uint32_t minor;

    if (nn_part_create(t->plugins, NN_KIND_HANDLER, "reference", NULL, &part)) {
        trial_broken(t, "the handler 'reference' is not to be found");
        return;
    }
    base = nn_part_host(part);
    for (minor = needed; minor < MINORS; ++minor)
        live_on(t, trial_text(t, "a host of minor %u", minor), sizes[minor],
                minor);
    live_on(t, "a host of a minor to come", FUTURE, NN_ABI_MINOR + 7);
    nn_part_destroy(part);
}

const check abi_negotiate = {
    .id = "abi.negotiate",
    .kind = KIND_ANY,
    .level = LEVEL_STANDARD,
    .what = "it works on the host of every released minor, and on later ones",
    .why = "a plugin may use what its min_host_minor has, and asks NN_HAS for "
           "the rest; a larger minor or size is no reason to refuse",
    .run = run_negotiate,
};
