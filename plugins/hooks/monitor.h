/* SPDX-License-Identifier: MIT */
/* monitor.h - what monitor_loss and monitor_scores share: the evaluation of
 * one set of data, and a line that says what came out. */
#ifndef NN_HOOKS_MONITOR_H
#define NN_HOOKS_MONITOR_H

#include "line.h"

/* Room for the longest line; what is longer goes on in the next one. */
#define MONITOR_LINE 1000

typedef struct monitor_line {
    const nn_hook_context *context;
    const char *data;
    int logs; /* that the line holds */
    char bytes[MONITOR_LINE];
    nn_text text;
} monitor_line;

static inline void monitor_start(monitor_line *line)
{
    line->logs = 0;
    line->text = nn_text_in(line->bytes, sizeof line->bytes);
    line_begin(&line->text, line->context);
}

/* Ends the line, if it says something, and hands it over. */
static inline void monitor_emit(monitor_line *line)
{
    if (line->logs == 0)
        return;
    line->bytes[line->text.used - 1] = '\n';
    line->context->emit(line->context, line->bytes);
}

/* Adds a log of this data to the line. */
static inline void monitor_visit(void *self, const char *name, double value)
{
    monitor_line *line = self;
    const size_t length = strlen(line->data);
    char bytes[MONITOR_LINE / 2];
    nn_text piece = nn_text_in(bytes, sizeof bytes);

    if (strncmp(name, line->data, length) != 0 || name[length] != '.')
        return;
    line_add(&piece, name, value);
    nn_text_add(&piece, " ");
    if (piece.full)
        return;
    if (piece.used >= line->text.size - line->text.used) {
        monitor_emit(line);
        monitor_start(line);
    }
    nn_text_add(&line->text, bytes);
    ++line->logs;
}

/* Evaluates DATA with SCORERS (NULL: the loss alone) and emits one line such
 * as "epoch 3: validation.loss 0.31 validation.accuracy 0.8893". */
static inline int32_t monitor(const nn_hook_context *context, const char *data,
                              const nn_value *scorers)
{
    monitor_line line = {.context = context, .data = data};
    int32_t code = context->evaluate(context, data, scorers);

    if (code < 0)
        return code;
    monitor_start(&line);
    context->log_new(context, monitor_visit, &line);
    monitor_emit(&line);
    return NN_HOOK_CONTINUE;
}

#endif
