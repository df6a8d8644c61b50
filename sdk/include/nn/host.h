/* SPDX-License-Identifier: MIT */
/* host.h - what the core offers a plugin.
 *
 * A plugin links against nothing of Nervenet.  It receives this table in
 * `init` and again, possibly another one, wherever an instance is made; it
 * uses the one that it was handed for that instance.  More is to be had by
 * string id from get_extension, in ids of this and of other headers. */
#ifndef NN_HOST_H
#define NN_HOST_H

#include <stdarg.h>
#include <stdio.h>

#include <nn/base.h>

NN_BEGIN_DECLS

typedef struct nn_host nn_host;

/* The table.  Every function takes the table itself first. */
struct nn_host {
    uint32_t size;      /* NN_SIZEOF(nn_host, threads) or newer */
    uint32_t abi_minor; /* of the host */

    /* BYTES of zeroed memory, aligned for every type, or NULL after setting
     * NN_NO_MEMORY.  Owned by the caller, who returns it with `free`. [setup]
     */
    void *(*alloc)(const nn_host *host, size_t bytes);

    /* Returns MEMORY; NULL is fine.  [setup] */
    void (*free)(const nn_host *host, void *memory);

    /* Keeps the first message of the calling thread and returns CODE.  ID is a
     * constant string such as "idx.truncated"; TEXT is copied.  nn_fail below
     * formats.  [any] */
    int32_t (*set_error)(const nn_host *host, int32_t code, const char *id,
                         const char *text);

    /* Hands TEXT to the program's message callback; a plugin never prints.
     * LEVEL is NN_LOG_...  [any] */
    void (*log)(const nn_host *host, uint32_t level, const char *text);

    /* The table with string ID, or NULL if this host lacks it.  Lives as long
     * as the program.  [any] */
    const void *(*get_extension)(const nn_host *host, const char *id);

    /* Threads that one handler may keep busy, itself included, >= 1.  The one
     * budget of the process: whoever starts threads asks here.  [setup] */
    uint32_t (*threads)(const nn_host *host);
};

/* Formats a message and sets it; returns CODE.
 *     return nn_fail(host, NN_IO, "idx.open", "%s: %s", path, reason);
 * [any] */
#ifdef __GNUC__
__attribute__((format(printf, 4, 5), unused))
#endif
static int32_t nn_fail(const nn_host *host, int32_t code, const char *id,
                       const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return host->set_error(host, code, id, text);
}

NN_END_DECLS

#endif
