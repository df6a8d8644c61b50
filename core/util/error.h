/* SPDX-License-Identifier: MIT */
/* error.h - one message a thread, set where the failure is found.
 *
 * A function that fails sets the message and returns its code; callers pass
 * the code up and may add context in front.  The first message stays until it
 * is cleared at the entrance of the next public call. */
#ifndef NN_CORE_UTIL_ERROR_H
#define NN_CORE_UTIL_ERROR_H

#include <nn/base.h>

/* Longest text that is kept, with its end; longer ones are cut. */
#define NN_ERROR_TEXT 2048

/* Keeps (CODE, ID, formatted text) unless a message is already there, and
 * returns CODE.  ID is a constant string such as "config.unknown-key".
 * [any] */
int32_t nn_error_set(int32_t code, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts formatted text in front of the kept message; does nothing if there is
 * none.  Returns CODE.  [any] */
int32_t nn_error_prefix(int32_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* NN_NO_MEMORY with a message that says how many bytes WHAT wanted.  [any] */
int32_t nn_error_no_memory(const char *what, uint64_t bytes);

/* The kept code (0 if none), id and text of the calling thread; the strings
 * live until the next call that sets or clears.  Never NULL.  [any] */
int32_t nn_error_code(void);
const char *nn_error_id(void);
const char *nn_error_text(void);

/* Forgets the message of the calling thread.  [any] */
void nn_error_clear(void);

/* An error put aside, while something runs that may clear or set another. */
typedef struct nn_kept_error {
    int32_t code;
    const char *id;
    char text[NN_ERROR_TEXT];
} nn_kept_error;

/* Copies the thread's error to KEPT, and puts it back in place of what there
 * is; restore returns its code.  [any] */
void nn_error_keep(nn_kept_error *kept);
int32_t nn_error_restore(const nn_kept_error *kept);

#endif
