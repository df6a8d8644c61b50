/* SPDX-License-Identifier: MIT */
/* channel.c - see channel.h. */
#define _GNU_SOURCE
#include "conformance/channel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int channel = -1;

void channel_open(int file)
{
    channel = file;
}

/* Writes all of it; a reader that is gone is no concern of ours. */
static void put(const char *bytes, size_t length)
{
    ssize_t done;

    while (length) {
        done = write(channel, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return;
        bytes += done;
        length -= (size_t)done;
    }
}

void channel_send(char sort, const char *const *texts, uint32_t count)
{
    char frame[FRAME_BYTES];
    size_t most = (FRAME_BYTES - 16) / (count ? count : 1);
    uint32_t length = sizeof length;
    uint32_t rest;
    uint32_t i;

    if (channel < 0)
        return;
    frame[length++] = sort;
    for (i = 0; i < count; ++i) {
        const char *text = texts[i] ? texts[i] : "";
        size_t bytes = strnlen(text, most - 1);

        memcpy(frame + length, text, bytes);
        length += (uint32_t)bytes;
        frame[length++] = '\0';
    }
    rest = length - (uint32_t)sizeof rest;
    memcpy(frame, &rest, sizeof rest);
    put(frame, length);
}

char channel_next(const char *bytes, size_t length, size_t *at,
                  const char **texts, uint32_t room)
{
    const char *end;
    const char *one;
    uint32_t rest;
    uint32_t i;
    char sort;

    for (i = 0; i < room; ++i)
        texts[i] = "";
    if (length - *at < sizeof rest + 1)
        return 0;
    memcpy(&rest, bytes + *at, sizeof rest);
    if (rest < 1 || rest > length - *at - sizeof rest)
        return 0;
    one = bytes + *at + sizeof rest;
    end = one + rest;
    sort = *one++;
    if (rest > 1 && end[-1])
        return 0;
    for (i = 0; i < room && one < end; ++i) {
        texts[i] = one;
        one += strlen(one) + 1;
    }
    *at = (size_t)(end - bytes);
    return sort;
}
