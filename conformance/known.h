/* SPDX-License-Identifier: MIT */
/* known.h - failures that are known.
 *
 * A text file of lines `ID COMPONENT REASON`: a pattern of ids, one of
 * components (`layer:square`; `file` for checks of the file) and words that say
 * why; # begins a comment at the start of a line.  What it names may fail, and
 * must: a check that passes although it is named fails the run. */
#ifndef NN_CONFORMANCE_KNOWN_H
#define NN_CONFORMANCE_KNOWN_H

#include "conformance/plan.h"

typedef struct known known;

/* Reads the file at PATH; 0, or 2 after saying what is wrong. */
int known_read(const char *path, known **out);
void known_destroy(known *known);

/* Makes of ITEM's failure or success what is known of it. */
void known_apply(const known *known, plan_item *item);

#endif
