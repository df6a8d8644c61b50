/* SPDX-License-Identifier: MIT */
/* scan_main.c - nn-scan FILE: opens one plugin and describes it.
 *
 * The registry runs it (scan.h); it is of no use by hand.  It says how far it
 * is before every step that runs or reads what the plugin wrote, so that
 * whoever waits can tell where it ended.  It leaves through _exit, without
 * destructors.  An alarm ends it even if nobody waits any more. */
#define _GNU_SOURCE
#include "core/registry/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/registry/description.h"
#include "core/util/error.h"
#include "core/util/pack.h"

/* Writes all of LENGTH bytes, or ends. */
static void say(const char *bytes, size_t length)
{
    ssize_t put;

    while (length) {
        put = write(NN_SCAN_FILE, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(1);
        bytes += put;
        length -= (size_t)put;
    }
}

/* Closes what the program that started us left open. */
static void close_others(void)
{
    long last = sysconf(_SC_OPEN_MAX);
    int file;

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
    if (!close_range(NN_SCAN_FILE + 1, ~0u, 0))
        return;
#endif
#endif
    if (last < 0 || last > 65536)
        last = 65536;
    for (file = NN_SCAN_FILE + 1; file < last; ++file)
        close(file);
}

static void prepare(void)
{
    struct rlimit none = {0, 0};

    close_others();
    setrlimit(RLIMIT_CORE, &none);
    alarm(2 * NN_SCAN_SECONDS);
}

static int32_t describe(const char *path, nn_text *description, nn_text *reason)
{
    nn_arena *arena = NULL;
    nn_plugin_data *entry;
    const void *raw;
    int32_t code = nn_arena_create(&arena);

    if (code)
        return code;
    say((char[]){NN_SCAN_OPENS}, 1);
    raw = nn_entry_open(path, reason);
    if (!raw)
        return NN_FORMAT;
    say((char[]){NN_SCAN_READS}, 1);
    code = nn_entry_read(raw, 0, arena, &entry, reason);
    if (!code)
        nn_description_pack(entry, description);
    if (!code && description->length > NN_DESCRIPTION_BYTES) {
        nn_text_append(reason, "its description is too long");
        code = NN_FORMAT;
    }
    return code ? code : nn_text_status(description);
}

int main(int argc, char **argv)
{
    nn_text description = {0};
    nn_text reason = {0};
    nn_text answer = {0};
    int32_t code;

    if (argc != 2 || fcntl(NN_SCAN_FILE, F_GETFD) < 0) {
        fputs("nn-scan is run by Nervenet itself; see `nn plugins`\n", stderr);
        return 2;
    }
    prepare();
    code = describe(argv[1], &description, &reason);
    if (code == NN_NO_MEMORY)
        nn_text_append(&reason, nn_error_text());
    nn_pack_array(&answer, 3);
    nn_pack_int(&answer, code);
    nn_pack_bytes(&answer, nn_text_string(&reason), reason.length);
    nn_pack_bytes(&answer, nn_text_string(&description), description.length);
    if (nn_text_status(&answer))
        return 1;
    say((char[]){NN_SCAN_RESULT}, 1);
    say(answer.data, answer.length);
    say(NN_SCAN_END, strlen(NN_SCAN_END));
    _exit(0);
}
