/* SPDX-License-Identifier: MIT */
/* values.c - makes the values of parameters for alone.h. */
#include "tests/plugins/layers/alone.h"

#include <stdlib.h>

static nn_value value_of(uint32_t type)
{
    nn_value value = {0};

    value.size = NN_SIZEOF(nn_value, child);
    value.type = type;
    return value;
}

nn_value alone_int(int64_t number)
{
    nn_value value = value_of(NN_PARAM_INT);

    value.integer = number;
    value.real = (double)number;
    return value;
}

nn_value alone_real(double number)
{
    nn_value value = value_of(NN_PARAM_REAL);

    value.real = number;
    return value;
}

nn_value alone_none(void)
{
    return value_of(0);
}

nn_value alone_text(const char *text)
{
    nn_value value = value_of(NN_PARAM_STRING);

    value.text = text;
    return value;
}

nn_value alone_owned(nn_child *child)
{
    nn_value value = value_of(NN_PARAM_COMPONENT);

    value.child = child;
    return value;
}

static const nn_value *const *copy_values(uint32_t n, const nn_value *values)
{
    const nn_value **pointers = calloc(n + 1, sizeof *pointers);
    uint32_t i;

    for (i = 0; i < n; ++i) {
        nn_value *copy = malloc(sizeof *copy);

        *copy = values[i];
        pointers[i] = copy;
    }
    return pointers;
}

nn_value alone_list(uint32_t type, uint32_t n, const nn_value *items,
                    const char *const *keys)
{
    nn_value value = value_of(type);

    value.count = n;
    value.keys = keys;
    value.items = copy_values(n, items);
    return value;
}

nn_params *alone_params(uint32_t n, const nn_value *values)
{
    nn_params *params = calloc(1, sizeof *params);

    params->size = NN_SIZEOF(nn_params, values);
    params->count = n;
    params->values = copy_values(n, values);
    return params;
}

static void free_values(uint32_t n, const nn_value *const *values)
{
    uint32_t i;

    for (i = 0; i < n; ++i) {
        if (values[i]->items)
            free_values(values[i]->count, values[i]->items);
        free((void *)(uintptr_t)values[i]);
    }
    free((void *)(uintptr_t)values);
}

void alone_params_free(nn_params *params)
{
    if (!params)
        return;
    free_values(params->count, params->values);
    free(params);
}
