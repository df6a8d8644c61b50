/* SPDX-License-Identifier: MIT */
/* undefined.c - calls a function that exists nowhere.  Linked without -z defs
 * and -no-undefined. */
#include "fixture.h"

extern double nn_test_function_that_is_nowhere(void);

FIXTURE_PLUGIN(undefined, "undefined", nn_test_function_that_is_nowhere());
