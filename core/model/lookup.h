/* SPDX-License-Identifier: MIT */
/* lookup.h - a registry as the catalog that the schema asks. */
#ifndef NN_CORE_MODEL_LOOKUP_H
#define NN_CORE_MODEL_LOOKUP_H

#include "core/config/schema.h"
#include "core/registry/registry.h"

/* What stands behind a catalog. */
typedef struct nn_lookup {
    const nn_registry *registry;
    nn_arena *arena; /* of the reasons that it gives */
} nn_lookup;

/* Fills CATALOG, which lives no longer than LOOKUP; FOLDER (may be NULL) is
 * what FILE parameters are relative to.  [any] */
void nn_lookup_catalog(nn_lookup *lookup, const char *folder,
                       nn_catalog *catalog);

/* The component NAME of KIND, found and opened; NULL if there is none or it
 * cannot be.  SELF is the nn_lookup.  [any] */
const nn_component *nn_lookup_find(void *self, uint32_t kind, const char *name);

#endif
