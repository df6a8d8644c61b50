/* SPDX-License-Identifier: MIT */
/* crash.c - see crash.h.
 *
 * The handler runs on a stack of its own, once for each signal: what dies
 * inside it dies for good.  Looking up names and callers is not safe in a
 * handler, so the frame with the facts is sent first, and an alarm ends what
 * hangs there. */
#define _GNU_SOURCE
#include "conformance/crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "conformance/channel.h"
#include "conformance/watch_note.h"

static char stack[65536];
static int (*explain)(void *self, const void *address, char *text, size_t room);
static void *explain_self;

void crash_explain(int (*function)(void *self, const void *address, char *text,
                                   size_t room),
                   void *self)
{
    explain = function;
    explain_self = self;
}

/* Where the thread was when the signal came; NULL if that is not known. */
static const void *code_of(const void *context)
{
#if defined(__x86_64__)
    return (const void *)((const ucontext_t *)context)
        ->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/* What lies at the address of the fault. */
static void describe_fault(const siginfo_t *signal, char *text, size_t room)
{
    text[0] = '\0';
    if (signal->si_signo == SIGABRT || signal->si_signo == SIGTERM ||
        signal->si_signo == SIGXCPU || signal->si_code <= 0)
        return;
    if (explain && explain(explain_self, signal->si_addr, text, room))
        return;
    snprintf(text, room, "address %p", signal->si_addr);
}

/* The innermost caller that is code of the plugin, or NULL. */
static const void *find_caller(void)
{
    void *callers[64];
    int count = backtrace(callers, 64);
    int i;

    for (i = 0; i < count; ++i)
        if (watch_is_plugin(callers[i]))
            return callers[i];
    return NULL;
}

/* "square.so, forward+0x12" of CODE. */
static void describe_code(const void *code, char *text, size_t room)
{
    const char *file;
    Dl_info info;

    text[0] = '\0';
    if (!code || !dladdr(code, &info) || !info.dli_fname)
        return;
    file = strrchr(info.dli_fname, '/');
    file = file ? file + 1 : info.dli_fname;
    if (info.dli_sname)
        snprintf(text, room, "%s, %s+0x%zx", file, info.dli_sname,
                 (size_t)((const char *)code - (const char *)info.dli_saddr));
    else
        snprintf(text, room, "%s+0x%zx", file,
                 (size_t)((const char *)code - (const char *)info.dli_fbase));
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    char text[16];
    char fault[256];
    char code[512];
    const char *texts[4] = {text, "", watch_entered(), ""};

    snprintf(text, sizeof text, "%d", number);
    if (number != SIGTERM && number != SIGXCPU)
        channel_send(FRAME_CRASH, texts, 4);
    describe_fault(info, fault, sizeof fault);
    texts[1] = fault;
    if (fault[0])
        channel_send(FRAME_CRASH, texts, 4);
    alarm(2);
    describe_code(code_of(context), code, sizeof code);
    texts[3] = code;
    channel_send(FRAME_CRASH, texts, 4);
    if (!watch_is_plugin(code_of(context))) {
        describe_code(find_caller(), code, sizeof code);
        if (code[0])
            channel_send(FRAME_CRASH, texts, 4);
    }
    raise(number);
}

void crash_catch(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                  SIGABRT, SIGTERM, SIGXCPU};
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    size_t i;

    sigaltstack(&own, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
    for (i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        sigaction(numbers[i], &action, NULL);
}
