/* SPDX-License-Identifier: MIT */
/* suggest.h - the known name that a misspelt one probably meant. */
#ifndef NN_CORE_UTIL_SUGGEST_H
#define NN_CORE_UTIL_SUGGEST_H

#include <nn/base.h>

/* The best name so far.  Start it with nn_suggest_start, offer every known
 * name, then read `name`. */
typedef struct nn_suggest {
    const char *word; /* what the user wrote */
    const char *name; /* nearest offered name, or NULL if none is near */
    uint32_t cost;    /* its distance */
} nn_suggest;

/* WORD must live as long as offers are made.  [any] */
void nn_suggest_start(nn_suggest *suggest, const char *word);

/* Considers NAME (may be NULL), which must live as long as the result is used.
 * Of equally near names the first offered wins.  [any] */
void nn_suggest_offer(nn_suggest *suggest, const char *name);

/* The tail of a message: "; did you mean 'size'?", or "" if nothing is near.
 * Writes into BUFFER and returns it.  [any] */
const char *nn_suggest_tail(const nn_suggest *suggest, char buffer[128]);

#endif
