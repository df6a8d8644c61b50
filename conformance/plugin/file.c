/* SPDX-License-Identifier: MIT */
/* file.c - the file: how it loads, what it offers and what it asks for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conformance/data/host.h"
#include "conformance/plugin/checks.h"
#include "conformance/plugin/elf.h"
#include "conformance/plugin/entry.h"
#include "conformance/plugin/process.h"

#define ENTRY "nn_plugin_v1"
#define ROUNDS 1000
#define USUAL_MS 50.0

/* ---- abi.load ----------------------------------------------------------- */

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* init and deinit once; 0 if it is of use to go on. */
static int live_once(trial *t, const nn_plugin *entry, check_host *host)
{
    int32_t code = NN_OK;

    check_host_clear(host);
    if (NN_HAS(entry, init) && entry->init) {
        trial_enter(t, "init");
        code = entry->init(&host->host);
        trial_leave(t);
        check_host_code(t, host, "init", code);
        if (code)
            trial_note(t, "init refuses: %s", check_host_message(host));
    }
    if (!code && NN_HAS(entry, deinit) && entry->deinit) {
        trial_enter(t, "deinit");
        entry->deinit();
        trial_leave(t);
    }
    trial_tested(t, 1);
    return code ? -1 : 0;
}

static void run_load(trial *t)
{
    double before = cpu_ms();
    const nn_plugin *entry = entry_open(t);
    process held;
    check_host host;
    void *again;
    int i;

    if (!entry || check_host_init(t, &host))
        return;
    if (cpu_ms() - before > USUAL_MS)
        trial_note(t,
                   "opening it takes %.0f ms; every listing of plugins "
                   "that finds it changed waits for that",
                   cpu_ms() - before);
    again = dlopen(t->path, RTLD_NOW | RTLD_LOCAL);
    if (!again || dlsym(again, ENTRY) != (const void *)entry)
        trial_fail(t, "dlopen a second time", "the same object",
                   again ? "another one" : dlerror());
    if (live_once(t, entry, &host))
        return;
    held = process_look();
    for (i = 0; i < ROUNDS && !trial_failures(t); ++i)
        live_once(t, entry, &host);
    process_judge(t, "init and deinit 1000 times", held);
    if (host.blocks)
        trial_fail(t, "init and deinit 1000 times",
                   "deinit returns what init took from the host",
                   trial_text(t, "%lld blocks are not returned",
                              (long long)host.blocks));
}

const check abi_load = {
    .id = "abi.load",
    .level = LEVEL_LOAD,
    .what = "the file loads with all symbols bound, and deinit undoes init",
    .why = "the loader binds all symbols at once, so that one that is missing "
           "shows when the file is opened and not in the middle of training",
    .run = run_load,
};

/* ---- abi.symbols -------------------------------------------------------- */

static int is_entry(const char *name)
{
    size_t length = strlen(name);
    static const char suffix[] = "_LTX_" ENTRY;

    if (!strcmp(name, ENTRY))
        return 1;
    return length > sizeof suffix - 1 &&
           !strcmp(name + length - (sizeof suffix - 1), suffix);
}

/* Names that linkers add, and instances of C++'s own templates. */
static int is_usual(const elf_symbol *s)
{
    static const char *const names[] = {"_init", "_fini",       "_edata",
                                        "_end",  "__bss_start", NULL};
    uint32_t i;

    for (i = 0; names[i]; ++i)
        if (!strcmp(s->name, names[i]))
            return 1;
    return s->flags & ELF_WEAK && !strncmp(s->name, "_Z", 2);
}

/* 1 if one of the libraries that every C and C++ program has gives NAME, or
 * one that the file names itself. */
static int is_given(const elf_file *file, const char *name)
{
    static const char *const libraries[] = {"libc.so.6",
                                            "libm.so.6",
                                            "libgcc_s.so.1",
                                            "libstdc++.so.6",
                                            "ld-linux-x86-64.so.2",
                                            "ld-linux-aarch64.so.1",
                                            NULL};
    uint32_t i;
    void *library;

    for (i = 0; libraries[i]; ++i) {
        library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        if (library && dlsym(library, name))
            return 1;
    }
    for (i = 0; i < file->n_needed; ++i) {
        if (strstr(file->needed[i], "nervenet"))
            continue;
        library = dlopen(file->needed[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        if (library && dlsym(library, name))
            return 1;
    }
    return 0;
}

static void judge_symbol(trial *t, const elf_file *file, const elf_symbol *s)
{
    trial_tested(t, 1);
    if (s->flags & ELF_DEFINED) {
        if (!is_entry(s->name) && !is_usual(s))
            trial_fail(t, trial_text(t, "the symbol %s", s->name),
                       "only " ENTRY " is exported: the others are static, or "
                       "hidden by -fvisibility=hidden",
                       "it is exported");
    } else if (!(s->flags & ELF_WEAK) && !is_given(file, s->name)) {
        trial_fail(t, trial_text(t, "the symbol %s", s->name),
                   "it is of the C or C++ library, or of a library that the "
                   "file is linked with",
                   "nobody whom the file names has it");
    }
}

static void run_symbols(trial *t)
{
    const elf_file *file = elf_read(t);
    uint32_t entries = 0;
    uint32_t i;

    if (!file)
        return;
    dlopen(t->path, RTLD_NOW | RTLD_LOCAL); /* its libraries are there then */
    for (i = 0; i < file->n_symbols; ++i) {
        const elf_symbol *s = &file->symbols[i];

        entries += (s->flags & ELF_DEFINED) && is_entry(s->name);
        judge_symbol(t, file, s);
    }
    if (entries != 1)
        trial_fail(t, "exported entries", "one " ENTRY,
                   trial_text(t, "%u", entries));
    if (file->text_rel)
        trial_note(t, "its code is changed while it is loaded: compile with "
                      "-fPIC");
    if (file->exec_stack)
        trial_note(t, "it wants a stack that can be executed: link with "
                      "-Wl,-z,noexecstack");
    if (!file->relro || !file->now)
        trial_note(t, "its tables can be written to after loading: link with "
                      "-Wl,-z,relro,-z,now");
}

const check abi_symbols = {
    .id = "abi.symbols",
    .level = LEVEL_LOAD,
    .what = "it exports its entry alone and asks only for what others give",
    .why = "a second exported name may replace one of another plugin, or be "
           "replaced by it; a name of libnervenet is not there in every "
           "program that loads plugins",
    .run = run_symbols,
};

/* ---- abi.deps ----------------------------------------------------------- */

static int has_handler(const nn_plugin *entry)
{
    uint32_t i;

    for (i = 0; i < entry->n_components; ++i)
        if (entry->components[i]->kind == NN_KIND_HANDLER)
            return 1;
    return 0;
}

/* Why nobody links with LIBRARY, or what computes does; NULL: it is fine. */
static const char *objection(const char *library, int handler)
{
    static const char *const never[] = {"libnervenet", "libpython", "libX11",
                                        NULL};
    static const char *const computing[] = {"blas",      "lapack",  "libmkl",
                                            "libcuda",   "libcu",   "libnv",
                                            "hip",       "rocm",    "libOpenCL",
                                            "libvulkan", "libgomp", "libomp",
                                            NULL};
    static const char *const reaching[] = {"libcurl", "libzmq", "libnng", NULL};
    uint32_t i;

    for (i = 0; never[i]; ++i)
        if (strstr(library, never[i]))
            return "a plugin links with nothing of the program";
    for (i = 0; !handler && computing[i]; ++i)
        if (strstr(library, computing[i]))
            return "computing and its threads are a handler's";
    for (i = 0; reaching[i]; ++i)
        if (strstr(library, reaching[i]))
            return "a plugin does not use the network";
    return NULL;
}

/* Names of what is loaded, each once. */
typedef struct loaded {
    trial *t;
    const char *names[512];
    uint32_t count;
} loaded;

static int note_library(struct dl_phdr_info *info, size_t size, void *self)
{
    loaded *all = self;

    (void)size;
    if (all->count < 512)
        all->names[all->count++] = trial_text(all->t, "%s",
                                              info->dlpi_name ? info->dlpi_name
                                                              : "");
    return 0;
}

static int is_among(const loaded *all, const char *name)
{
    uint32_t i;

    for (i = 0; i < all->count; ++i)
        if (!strcmp(all->names[i], name))
            return 1;
    return 0;
}

static void judge_dragged(trial *t, const loaded *before, int handler)
{
    loaded *after = trial_alloc(t, sizeof *after);
    uint32_t i;

    after->t = t;
    dl_iterate_phdr(note_library, after);
    for (i = 0; i < after->count; ++i) {
        const char *name = after->names[i];
        const char *slash = strrchr(name, '/');
        const char *why;

        if (is_among(before, name) || !strcmp(name, t->path))
            continue;
        why = objection(slash ? slash + 1 : name, handler);
        trial_tested(t, 1);
        if (why)
            trial_fail(t, trial_text(t, "opening it loads %s", name), why,
                       NULL);
    }
}

static void judge_calls(trial *t, const elf_file *file)
{
    static const char *const sockets[] = {"socket", "connect",     "bind",
                                          "listen", "getaddrinfo", NULL};
    static const char *const ends[] = {"exit",  "_exit",         "quick_exit",
                                       "abort", "__assert_fail", NULL};
    uint32_t i;
    uint32_t k;

    for (i = 0; i < file->n_symbols; ++i) {
        const elf_symbol *s = &file->symbols[i];

        if (s->flags & ELF_DEFINED)
            continue;
        for (k = 0; sockets[k]; ++k)
            if (!strcmp(s->name, sockets[k]))
                trial_fail(t, trial_text(t, "it calls %s", s->name),
                           "a plugin does not use the network", NULL);
        for (k = 0; ends[k]; ++k)
            if (!strcmp(s->name, ends[k]))
                trial_note(t,
                           "it has calls of %s, which would end the "
                           "program",
                           s->name);
    }
}

static void run_deps(trial *t)
{
    const elf_file *file = elf_read(t);
    loaded *before = trial_alloc(t, sizeof *before);
    const nn_plugin *entry;
    uint32_t i;
    int handler;

    before->t = t;
    dl_iterate_phdr(note_library, before);
    entry = file ? entry_open(t) : NULL;
    if (!entry)
        return;
    handler = has_handler(entry);
    for (i = 0; i < file->n_needed; ++i) {
        const char *why = objection(file->needed[i], handler);

        trial_tested(t, 1);
        if (why)
            trial_fail(t, trial_text(t, "it needs %s", file->needed[i]), why,
                       NULL);
    }
    judge_dragged(t, before, handler);
    if (!handler)
        judge_calls(t, file);
    trial_tested(t, 1);
}

const check abi_deps = {
    .id = "abi.deps",
    .level = LEVEL_BASIC,
    .what = "it needs no library that is a handler's business",
    .why = "layers run on every device, so only handlers bring libraries that "
           "compute; with them a layer would not load where they are missing, "
           "and its threads and those of the handler would multiply",
    .run = run_deps,
};
