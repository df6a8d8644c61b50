/* SPDX-License-Identifier: MIT */
/* watch_note.h - between the parts of the watch. */
#ifndef NN_CONFORMANCE_WATCH_NOTE_H
#define NN_CONFORMANCE_WATCH_NOTE_H

#include "conformance/watch.h"

/* Defined in the C library's place: the one visible thing of a program that
 * otherwise hides its names. */
#define WATCHED __attribute__((visibility("default")))

/* Where the function that uses it was called from. */
#define CALLER __builtin_return_address(0)

/* Notes a call of NAME from ADDRESS if that lies in the plugin.  [any] */
void watch_note(enum watch_group group, const char *name, const char *detail,
                const void *address);

/* 1 if ADDRESS lies in a segment of the plugin, as far as is known.  [any] */
int watch_is_plugin(const void *address);

/* dlopen begins, or is over, in this thread.  [any] */
void watch_opening(int begins);
int watch_is_opening(void);

/* MEMORY of 48 bytes that the parent sees gets what is entered.  [setup] */
void watch_share(char *memory);

#endif
