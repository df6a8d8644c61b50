/* SPDX-License-Identifier: MIT */
/* catalogue.h - all checks there are. */
#ifndef NN_CONFORMANCE_CATALOGUE_H
#define NN_CONFORMANCE_CATALOGUE_H

#include "conformance/check.h"

/* Check INDEX, those for any component first; NULL past the end.  [any] */
const check *catalogue_at(uint32_t index);

/* The check ID, or NULL.  [any] */
const check *catalogue_find(const char *id);

/* 1 if CHECK is for components of KIND.  [any] */
int catalogue_suits(const check *check, uint32_t kind);

/* "file", "any", "layer", ...: what CHECK is for.  [any] */
const char *catalogue_kind(const check *check);

/* "load", "basic", ...; the level NAME in *LEVEL and 1, or 0.  [any] */
const char *level_name(enum level level);
int level_find(const char *name, enum level *level);

#endif
