/* SPDX-License-Identifier: MIT */
/* idx_stream.c - see idx_stream.h. */
#include "idx_stream.h"

#include <string.h>

#include <zlib.h>

#include "source.h"

#define STREAM_BUFFER 32768

struct idx_stream {
    const nn_host *host;
    const char *path;
    int file;
    int packed;     /* by gzip */
    int ended;      /* the last member is complete */
    int64_t offset; /* of the next byte that is read from the file */
    z_stream zlib;
    unsigned char in[STREAM_BUFFER];
    unsigned char waste[STREAM_BUFFER];
};

static voidpf zlib_alloc(voidpf host, uInt count, uInt size)
{
    const nn_host *table = host;

    return table->alloc(table, (size_t)count * size);
}

static void zlib_free(voidpf host, voidpf memory)
{
    const nn_host *table = host;

    table->free(table, memory);
}

static int32_t broken(const idx_stream *self, const char *reason)
{
    return nn_fail(self->host, NN_FORMAT, "iterator.gzip",
                   "%s: the gzip data are broken: %s", self->path,
                   reason ? reason : "invalid data");
}

/* Sees that a packed byte waits to be unpacked, unless the file ends. */
static int32_t refill(idx_stream *self)
{
    size_t got = 0;
    int32_t code = NN_OK;

    if (self->zlib.avail_in == 0) {
        code = source_read(self->host, self->path, self->file, self->offset,
                           self->in, sizeof self->in, &got);
        self->offset += (int64_t)got;
        self->zlib.next_in = self->in;
        self->zlib.avail_in = (uInt)got;
    }
    return code;
}

/* Behind a member: the end of the file, or another one. */
static int32_t next_member(idx_stream *self)
{
    int32_t code = refill(self);

    if (code)
        return code;
    if (self->zlib.avail_in == 0) {
        self->ended = 1;
        return NN_OK;
    }
    if (*self->zlib.next_in != 0x1f)
        return broken(self, "other bytes follow them");
    return inflateReset(&self->zlib) == Z_OK ? NN_OK : broken(self, NULL);
}

/* One step of zlib. */
static int32_t unpack(idx_stream *self)
{
    int32_t code = refill(self);
    int result;

    if (code)
        return code;
    if (self->zlib.avail_in == 0)
        return broken(self, "the file is truncated");
    result = inflate(&self->zlib, Z_NO_FLUSH);
    if (result == Z_STREAM_END)
        return next_member(self);
    if (result == Z_MEM_ERROR)
        return NN_NO_MEMORY;
    if (result != Z_OK && result != Z_BUF_ERROR)
        return broken(self, self->zlib.msg);
    return NN_OK;
}

int32_t idx_stream_create(const nn_host *host, const char *path, int file,
                          idx_stream **stream)
{
    idx_stream *self = host->alloc(host, sizeof *self);
    size_t got = 0;
    int32_t code;

    *stream = self;
    if (!self)
        return NN_NO_MEMORY;
    self->host = host;
    self->path = path;
    self->file = file;
    code = source_read(host, path, file, 0, self->in, 2, &got);
    if (code || got < 2 || self->in[0] != 0x1f || self->in[1] != 0x8b)
        return code;
    self->zlib.zalloc = zlib_alloc;
    self->zlib.zfree = zlib_free;
    self->zlib.opaque = (voidpf)host;
    if (inflateInit2(&self->zlib, 16 + MAX_WBITS) != Z_OK)
        return NN_NO_MEMORY;
    self->packed = 1;
    return NN_OK;
}

void idx_stream_destroy(idx_stream *stream)
{
    if (!stream)
        return;
    if (stream->packed)
        inflateEnd(&stream->zlib);
    stream->host->free(stream->host, stream);
}

int32_t idx_stream_read(idx_stream *stream, void *bytes, size_t length,
                        size_t *got)
{
    unsigned char *out = bytes;
    size_t done = 0;
    int32_t code = NN_OK;

    *got = 0;
    if (!stream->packed) {
        code = source_read(stream->host, stream->path, stream->file,
                           stream->offset, bytes, length, got);
        stream->offset += (int64_t)*got;
        return code;
    }
    while (done < length && !stream->ended && !code) {
        size_t want = length - done;
        uInt room = want < 1u << 30 ? (uInt)want : 1u << 30;

        stream->zlib.next_out = out + done;
        stream->zlib.avail_out = room;
        code = unpack(stream);
        done += room - stream->zlib.avail_out;
    }
    *got = done;
    return code;
}

int32_t idx_stream_skip(idx_stream *stream, int64_t count, int64_t *got)
{
    int64_t done = 0;
    size_t n = 1;
    int32_t code = NN_OK;

    while (done < count && n > 0 && !code) {
        int64_t left = count - done;
        size_t want = left < STREAM_BUFFER ? (size_t)left : STREAM_BUFFER;

        code = idx_stream_read(stream, stream->waste, want, &n);
        done += (int64_t)n;
    }
    *got = done;
    return code;
}
