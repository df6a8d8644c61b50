/* SPDX-License-Identifier: MIT */
/* run_folder.h - the folder that a run writes to.
 *
 * Nothing of an earlier run is ever overwritten: a folder with something in it
 * is taken only to go on with the run that it holds. */
#ifndef NN_TOOLS_RUN_FOLDER_H
#define NN_TOOLS_RUN_FOLDER_H

#include <nervenet.h>

struct run_folder {
    char *path;
    int32_t is_made;  /* 1: by us, and still empty */
    int32_t is_first; /* 1: the folder "runs" as well */
};

/* Settles the folder for CONFIG: OUT if given; the one that RESUME names;
 * otherwise a new one, runs/NAME or runs/NAME-2 and so on, which is made.  OUT
 * and RESUME may be NULL.  Returns an exit status. */
int run_folder_choose(const char *config, const char *out, const char *resume,
                      struct run_folder *folder);

/* Removes the folder if it was made here and nothing is in it. */
void run_folder_abandon(const struct run_folder *folder);

void run_folder_finish(struct run_folder *folder);

#endif
