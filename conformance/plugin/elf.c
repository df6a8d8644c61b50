/* SPDX-License-Identifier: MIT */
/* elf.c - see elf.h.
 *
 * The file is read whole.  The dynamic segment gives addresses, which the load
 * segments turn into places of the file; the number of symbols comes from the
 * hash tables, as there need not be section headers. */
#include "conformance/plugin/elf.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

typedef ElfW(Ehdr) head;
typedef ElfW(Phdr) segment;
typedef ElfW(Dyn) entry;
typedef ElfW(Sym) symbol;

typedef struct image {
    const unsigned char *bytes;
    size_t size;
    const segment *segments;
    uint32_t n_segments;
    const entry *dynamic;
    size_t n_dynamic;
    const char *strings;
    size_t strings_size;
} image;

static int load(trial *t, image *out)
{
    FILE *file = fopen(t->path, "rb");
    unsigned char *bytes;
    long size;

    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    bytes = trial_alloc(t, size > 0 ? (size_t)size : 1);
    out->bytes = bytes;
    out->size = size > 0 ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return 0;
}

/* BYTES of the file from OFFSET on, or NULL. */
static const void *at(const image *one, uint64_t offset, uint64_t bytes)
{
    if (offset > one->size || bytes > one->size - offset)
        return NULL;
    return one->bytes + offset;
}

/* BYTES at the address ADDRESS, or NULL; *ROOM (may be NULL) gets what lies in
 * the file from there to the end of the segment. */
static const void *at_address(const image *one, uint64_t address,
                              uint64_t bytes, uint64_t *room)
{
    uint32_t i;

    for (i = 0; i < one->n_segments; ++i) {
        const segment *s = &one->segments[i];

        if (s->p_type != PT_LOAD || address < s->p_vaddr ||
            address - s->p_vaddr > s->p_filesz ||
            bytes > s->p_filesz - (address - s->p_vaddr))
            continue;
        if (room)
            *room = s->p_filesz - (address - s->p_vaddr);
        return at(one, s->p_offset + (address - s->p_vaddr), bytes);
    }
    return NULL;
}

static int find_segments(image *one, elf_file *out)
{
    const head *h = at(one, 0, sizeof *h);
    uint32_t i;

    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return -1;
    one->n_segments = h->e_phnum;
    one->segments = at(one, h->e_phoff, h->e_phnum * sizeof *one->segments);
    for (i = 0; one->segments && i < one->n_segments; ++i) {
        const segment *s = &one->segments[i];

        if (s->p_type == PT_DYNAMIC) {
            one->dynamic = at(one, s->p_offset, s->p_filesz);
            one->n_dynamic = s->p_filesz / sizeof *one->dynamic;
        }
        out->relro |= s->p_type == PT_GNU_RELRO;
        out->exec_stack |= s->p_type == PT_GNU_STACK && (s->p_flags & PF_X);
    }
    return one->dynamic ? 0 : -1;
}

/* The value of the dynamic entry TAG, 0 if there is none. */
static uint64_t dynamic(const image *one, int64_t tag)
{
    size_t i;

    for (i = 0; i < one->n_dynamic && one->dynamic[i].d_tag != DT_NULL; ++i)
        if (one->dynamic[i].d_tag == tag)
            return one->dynamic[i].d_un.d_val;
    return 0;
}

static int has_entry(const image *one, int64_t tag)
{
    size_t i;

    for (i = 0; i < one->n_dynamic && one->dynamic[i].d_tag != DT_NULL; ++i)
        if (one->dynamic[i].d_tag == tag)
            return 1;
    return 0;
}

static const char *string(const image *one, uint64_t offset)
{
    if (offset >= one->strings_size ||
        !memchr(one->strings + offset, 0, one->strings_size - offset))
        return "?";
    return one->strings + offset;
}

/* The number of symbols after the hash table of GNU: the largest index of a
 * chain, whose end has bit 0 set. */
static uint64_t count_gnu(const image *one, uint64_t address)
{
    uint64_t room = 0;
    const uint32_t *h = at_address(one, address, 16, &room);
    uint64_t last = 0;
    uint64_t buckets;
    uint64_t chains;
    uint32_t i;

    if (!h)
        return 0;
    buckets = 4 + (uint64_t)h[2] * (sizeof(void *) / 4);
    chains = buckets + h[0];
    if (chains * 4 > room)
        return 0;
    for (i = 0; i < h[0]; ++i)
        if (h[buckets + i] > last)
            last = h[buckets + i];
    if (last < h[1])
        return h[1];
    while ((chains + last - h[1] + 1) * 4 <= room &&
           !(h[chains + last - h[1]] & 1u))
        ++last;
    return last + 1;
}

static uint64_t count_symbols(const image *one)
{
    uint64_t address = dynamic(one, DT_HASH);
    const uint32_t *h = address ? at_address(one, address, 8, NULL) : NULL;

    if (h)
        return h[1];
    address = dynamic(one, DT_GNU_HASH);
    return address ? count_gnu(one, address) : 0;
}

static void take_symbols(trial *t, const image *one, elf_file *out)
{
    uint64_t count = count_symbols(one);
    const symbol *all = at_address(one, dynamic(one, DT_SYMTAB),
                                   count * sizeof *all, NULL);
    uint64_t i;

    if (!all)
        return;
    out->symbols = trial_alloc(t, (size_t)count * sizeof *out->symbols);
    for (i = 1; i < count; ++i) {
        uint32_t bind = all[i].st_info >> 4;
        elf_symbol *s = &out->symbols[out->n_symbols];

        if (bind == STB_LOCAL || (all[i].st_info & 0xF) == STT_SECTION ||
            (all[i].st_other & 3) == STV_HIDDEN)
            continue;
        s->name = string(one, all[i].st_name);
        s->flags = (all[i].st_shndx != SHN_UNDEF ? ELF_DEFINED : 0) |
                   (bind != STB_GLOBAL ? ELF_WEAK : 0);
        ++out->n_symbols;
    }
}

static void take_needed(trial *t, const image *one, elf_file *out)
{
    size_t i;

    out->needed = trial_alloc(t, one->n_dynamic * sizeof *out->needed);
    for (i = 0; i < one->n_dynamic && one->dynamic[i].d_tag != DT_NULL; ++i)
        if (one->dynamic[i].d_tag == DT_NEEDED)
            out->needed[out->n_needed++] = string(one,
                                                  one->dynamic[i].d_un.d_val);
}

const elf_file *elf_read(trial *t)
{
    elf_file *out = trial_alloc(t, sizeof *out);
    image one;

    memset(&one, 0, sizeof one);
    if (load(t, &one) || find_segments(&one, out)) {
        trial_fail(t, t->path, "a shared object of this machine",
                   "something else");
        return NULL;
    }
    one.strings_size = dynamic(&one, DT_STRSZ);
    one.strings = at_address(&one, dynamic(&one, DT_STRTAB), one.strings_size,
                             NULL);
    if (!one.strings)
        one.strings_size = 0;
    take_symbols(t, &one, out);
    take_needed(t, &one, out);
    out->now = has_entry(&one, DT_BIND_NOW) ||
               dynamic(&one, DT_FLAGS) & DF_BIND_NOW ||
               dynamic(&one, DT_FLAGS_1) & DF_1_NOW;
    out->text_rel = has_entry(&one, DT_TEXTREL) ||
                    dynamic(&one, DT_FLAGS) & DF_TEXTREL;
    return out;
}
