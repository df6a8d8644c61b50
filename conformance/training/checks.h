/* SPDX-License-Identifier: MIT */
/* checks.h - the checks of this folder. */
#ifndef NN_CONFORMANCE_TRAINING_CHECKS_H
#define NN_CONFORMANCE_TRAINING_CHECKS_H

#include "conformance/check.h"

extern const check stepper_vectors; /* stepper.c */
extern const check stepper_descends;
extern const check stepper_zero_gradient;
extern const check stepper_split;
extern const check stepper_read_only;
extern const check stepper_deterministic; /* stepper_run.c */
extern const check stepper_resume;
extern const check stepper_handlers;
extern const check stepper_composed;
extern const check stepper_tunable;
extern const check stepper_noalloc;
extern const check stepper_limits;
extern const check modifier_when; /* modifier.c */
extern const check modifier_only;
extern const check modifier_empty;
extern const check modifier_entries;
extern const check modifier_not_finite;
extern const check modifier_deterministic;
extern const check modifier_handlers;
extern const check modifier_noalloc;
extern const check schedule_finite; /* schedule.c */
extern const check schedule_start;
extern const check schedule_pure;
extern const check schedule_order;
extern const check schedule_unknown;
extern const check initializer_filled; /* initializer.c */
extern const check initializer_bounds;
extern const check initializer_deterministic;
extern const check initializer_random;
extern const check initializer_fan;
extern const check initializer_refusal;
extern const check initializer_leak;
extern const check scorer_additive; /* scorer.c */
extern const check scorer_mask;
extern const check scorer_nan;
extern const check scorer_ties;
extern const check scorer_weight;
extern const check scorer_pure;
extern const check scorer_read_only;
extern const check scorer_better;
extern const check scorer_shapes;

#endif
