/* SPDX-License-Identifier: MIT */
/* checks.c - the checks of this folder, in the order in which they run. */
#include "conformance/check.h"

const check *const plugin_checks[] = {
    NULL,
};
