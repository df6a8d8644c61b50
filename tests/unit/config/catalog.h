/* SPDX-License-Identifier: MIT */
/* catalog.h - components that exist for tests and fuzzing only: one with a
 * parameter of every type, one that holds others, one described wrongly. */
#ifndef NN_TESTS_UNIT_CONFIG_CATALOG_H
#define NN_TESTS_UNIT_CONFIG_CATALOG_H

#include <math.h>
#include <string.h>

#include "core/config/schema.h"

#define TEST_PARAM(id, ...)                                                    \
    static const nn_param id = {.size = NN_SIZEOF(nn_param, fields),           \
                                .doc = "",                                     \
                                __VA_ARGS__}

static const char *const test_words[] = {"rel", "tanh", "linear", NULL};
static const char *const test_sides[] = {"left", "right", NULL};

TEST_PARAM(test_any_int, .type = NN_PARAM_INT, .name = "element");
TEST_PARAM(test_any_real, .type = NN_PARAM_REAL, .name = "element");
TEST_PARAM(test_any_layer, .type = NN_PARAM_COMPONENT, .name = "element",
           .kind = NN_KIND_LAYER);
TEST_PARAM(test_count, .type = NN_PARAM_INT, .name = "count",
           .default_text = "1", .flags = NN_PARAM_MAIN);
TEST_PARAM(test_side, .type = NN_PARAM_CHOICE, .name = "side",
           .choices = test_sides, .default_text = "left");
static const nn_param *const test_fields[] = {&test_count, &test_side, NULL};

TEST_PARAM(test_int, .type = NN_PARAM_INT, .name = "int", .default_text = "7");
TEST_PARAM(test_real, .type = NN_PARAM_REAL, .name = "real",
           .default_text = "1/255");
TEST_PARAM(test_bool, .type = NN_PARAM_BOOL, .name = "bool",
           .default_text = "false");
TEST_PARAM(test_string, .type = NN_PARAM_STRING, .name = "string",
           .default_text = "''");
TEST_PARAM(test_choice, .type = NN_PARAM_CHOICE, .name = "choice",
           .choices = test_words, .default_text = "rel");
TEST_PARAM(test_list, .type = NN_PARAM_LIST, .name = "list",
           .element = &test_any_int, .default_text = "[5, 6]");
TEST_PARAM(test_map, .type = NN_PARAM_MAP, .name = "map",
           .element = &test_any_real, .default_text = "{}");
TEST_PARAM(test_scalar, .type = NN_PARAM_SCALAR, .name = "scalar",
           .default_text = "a b");
TEST_PARAM(test_file, .type = NN_PARAM_FILE, .name = "file");
TEST_PARAM(test_nullable, .type = NN_PARAM_STRING, .name = "nullable",
           .flags = NN_PARAM_NULLABLE, .default_text = "none");
TEST_PARAM(test_record, .type = NN_PARAM_RECORD, .name = "record",
           .fields = test_fields, .default_text = "{}");
TEST_PARAM(test_size, .type = NN_PARAM_INT, .name = "size",
           .default_text = "1");
static const nn_param *const test_all[] = {&test_int,    &test_real,
                                           &test_bool,   &test_string,
                                           &test_choice, &test_list,
                                           &test_map,    &test_scalar,
                                           &test_file,   &test_nullable,
                                           &test_record, &test_size};

TEST_PARAM(test_units, .type = NN_PARAM_INT, .name = "size",
           .flags = NN_PARAM_REQUIRED);
static const nn_param *const test_linear[] = {&test_units};

TEST_PARAM(test_rate, .type = NN_PARAM_REAL, .name = "rate",
           .default_text = "0.5", .maximum = 1,
           .flags = NN_PARAM_RANGED | NN_PARAM_BELOW_MAXIMUM);
TEST_PARAM(test_steps, .type = NN_PARAM_INT, .name = "steps",
           .default_text = "1", .maximum = INFINITY,
           .flags = NN_PARAM_RANGED | NN_PARAM_ABOVE_MINIMUM);
static const nn_param *const test_drop[] = {&test_rate, &test_steps};

TEST_PARAM(test_parts, .type = NN_PARAM_LIST, .name = "parts",
           .element = &test_any_layer, .default_text = "[]");
TEST_PARAM(test_named, .type = NN_PARAM_MAP, .name = "named",
           .element = &test_any_layer, .default_text = "{}");
TEST_PARAM(test_net, .type = NN_PARAM_NETWORK, .name = "net");
static const nn_param *const test_parent[] = {&test_parts, &test_named,
                                              &test_net};

TEST_PARAM(test_seven, .type = NN_PARAM_INT, .name = "int",
           .default_text = "seven");
TEST_PARAM(test_open, .type = NN_PARAM_LIST, .name = "list",
           .element = &test_any_int, .default_text = "[1,");
TEST_PARAM(test_what, .type = 999, .name = "what", .default_text = "1");
TEST_PARAM(test_bare, .type = NN_PARAM_LIST, .name = "bare",
           .default_text = "[]");
static const nn_param *const test_broken[] = {&test_seven, &test_open,
                                              &test_what, &test_bare};

TEST_PARAM(test_inner, .type = NN_PARAM_COMPONENT, .name = "inner",
           .kind = NN_KIND_HANDLER, .flags = NN_PARAM_REQUIRED);
TEST_PARAM(test_deep, .type = NN_PARAM_BOOL, .name = "deep",
           .default_text = "false");
static const nn_param *const test_wrap[] = {&test_inner, &test_deep};

TEST_PARAM(test_tail, .type = NN_PARAM_COMPONENT, .name = "tail",
           .kind = NN_KIND_HOOK, .default_text = "ouroboros");
static const nn_param *const test_ouroboros[] = {&test_tail};

TEST_PARAM(test_tunable, .type = NN_PARAM_REAL, .name = "rate",
           .default_text = "0.1", .flags = NN_PARAM_TUNABLE);
static const nn_param *const test_sgd[] = {&test_tunable};

TEST_PARAM(test_factor, .type = NN_PARAM_REAL, .name = "rate",
           .default_text = "0.1", .flags = NN_PARAM_MAIN);
static const nn_param *const test_decay[] = {&test_factor};

TEST_PARAM(test_others, .type = NN_PARAM_MAP, .name = "others",
           .element = &test_any_real, .flags = NN_PARAM_REST,
           .default_text = "{}");
static const nn_param *const test_rest[] = {&test_size, &test_others};

#define TEST_COMPONENT(the_kind, the_name, list)                               \
    {                                                                          \
        .size = NN_SIZEOF(nn_component, outputs), .kind = the_kind,            \
        .name = the_name, .params = list,                                      \
        .n_params = sizeof list / sizeof list[0]                               \
    }

static const nn_component test_components[] = {
    TEST_COMPONENT(NN_KIND_LAYER, "all", test_all),
    TEST_COMPONENT(NN_KIND_LAYER, "linear", test_linear),
    TEST_COMPONENT(NN_KIND_LAYER, "drop", test_drop),
    TEST_COMPONENT(NN_KIND_LAYER, "parent", test_parent),
    TEST_COMPONENT(NN_KIND_LAYER, "broken", test_broken),
    TEST_COMPONENT(NN_KIND_HOOK, "ouroboros", test_ouroboros),
    TEST_COMPONENT(NN_KIND_ITERATOR, "rest", test_rest),
    TEST_COMPONENT(NN_KIND_STEPPER, "sgd", test_sgd),
    TEST_COMPONENT(NN_KIND_SCHEDULE, "decay", test_decay),
    {.size = NN_SIZEOF(nn_component, outputs),
     .kind = NN_KIND_HANDLER,
     .name = "plain"},
    TEST_COMPONENT(NN_KIND_HANDLER, "wrap", test_wrap),
};

#define TEST_COUNT (sizeof test_components / sizeof test_components[0])

static inline const nn_component *test_find(void *self, uint32_t kind,
                                            const char *name)
{
    size_t i;

    (void)self;
    for (i = 0; i < TEST_COUNT; ++i)
        if (test_components[i].kind == kind &&
            strcmp(test_components[i].name, name) == 0)
            return &test_components[i];
    return NULL;
}

static inline const char *test_name(void *self, uint32_t kind, int64_t index)
{
    size_t i;

    (void)self;
    for (i = 0; i < TEST_COUNT; ++i)
        if (test_components[i].kind == kind && index-- == 0)
            return test_components[i].name;
    return NULL;
}

static inline const char *test_why(void *self, uint32_t kind, const char *name)
{
    (void)self;
    return kind == NN_KIND_HANDLER && strcmp(name, "off") == 0
               ? "it has no driver"
               : NULL;
}

static const nn_catalog test_catalog = {.find = test_find,
                                        .name = test_name,
                                        .why = test_why,
                                        .folder = "configs"};

#endif
