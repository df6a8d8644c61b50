/* SPDX-License-Identifier: MIT */
/* scores.h - losses and scores over data, as `nn train` and `nn eval` print
 * them. */
#ifndef NN_TOOLS_SCORES_H
#define NN_TOOLS_SCORES_H

#include <nervenet.h>

/* Evaluates MODEL on DATA and prints a line a score, "test loss: 0.3100"; or
 * with AS_JSON one object.  NAME is that of the data.  Returns an exit
 * status. */
int print_scores(nn_model *model, nn_data *data, const char *name,
                 int32_t as_json);

#endif
