/* SPDX-License-Identifier: MIT */
/* registry_internal.h - what registry.c, examine.c and lookup.c share. */
#ifndef NN_CORE_REGISTRY_REGISTRY_INTERNAL_H
#define NN_CORE_REGISTRY_REGISTRY_INTERNAL_H

#include <sys/stat.h>

#include "core/registry/registry.h"

/* A file while it is examined and after. */
typedef struct nn_candidate {
    nn_registry_file file;
    const nn_directory *directory; /* NULL: named by itself, or static */
    const nn_plugin *raw;          /* of a static plugin */
    struct stat status;            /* of a file, when it was examined */
    int32_t code;                  /* why it was refused */
    int32_t pending;               /* 1: to be scanned */
} nn_candidate;

struct nn_registry {
    nn_arena *arena;
    nn_host_instance host;
    nn_directories directories;
    nn_candidate *candidates;
    uint32_t n_candidates;
    uint32_t n_components;
    nn_registry_component *components;
};

/* Marks CANDIDATE as STATE with formatted text.  Returns 0 or NN_NO_MEMORY. */
int32_t nn_candidate_mark(nn_registry *registry, nn_candidate *candidate,
                          enum nn_found state, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* examine.c: judges all candidates and fills their entries.  Returns 0 or
 * NN_NO_MEMORY. */
int32_t nn_registry_examine(nn_registry *registry);

/* Hands a formatted message to the log of REGISTRY. */
void nn_registry_say(const nn_registry *registry, uint32_t level,
                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
