/* SPDX-License-Identifier: MIT */
/* test_truncated_host.c - plugins of today on the host of every released minor.
 *
 * A plugin may use what the minor in its min_host_minor had, and must ask
 * NN_HAS for the rest.  Here the host is cut off behind the last member of each
 * minor, at the end of a page behind which nothing may be read, and handed to
 * the `init` of every plugin of the build that accepts such a host.  The calls
 * run in processes of their own, so that one that reads on is named. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nn/plugin.h>

/* The size of nn_host in each released minor. */
static const uint32_t sizes[] = {NN_SIZEOF(nn_host, threads)};

#define MINORS (sizeof sizes / sizeof *sizes)

typedef int32_t (*init_function)(const nn_host *host);

/* ---- a host at the end of a page ---------------------------------------- */

static int refused; /* set_error was called */

static void *give(const nn_host *host, size_t bytes)
{
    (void)host;
    return calloc(1, bytes);
}

static void take(const nn_host *host, void *memory)
{
    (void)host;
    free(memory);
}

static int32_t keep_error(const nn_host *host, int32_t code, const char *id,
                          const char *text)
{
    (void)host;
    refused = id && *id && text && *text;
    return code;
}

static void ignore(const nn_host *host, uint32_t level, const char *text)
{
    (void)host;
    (void)level;
    (void)text;
}

static const void *no_extension(const nn_host *host, const char *id)
{
    (void)host;
    (void)id;
    return NULL;
}

static uint32_t one_thread(const nn_host *host)
{
    (void)host;
    return 1;
}

/* The host of MINOR.  It ends where its page ends. */
static const nn_host *host_of(uint32_t minor)
{
    const nn_host whole = {
        .size = sizes[minor],
        .abi_minor = minor,
        .alloc = give,
        .free = take,
        .set_error = keep_error,
        .log = ignore,
        .get_extension = no_extension,
        .threads = one_thread,
    };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *host;

    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    host = memory + page - sizes[minor];
    memcpy(host, &whole, sizes[minor]);
    return (const nn_host *)(const void *)host;
}

/* The rest of a child process: a fault ends it, without a report, a core, or
 * cmocka, which would go on with the next test. */
static void run_alone(init_function init, const nn_host *host)
{
    const struct rlimit no_core = {0, 0};

    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    if (setrlimit(RLIMIT_CORE, &no_core) || !freopen("/dev/null", "w", stderr))
        _exit(3);
    refused = 0;
    _exit(init(host) == 0 || refused ? 0 : 2);
}

/* True if INIT ends on the host of MINOR: with 0, or with a code and a
 * message. */
static int ends_well(init_function init, uint32_t minor)
{
    const nn_host *host = host_of(minor);
    pid_t child;
    int status = 0;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_alone(init, host);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the plugins of the build -------------------------------------------- */

/* The entry of FILE, or NULL.  It stays open. */
static const nn_plugin *open_plugin(const char *folder, const char *file)
{
    char path[4096];
    void *handle;

    snprintf(path, sizeof path, "%s/%s", folder, file);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        print_error("%s: %s\n", path, dlerror());
        return NULL;
    }
    return dlsym(handle, "nn_plugin_v1");
}

/* The number of MINOR's hosts on which PLUGIN fails. */
static int failures(const nn_plugin *plugin, const char *file)
{
    int count = 0;
    uint32_t minor;

    if (!NN_HAS(plugin, init) || !plugin->init)
        return 0;
    for (minor = plugin->min_host_minor; minor < MINORS; ++minor) {
        if (ends_well(plugin->init, minor))
            continue;
        print_error("%s: init fails on a host of minor %u\n", file,
                    (unsigned)minor);
        ++count;
    }
    return count;
}

static int is_module(const char *name)
{
    size_t length = strlen(name);

    return length > 3 && !strcmp(name + length - 3, ".so");
}

static void every_plugin_runs_on_every_released_host(void **state)
{
    const char *name = getenv("NN_BUILD_PLUGINS");
    DIR *folder = name ? opendir(name) : NULL;
    struct dirent *entry;
    int wrong = 0;
    int seen = 0;

    (void)state;
    if (!folder)
        skip();
    while ((entry = readdir(folder))) {
        const nn_plugin *plugin;

        if (!is_module(entry->d_name))
            continue;
        plugin = open_plugin(name, entry->d_name);
        wrong += plugin ? failures(plugin, entry->d_name) : 1;
        seen += plugin != NULL;
    }
    closedir(folder);
    if (!seen && !wrong)
        skip();
    assert_int_equal(wrong, 0);
}

/* ---- the check itself ---------------------------------------------------- */

/* Reads what a later minor has, without a look at the size. */
static int32_t greedy(const nn_host *host)
{
    const volatile char *end = (const volatile char *)host + host->size;

    return *end ? NN_OK : NN_OK;
}

static int32_t modest(const nn_host *host)
{
    return host->threads(host) == 1 ? NN_OK : NN_INTERNAL;
}

static int32_t silent(const nn_host *host)
{
    (void)host;
    return NN_UNSUPPORTED;
}

static int32_t talking(const nn_host *host)
{
    return nn_fail(host, NN_UNSUPPORTED, "test.refused", "not here");
}

static void an_init_that_reads_on_is_found(void **state)
{
    (void)state;
    assert_true(ends_well(modest, 0));
    assert_false(ends_well(greedy, 0));
}

static void an_init_that_fails_says_why(void **state)
{
    (void)state;
    assert_true(ends_well(talking, 0));
    assert_false(ends_well(silent, 0));
}

static void every_minor_has_its_size(void **state)
{
    (void)state;
    assert_int_equal(MINORS, NN_ABI_MINOR + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plugin_runs_on_every_released_host),
        cmocka_unit_test(an_init_that_reads_on_is_found),
        cmocka_unit_test(an_init_that_fails_says_why),
        cmocka_unit_test(every_minor_has_its_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
