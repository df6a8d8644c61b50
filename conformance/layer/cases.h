/* SPDX-License-Identifier: MIT */
/* cases.h - configurations of one layer on which it is checked.
 *
 * They are made from the description of the component: from its own examples,
 * its parameters at defaults, every choice, limits, and from its ports, with
 * inputs of one to four feature axes of small, odd and prime sizes, optional
 * inputs absent and present, and one to three inputs at a variadic port.  A
 * configuration is a case if the core accepts it, which asks the layer's setup;
 * what setup refuses is counted. */
#ifndef NN_CONFORMANCE_LAYER_CASES_H
#define NN_CONFORMANCE_LAYER_CASES_H

#include "conformance/check.h"

#define CASE_INPUTS 8u /* ports, a variadic one counted often, at most */

/* layer_case.flags. */
#define CASE_LIMIT 1u  /* a parameter is at its minimum or maximum */
#define CASE_AUTHOR 2u /* of the component itself */
#define CASE_CHOICE 4u /* shows one choice of an enumeration */

/* How an input is written in a config. */
typedef struct case_input {
    const char *shape; /* feature axes, "4, 3, 2"; "": absent */
    uint32_t dtype;    /* NN_REAL, NN_INT32 or NN_UINT8 */
    uint32_t content;  /* NN_CONTENT_... */
    uint32_t port;     /* its index among the ports */
} case_input;

/* One case.  It lives as long as the trial. */
typedef struct layer_case {
    const char *params; /* "size: 3, activation: relu", without braces; or "" */
    const char *label;  /* for messages: "{size: 3} of (T, B, 5)" */
    uint32_t flags;     /* CASE_... */
    uint32_t n_inputs;  /* entries of `inputs` */
    case_input inputs[CASE_INPUTS];
    int64_t T; /* time steps and samples on which it runs */
    int64_t B;
} layer_case;

typedef struct layer_cases {
    layer_case *items;
    uint32_t count;
    uint32_t refused;    /* configurations that are no case */
    const char *refusal; /* the message of the first of these; NULL: none */
} layer_cases;

/* The cases of the trial's component for LEVEL: the first ones of a fixed
 * order, which is one for all levels.  They live as long as the trial; never
 * NULL, but there may be none. */
const layer_cases *layer_cases_make(trial *trial, enum level level);

/* The same for the trial's level; says a skip if there is none. */
const layer_cases *layer_cases_or_skip(trial *trial);

/* layer_case_text's FLAGS. */
#define TEXT_SLICED 1 /* the subject reads columns 2 and on of wider inputs
                         wherever these are real and have one feature axis */
#define TEXT_SHARED 2 /* real inputs have a second reader, so that the subject
                         adds to their deltas */

/* The text of a config with ONE as layer `subject` and inputs `in_0`, `in_1`,
 * ... of real type REAL. */
const char *layer_case_text(trial *trial, const layer_case *one, uint32_t real,
                            int flags);

/* Parses TEXT with the trial's file and HOST (may be NULL) for components; NULL
 * if it is refused, with the message in *WHY (may be NULL), which lives as long
 * as the trial. */
nn_config *layer_config_for(trial *trial, const char *text, const nn_host *host,
                            const char **why);

#endif
