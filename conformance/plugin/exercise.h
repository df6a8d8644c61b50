/* SPDX-License-Identifier: MIT */
/* exercise.h - the simplest life of a component of any kind: it is made, does
 * its work once or twice and goes.
 *
 * What it computes is not judged here; checks look at what the component does
 * beside it. */
#ifndef NN_CONFORMANCE_PLUGIN_EXERCISE_H
#define NN_CONFORMANCE_PLUGIN_EXERCISE_H

#include "conformance/check.h"

/* Lets the trial's component live once for each of its first few texts, with
 * HOST (NULL: the suite's own).  BETWEEN (may be NULL) is called after each
 * call of the component, with the name of the call.  Says a skip if no instance
 * could be made. */
void exercise(trial *t, const nn_host *host,
              void (*between)(trial *t, const char *call));

#endif
