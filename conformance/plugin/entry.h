/* SPDX-License-Identifier: MIT */
/* entry.h - the entry of a file, as far as it can be followed. */
#ifndef NN_CONFORMANCE_PLUGIN_ENTRY_H
#define NN_CONFORMANCE_PLUGIN_ENTRY_H

#include "conformance/check.h"

/* The entry of the trial's file; NULL after saying why not.  What abi.struct
 * sees so wrong that it cannot be followed is a skip. */
const nn_plugin *entry_open(trial *t);

#endif
