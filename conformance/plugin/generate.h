/* SPDX-License-Identifier: MIT */
/* generate.h - random configs of a component, right and wrong ones, from the
 * description of its parameters. */
#ifndef NN_CONFORMANCE_PLUGIN_GENERATE_H
#define NN_CONFORMANCE_PLUGIN_GENERATE_H

#include "conformance/check.h"

typedef struct generated {
    const char *text;  /* "{size: 3}" */
    const char *wrong; /* why it is to be refused; NULL: it is not */
    int open;          /* 1: it may be refused all the same, as files and
                          children are not all there */
} generated;

/* One random config of C.  It lives as long as the trial. */
const generated *generate_random(trial *t, const nn_component *c);

/* All defaults of C written out, with a value for what is required; NULL if
 * none can be made for that. */
const char *generate_defaults(trial *t, const nn_component *c);

#endif
