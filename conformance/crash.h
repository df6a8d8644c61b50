/* SPDX-License-Identifier: MIT */
/* crash.h - the last words of a child. */
#ifndef NN_CONFORMANCE_CRASH_H
#define NN_CONFORMANCE_CRASH_H

#include <stddef.h>

/* From now on a fatal signal is told through the channel, with the address, the
 * code that was running and what was entered, before the process dies of it.
 * [setup] */
void crash_catch(void);

/* EXPLAIN tells in TEXT what lies at ADDRESS ("outputs.default[37]") and
 * returns 1, or 0 if it does not know; NULL: nobody does.  Called in a signal
 * handler.  [any] */
void crash_explain(int (*explain)(void *self, const void *address, char *text,
                                  size_t room),
                   void *self);

#endif
