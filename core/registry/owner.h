/* SPDX-License-Identifier: MIT */
/* owner.h - could somebody else have put this plugin here, or replace it?
 *
 * A plugin runs with the rights of whoever starts the program.  A path is safe
 * if nobody but root and the effective user could change what it leads to:
 * every folder, symbolic link and file on the way is owned by one of the two,
 * and no folder or file may be written by its group or by others, except a
 * sticky folder of root's, as that for temporary files is. */
#ifndef NN_CORE_REGISTRY_OWNER_H
#define NN_CORE_REGISTRY_OWNER_H

#include <nn/base.h>

#include "core/util/text.h"

/* Follows PATH, which is absolute, from the root.  Returns 1 if it is safe; 0
 * if not, with what is wrong appended to REASON; a negative code if it cannot
 * be followed, with the reason appended.  Sets no message.  [any] */
int32_t nn_owner_check(const char *path, nn_text *reason);

#endif
