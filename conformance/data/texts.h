/* SPDX-License-Identifier: MIT */
/* texts.h - parameters with which a component is checked, made from its
 * description and the cases that it brings. */
#ifndef NN_CONFORMANCE_DATA_TEXTS_H
#define NN_CONFORMANCE_DATA_TEXTS_H

#include "conformance/check.h"

typedef struct text_set {
    const char **items; /* "{size: 3}" */
    uint32_t count;
    uint32_t sure;       /* of them, the first, that must be accepted */
    const char *missing; /* NULL, or why there is none */
} text_set;

/* A value for PARAM, as a config would write it, that the description alone
 * does not give: a file, a component, a string.  NULL: none. */
typedef const char *(*texts_value)(trial *t, const nn_param *param, void *self);

/* The cases of the component of the trial, then its required parameters alone,
 * then every other value of one parameter.  VALUE (may be NULL) is asked first.
 * They live as long as the trial. */
const text_set *texts_make(trial *t, texts_value value, void *self);

/* The required parameters alone, or the first case; NULL if there is none. */
const char *texts_plain(trial *t, texts_value value, void *self);

/* What is done with one text; SURE: it must be accepted. */
typedef void (*texts_run)(trial *t, const char *text, int sure);

/* Runs RUN for each text of the level: below standard those that must be
 * accepted.  Skips if there is none. */
void texts_each(trial *t, const text_set *set, texts_run run);

#endif
