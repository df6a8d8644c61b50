/* SPDX-License-Identifier: MIT */
/* expect: meta.doc
 * Its example sets a parameter to more than its maximum. */
#define CASES cases
#include "plugin.h"

static const nn_case example = {NN_SIZEOF(nn_case, inputs), 0, "{start: 9}",
                                NULL};
static const nn_case *const cases[] = {&example, NULL};

ZOO_PLUGIN(meta_doc);
