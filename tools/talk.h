/* SPDX-License-Identifier: MIT */
/* talk.h - everything that is said on stderr.
 *
 * Data go to stdout, talk goes to stderr, and whoever talks goes through here,
 * so that a progress bar is wiped first. */
#ifndef NN_TOOLS_TALK_H
#define NN_TOOLS_TALK_H

#include <stdint.h>

#ifdef __GNUC__
#define TALK_FORMAT(which) __attribute__((format(printf, which, which + 1)))
#else
#define TALK_FORMAT(which)
#endif

/* Whose talk it is: "nn", "nn train".  NAME is kept. */
void talk_begin(const char *name);

/* Leaves notes out from here on. */
void talk_quiet(int32_t quiet);

/* WIPE is called before anything is said; NULL: nothing. */
void talk_wipe(void (*wipe)(void));

/* A line of information; left out if quiet. */
void talk_note(const char *format, ...) TALK_FORMAT(1);

/* TEXT as it is, whole lines; left out if quiet. */
void talk_text(const char *text);

/* TEXT as it is, whole lines, always. */
void talk_messages(const char *text);

/* "nn train: warning: ...", always. */
void talk_warning(const char *format, ...) TALK_FORMAT(1);

/* "nn train: error: ..."; returns STATUS. */
int talk_error(int status, const char *format, ...) TALK_FORMAT(2);

/* The same with a hint at --help; returns STATUS_USAGE. */
int talk_usage(const char *format, ...) TALK_FORMAT(1);

/* Says the library's error of this thread; returns STATUS, or what fits the
 * error better: a plugin that cannot be loaded, exhausted memory. */
int talk_failure(int status);

/* The same without saying anything. */
int talk_status(int status);

/* For nn_log_to: warnings and errors of the library; SELF is not used. */
void talk_log(void *self, uint32_t level, const char *text);

#endif
