/* SPDX-License-Identifier: MIT */
/* checks.c - the checks of this folder, in the order in which they run. */
#include "conformance/hook/checks.h"

const check *const hook_checks[] = {
    &hook_events, &hook_stop,     &hook_logs,   &hook_state,
    &hook_repeat, &hook_readonly, &hook_output, &hook_failures,
    &hook_leak,   &hook_time,     NULL,
};
