/* SPDX-License-Identifier: MIT */
/* expect: stepper.vectors
 * Two vectors have one name. */
#include "stepper.h"

static const char *const names[] = {"velocity", "velocity"};

ZOO_STEPPER(stepper_vectors, .n_vectors = 2, .vector_names = names);
