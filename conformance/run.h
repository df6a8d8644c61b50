/* SPDX-License-Identifier: MIT */
/* run.h - the processes in which checks run.
 *
 * Each item of a plan runs in a process executed anew, which leads a group of
 * its own, has a time limit, an empty folder, its output in files, and the
 * channel (channel.h).  Several run at once.  A child is over when its process
 * has ended; then its whole group is killed, and only then is it waited for, so
 * that its number cannot have become another's. */
#ifndef NN_CONFORMANCE_RUN_H
#define NN_CONFORMANCE_RUN_H

#include "conformance/plan.h"

/* Finds the program itself and makes the folder in which all else happens; the
 * caches of the children are shared and outlive it. */
void run_prepare(const char *program);

/* Removes that folder. */
void run_finish(void);

/* Runs the items of PLAN and settles each; SETTLED is called with SELF whenever
 * one is.  Returns 0, or the signal that stopped it. */
int run_items(plan *plan, void (*settled)(void *self), void *self);

#endif
