/* SPDX-License-Identifier: MIT */
/* line.h - how the lines of the hooks begin. */
#ifndef NN_HOOKS_LINE_H
#define NN_HOOKS_LINE_H

#include <nn/hook.h>
#include <nn/text.h>

/* "epoch 3: ", or "update 1200: " after an update. */
static inline void line_begin(nn_text *line, const nn_hook_context *context)
{
    const int epoch = context->when != NN_AT_UPDATE;

    nn_text_add(line, epoch ? "epoch " : "update ");
    nn_text_add_int(line,
                    epoch ? context->progress.epoch : context->progress.update);
    nn_text_add(line, ": ");
}

/* NAME and its VALUE as people read it. */
static inline void line_add(nn_text *line, const char *name, double value)
{
    nn_text_add(line, name);
    nn_text_add(line, " ");
    nn_text_add_real(line, value, 4);
}

#endif
