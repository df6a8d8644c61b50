/* SPDX-License-Identifier: MIT */
/* checks.h - the checks of this folder. */
#ifndef NN_CONFORMANCE_HOOK_CHECKS_H
#define NN_CONFORMANCE_HOOK_CHECKS_H

#include "conformance/check.h"

extern const check hook_events; /* calls.c */
extern const check hook_stop;
extern const check hook_logs;
extern const check hook_time;
extern const check hook_state; /* keeping.c */
extern const check hook_repeat;
extern const check hook_readonly; /* manners.c */
extern const check hook_output;
extern const check hook_failures;
extern const check hook_leak;

#endif
