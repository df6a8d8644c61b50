/* SPDX-License-Identifier: MIT */
/* progress.h - how far training is, on stderr.
 *
 * On a terminal one line that is redrawn at most ten times a second; anywhere
 * else, such as a log file, a plain line now and then. */
#ifndef NN_TOOLS_PROGRESS_H
#define NN_TOOLS_PROGRESS_H

#include <nervenet.h>

/* Looks at stderr, and wipes the line whenever something else is said. */
void progress_begin(void);

/* For nn_trainer_options.progress; SELF is not used. */
void progress_show(void *self, const nn_trainer_status *status);

/* Wipes the line for good. */
void progress_end(void);

#endif
