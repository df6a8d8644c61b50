/* SPDX-License-Identifier: MIT */
/* guard.h - a handler around another one, with space around every buffer.
 *
 * It asks the core to leave bytes free around each buffer (redzone_bytes) and
 * is told where the buffers are (track.h).  What stands in the space is set,
 * and looked at after a pass: who writes beside a buffer changes it, and who reads
 * beside one gets other results for other contents.  There is one at a time. */
#ifndef NN_CONFORMANCE_LAYER_GUARD_H
#define NN_CONFORMANCE_LAYER_GUARD_H

#include "conformance/check.h"

/* A device around INNER, which outlives it.  Returns 0 or a code. */
int32_t guard_device(trial *trial, nn_device *inner, uint32_t real,
                     nn_device **out);

/* Sets every byte around the buffers to VALUE. */
void guard_set(nn_device *inner, int value);

/* The path of the first buffer beside which not every byte is VALUE, with the
 * distance in *BYTES: -8 the last eight bytes before it, 8 the first eight
 * behind it.  NULL if there is none. */
const char *guard_find(nn_device *inner, int value, int64_t *bytes);

#endif
