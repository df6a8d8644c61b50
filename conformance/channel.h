/* SPDX-License-Identifier: MIT */
/* channel.h - how a child says what it found.
 *
 * Frames through a pipe of its own, so that nothing that a plugin prints gets
 * among them: the length of the rest (4 bytes in the machine's order), a letter
 * and texts, each ended by a zero byte.  The last frame is FRAME_DONE: a child
 * without it has not come to its end, whatever its exit status is. */
#ifndef NN_CONFORMANCE_CHANNEL_H
#define NN_CONFORMANCE_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_FAIL 'f'   /* where, expected, got */
#define FRAME_NOTE 'n'   /* text */
#define FRAME_SKIP 's'   /* reason */
#define FRAME_BROKEN 'b' /* reason */
#define FRAME_ENDED 'e'  /* "exit(0)", what was entered, where from */
#define FRAME_CRASH 'c'  /* signal, address, what was entered, code */
#define FRAME_DONE 'd'   /* things tested, failures */

#define FRAME_BYTES 16384u     /* at most of one frame; longer texts are cut */
#define CHANNEL_BYTES 1048576u /* at most of a child */

/* From now on frames go to descriptor FILE; -1: nowhere.  [setup] */
void channel_open(int file);

/* Sends a frame of COUNT texts, NULL being "".  Safe in a signal handler.
 * [any] */
void channel_send(char sort, const char *const *texts, uint32_t count);

/* The next frame in the LENGTH bytes at BYTES from *AT on: its letter, and in
 * TEXTS (room for ROOM) its texts, "" for those that it lacks; 0 at the end or if
 * what follows is no frame.  [any] */
char channel_next(const char *bytes, size_t length, size_t *at,
                  const char **texts, uint32_t room);

#endif
