/* SPDX-License-Identifier: MIT */
/* signature.c - parses signatures; see signature.h.
 *
 * The text of a base operation, "in x M,N, in v V, out y M,N", is a list of
 * role, name, shape; a comma without a blank belongs to the shape.  The text
 * "in place" in its description permits every input, "in place in m" only m.
 */
#include "core/reference/signature.h"

#include <string.h>

typedef struct listed {
    const char *name;
    const char *operands;
    const char *types;
    const char *doc;
} listed;

static const listed list[NN_OP_COUNT] = {
#define LISTED(NAME, name, operands, types, doc) {#name, operands, types, doc},
    NN_BASE_OPERATIONS(LISTED)
#undef LISTED
};

const char *nn_operation_name(uint32_t operation)
{
    return operation < NN_OP_COUNT ? list[operation].name : NULL;
}

/* Copies the word at TEXT, up to a blank, a comma before a blank, or the end,
 * and returns what follows it. */
static const char *take_word(const char *text, char *word, size_t size)
{
    size_t n = 0;

    while (*text == ' ' || *text == ',')
        ++text;
    while (*text && *text != ' ' && !(text[0] == ',' && text[1] == ' ')) {
        if (n + 1 < size)
            word[n++] = *text;
        ++text;
    }
    word[n] = '\0';
    return text;
}

static uint32_t mask_of(char type)
{
    if (type == 'i')
        return NN_MASK(NN_INT32);
    if (type == 'r')
        return NN_MASK_REAL;
    return NN_MASK_REAL | NN_MASK(NN_INT32) | NN_MASK(NN_UINT8);
}

static uint32_t in_place_of(const nn_signature *signature, const char *doc)
{
    const char *found = strstr(doc, "in place");
    char name[16] = "";
    uint32_t mask = 0;
    uint32_t i;

    if (!found)
        return 0;
    found += strlen("in place");
    if (strncmp(found, " in ", 4) == 0)
        take_word(found + 4, name, sizeof name);
    for (i = 0; i < signature->n_operands; ++i)
        if (!name[0] || strcmp(name, signature->operands[i].name) == 0)
            mask |= 1u << i;
    return mask;
}

void nn_signature_parse(uint32_t operation, nn_signature *signature)
{
    const listed *from = &list[operation];
    const char *text = from->operands;
    char role[8];

    memset(signature, 0, sizeof *signature);
    signature->name = from->name;
    while (*text) {
        nn_signature_operand *operand =
            &signature->operands[signature->n_operands];

        text = take_word(text, role, sizeof role);
        text = take_word(text, operand->name, sizeof operand->name);
        text = take_word(text, operand->shape, sizeof operand->shape);
        operand->role = strcmp(role, "in") == 0 ? NN_ROLE_IN : NN_ROLE_OUT;
        operand->dtypes = mask_of(from->types[signature->n_operands++]);
    }
    if (operation == NN_OP_ACTIVATION_BACKWARD_T)
        signature->operands[0].role |= NN_ROLE_OPTIONAL;
    signature->in_place = in_place_of(signature, from->doc);
}

int nn_signature_from_row(const nn_row *row, nn_signature *signature)
{
    uint32_t i;

    memset(signature, 0, sizeof *signature);
    if (row->n_operands > NN_SIGNATURE_OPERANDS)
        return 0;
    signature->name = row->name;
    signature->n_operands = row->n_operands;
    for (i = 0; i < row->n_operands; ++i) {
        const nn_operand *from = row->operands[i];
        nn_signature_operand *operand = &signature->operands[i];

        if (strlen(from->name) >= sizeof operand->name ||
            strlen(from->shape) >= sizeof operand->shape)
            return 0;
        memcpy(operand->name, from->name, strlen(from->name));
        memcpy(operand->shape, from->shape, strlen(from->shape));
        operand->role = from->role;
        operand->dtypes = from->dtypes;
    }
    return 1;
}
