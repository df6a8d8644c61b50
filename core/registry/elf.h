/* SPDX-License-Identifier: MIT */
/* elf.h - is this file fit to be opened as a shared object?
 *
 * The dynamic linker maps a file and touches it: one that is cut off kills the
 * process with SIGBUS, and a FIFO of that name blocks for ever.  So both are
 * seen before. */
#ifndef NN_CORE_REGISTRY_ELF_H
#define NN_CORE_REGISTRY_ELF_H

#include <sys/stat.h>

#include <nn/base.h>

#include "core/util/text.h"

/* Judges the file at PATH without running anything of it: a regular, readable
 * file, an ELF shared object for this machine, with every segment inside the
 * file.  Sets *STATUS to its state.  On failure a code, with the reason
 * appended to REASON (no message is set).  [any] */
int32_t nn_elf_check(const char *path, struct stat *status, nn_text *reason);

/* "a folder", "a FIFO", ... for the file type in MODE.  [any] */
const char *nn_elf_file_type(mode_t mode);

#endif
