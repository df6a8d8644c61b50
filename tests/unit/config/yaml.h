/* SPDX-License-Identifier: MIT */
/* yaml.h - what the tests of the config share: texts to trees and back. */
#ifndef NN_TESTS_UNIT_CONFIG_YAML_H
#define NN_TESTS_UNIT_CONFIG_YAML_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/description.h"
#include "core/util/error.h"

/* The tree of TEXT, which must be good; messages call it "x.yaml". */
static inline nn_node *yaml(const char *text)
{
    nn_diagnostics diagnostics = {0};
    nn_text out = {0};
    nn_node *node = NULL;

    nn_node_read(text, strlen(text), "x.yaml", &diagnostics, &node);
    nn_diagnostics_render(&diagnostics, &out);
    assert_string_equal(nn_text_string(&out), "");
    nn_diagnostics_finish(&diagnostics);
    assert_non_null(node);
    return node;
}

/* All of DIAGNOSTICS as text, which the caller frees; empties the list and
 * clears the thread's error. */
static inline char *told(nn_diagnostics *diagnostics)
{
    nn_text out = {0};

    nn_diagnostics_render(diagnostics, &out);
    nn_diagnostics_finish(diagnostics);
    nn_error_clear();
    return nn_text_take(&out);
}

/* NODE as YAML text, which the caller frees; frees NODE. */
static inline char *written(nn_node *node)
{
    nn_text out = {0};

    assert_non_null(node);
    assert_int_equal(nn_node_write(node, &out), NN_OK);
    nn_node_destroy(node);
    return nn_text_take(&out);
}

/* Compares a string that it frees. */
static inline void equals(char *got, const char *expected)
{
    assert_string_equal(got, expected);
    free(got);
}

#endif
