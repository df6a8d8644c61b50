/* SPDX-License-Identifier: MIT */
/* elf.c - see elf.h.
 *
 * The ELF header, the program headers and the place of the section headers
 * are compared with the length of the file.  Linkers put the section headers
 * last, so a file that lost any part of its end is found even if no segment
 * reaches that far.  What the machine should be is read from our own header,
 * which the linker provides as __ehdr_start. */
#define _GNU_SOURCE
#include "core/registry/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;

extern const elf_header __ehdr_start
    __attribute__((weak, visibility("hidden")));

const char *nn_elf_file_type(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "a file";
    case S_IFDIR:
        return "a folder";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

/* Reads LENGTH bytes at OFFSET.  1, or 0 if they are not all there. */
static int32_t read_at(int file, void *bytes, size_t length, uint64_t offset)
{
    char *to = bytes;
    ssize_t got;

    while (length) {
        got = pread(file, to, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        to += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return 1;
}

static int32_t fail(nn_text *reason, const char *text)
{
    nn_text_append(reason, text);
    return NN_FORMAT;
}

/* 1 if LENGTH bytes from OFFSET lie within SIZE. */
static int32_t inside(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* Is it for this machine? */
static int32_t check_machine(const elf_header *header, nn_text *reason)
{
    const elf_header *own = &__ehdr_start;
    const unsigned char *ident = header->e_ident;

    if (!own)
        return NN_OK;
    if (ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
        ident[EI_DATA] != own->e_ident[EI_DATA] ||
        header->e_machine != own->e_machine) {
        nn_text_format(reason,
                       "it is for another machine (ELF class %u, data %u, "
                       "machine %u; this program: %u, %u, %u)",
                       ident[EI_CLASS], ident[EI_DATA], header->e_machine,
                       own->e_ident[EI_CLASS], own->e_ident[EI_DATA],
                       own->e_machine);
        return NN_FORMAT;
    }
    return NN_OK;
}

static int32_t check_header(const elf_header *header, uint64_t size,
                            nn_text *reason)
{
    int32_t code = check_machine(header, reason);

    if (code)
        return code;
    if (header->e_type != ET_DYN)
        return fail(reason, "an ELF file, but not a shared object");
    if (header->e_phentsize != sizeof(elf_segment) || !header->e_phnum ||
        header->e_phnum == PN_XNUM)
        return fail(reason, "its ELF header is damaged");
    if (!inside(header->e_phoff,
                (uint64_t)header->e_phnum * header->e_phentsize, size) ||
        !inside(header->e_shoff,
                (uint64_t)header->e_shnum * header->e_shentsize, size))
        return fail(reason, "it is cut off: its end is missing");
    return NN_OK;
}

static int32_t check_segments(int file, const elf_header *header, uint64_t size,
                              nn_text *reason)
{
    size_t bytes = (size_t)header->e_phnum * sizeof(elf_segment);
    elf_segment *segments = malloc(bytes);
    int32_t code = NN_OK;
    uint32_t i;

    if (!segments) {
        nn_text_append(reason, strerror(ENOMEM));
        return NN_NO_MEMORY;
    }
    if (!read_at(file, segments, bytes, header->e_phoff))
        code = fail(reason, "it is cut off: its end is missing");
    for (i = 0; !code && i < header->e_phnum; ++i)
        if (!inside(segments[i].p_offset, segments[i].p_filesz, size)) {
            nn_text_format(reason,
                           "it is cut off: segment %u ends at byte %llu of "
                           "%llu",
                           i,
                           (unsigned long long)(segments[i].p_offset +
                                                segments[i].p_filesz),
                           (unsigned long long)size);
            code = NN_FORMAT;
        }
    free(segments);
    return code;
}

static int32_t check_file(int file, uint64_t size, nn_text *reason)
{
    elf_header header;
    int32_t code;

    if (!size)
        return fail(reason, "the file is empty");
    memset(&header, 0, sizeof header);
    read_at(file, &header, size < sizeof header ? (size_t)size : sizeof header,
            0);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG))
        return fail(reason, "not a shared object (no ELF header)");
    if (size < sizeof header)
        return fail(reason, "it is cut off: its end is missing");
    code = check_header(&header, size, reason);
    return code ? code : check_segments(file, &header, size, reason);
}

int32_t nn_elf_check(const char *path, struct stat *status, nn_text *reason)
{
    int file;
    int32_t code;

    if (stat(path, status)) {
        nn_text_append(reason, strerror(errno));
        return NN_IO;
    }
    if (!S_ISREG(status->st_mode)) {
        nn_text_format(reason, "%s, not a file",
                       nn_elf_file_type(status->st_mode));
        return NN_IO;
    }
    file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, status)) {
        nn_text_append(reason, strerror(errno));
        code = NN_IO;
    } else if (!S_ISREG(status->st_mode)) {
        nn_text_format(reason, "%s, not a file",
                       nn_elf_file_type(status->st_mode));
        code = NN_IO;
    } else {
        code = check_file(file, (uint64_t)status->st_size, reason);
    }
    if (file >= 0)
        close(file);
    return code;
}
