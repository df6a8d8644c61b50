/* SPDX-License-Identifier: MIT */
/* trial.h - the life of a trial; what a check does with it is in check.h. */
#ifndef NN_CONFORMANCE_TRIAL_H
#define NN_CONFORMANCE_TRIAL_H

#include "conformance/check.h"

/* Runs TRIAL's check; its members are filled, but for `draws` and `state`.
 * What it says goes through the channel, FRAME_DONE last.  Then everything that
 * the trial holds is gone.  [setup] */
void trial_run(trial *trial);

#endif
