/* SPDX-License-Identifier: MIT */
/* params.h - values of a component's parameters, from their description. */
#ifndef NN_CONFORMANCE_LAYER_PARAMS_H
#define NN_CONFORMANCE_LAYER_PARAMS_H

#include "conformance/check.h"

/* Name of the layer that stands beside the subject if a text names it. */
#define PARAMS_OTHER "other"

/* What a set of values shows. */
#define PARAM_CHOICE 1u /* one choice, or true or false */
#define PARAM_LIMIT 2u  /* a minimum or maximum */
#define PARAM_OTHER 4u  /* another value */
#define PARAM_PAIR 8u   /* two parameters that differ from the base */

typedef struct param_item {
    const char *text; /* "size: 3, activation: relu" */
    uint32_t kind;    /* PARAM_... */
    uint32_t flags;   /* CASE_... of cases.h */
} param_item;

typedef struct param_set {
    const char *base; /* what is required and nothing else; NULL: a value that
                         is required cannot be made */
    const char *missing; /* then the name of that parameter */
    param_item *items;
    uint32_t count;
} param_set;

/* The sets for COMPONENT.  They live as long as the trial; never NULL. */
const param_set *params_make(trial *trial, const nn_component *component);

/* TEXT, "{size: 3}" or "size: 3" or "3", as it stands between the braces of
 * COMPONENT's map: "size: 3". */
const char *params_inner(trial *trial, const nn_component *component,
                         const char *text);

#endif
