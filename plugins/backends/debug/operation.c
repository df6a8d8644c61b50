/* SPDX-License-Identifier: MIT */
/* operation.c - base operations: one function for all of them. */
#include <string.h>

#include "debug.h"

static const struct listed {
    const char *name;
    const char *operands;
} list[NN_OP_COUNT] = {
#define LISTED(NAME, name, operands, types, doc) {#name, operands},
    NN_BASE_OPERATIONS(LISTED)
#undef LISTED
};

/* Roles and names of "in x M,N, in v V, out y M,N"; NAMES holds the names. */
static void read_operands(struct call *call, const char *text,
                          char names[MOST_OPERANDS][16])
{
    while (*text && call->n < MOST_OPERANDS) {
        struct operand *operand = &call->operands[call->n];
        const char *name = strchr(text, ' ') + 1;
        size_t length = strcspn(name, " ");

        operand->role = *text == 'i' ? NN_ROLE_IN : NN_ROLE_OUT;
        memcpy(names[call->n], name, length);
        names[call->n][length] = '\0';
        operand->name = names[call->n++];
        text = strstr(name, ", ");
        text = text ? text + 2 : "";
    }
}

/* Judged by the table of operations; harmful if it is not sound. */
static void judge(struct call *call, uint32_t operation,
                  const nn_array *const *operands,
                  const nn_attributes *attributes)
{
    const char *what = "argument";
    char text[512] = "";
    int32_t code = call->handler->reference->judge(operation, NULL, operands,
                                                   attributes, &what, text,
                                                   sizeof text);
    const char *message = strstr(text, ": ");

    if (!code)
        return;
    call->harmful = 1;
    ++call->found;
    debug_finding(call->handler, call, call->name, code, what, "%s",
                  message ? message + 2 : text);
}

void debug_operation_run(void *self, uint32_t operation,
                         const nn_array *const *operands,
                         const nn_attributes *attributes)
{
    nn_handler *handler = self;
    const nn_array *inner[MOST_OPERANDS] = {NULL};
    char names[MOST_OPERANDS][16];
    struct call call;
    uint32_t i;

    if (handler->code)
        return;
    memset(&call, 0, sizeof call);
    call.handler = handler;
    call.operation = operation;
    call.name = operation < NN_OP_COUNT ? list[operation].name : "unknown";
    if (operation < NN_OP_COUNT)
        read_operands(&call, list[operation].operands, names);
    for (i = 0; i < call.n; ++i)
        call.operands[i].array = operands[i];
    judge(&call, operation, operands, attributes);
    if (call.harmful || !nn_wanted(operands[call.n - 1]))
        return;
    debug_examine_before(&call);
    debug_examine_indices(&call);
    if (!call.harmful && !handler->code) {
        for (i = 0; i < call.n; ++i)
            inner[i] = operands[i] ? &call.operands[i].inner : NULL;
        nn_run(handler->operations, operation, inner, attributes);
        debug_examine_error(&call);
    } else {
        debug_examine_skipped(&call);
    }
    debug_examine_after(&call);
}
