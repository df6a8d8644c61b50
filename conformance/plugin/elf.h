/* SPDX-License-Identifier: MIT */
/* elf.h - what the dynamic part of a shared object says, read from its bytes
 * without loading it. */
#ifndef NN_CONFORMANCE_PLUGIN_ELF_H
#define NN_CONFORMANCE_PLUGIN_ELF_H

#include "conformance/check.h"

/* elf_symbol.flags. */
#define ELF_DEFINED 1u
#define ELF_WEAK 2u /* or unique in the process, as templates of C++ are */

typedef struct elf_symbol {
    const char *name;
    uint32_t flags;
} elf_symbol;

typedef struct elf_file {
    elf_symbol *symbols; /* that others may see or must give */
    uint32_t n_symbols;
    const char **needed; /* DT_NEEDED */
    uint32_t n_needed;
    int relro;      /* tables are read only after loading */
    int now;        /* all symbols are bound at once */
    int exec_stack; /* it asks for a stack that can be executed */
    int text_rel;   /* code is changed while it is loaded */
} elf_file;

/* Reads the trial's file; NULL after saying a failure.  It lives as long as
 * the trial. */
const elf_file *elf_read(trial *t);

#endif
