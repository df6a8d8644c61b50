/* SPDX-License-Identifier: MIT */
/* fake_host.h - a host for tests of single plugins: memory, the message that
 * was set, and the values of a component's parameters.  One a test program. */
#ifndef NN_TESTS_PLUGINS_FAKE_HOST_H
#define NN_TESTS_PLUGINS_FAKE_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nn/host.h>
#include <nn/plugin.h>

#define FAKE_PARAMS 16u

/* What the plugin under test left behind. */
static int32_t fake_code; /* of the first error */
static char fake_text[1024];
static int fake_warnings;
static int fake_blocks; /* allocated and not freed */

static void *fake_alloc(const nn_host *host, size_t bytes)
{
    (void)host;
    ++fake_blocks;
    return calloc(1, bytes);
}

static void fake_free(const nn_host *host, void *memory)
{
    (void)host;
    fake_blocks -= memory != NULL;
    free(memory);
}

static int32_t fake_set_error(const nn_host *host, int32_t code, const char *id,
                              const char *text)
{
    (void)host;
    assert_non_null(id);
    if (fake_code == 0) {
        fake_code = code;
        snprintf(fake_text, sizeof fake_text, "%s", text);
    }
    return code;
}

static void fake_log(const nn_host *host, uint32_t level, const char *text)
{
    (void)host;
    (void)text;
    fake_warnings += level == NN_LOG_WARNING;
}

static const void *fake_get_extension(const nn_host *host, const char *id)
{
    (void)host;
    (void)id;
    return NULL;
}

static uint32_t fake_threads(const nn_host *host)
{
    (void)host;
    return 1;
}

static const nn_host fake_host = {
    .size = NN_SIZEOF(nn_host, threads),
    .abi_minor = NN_ABI_MINOR,
    .alloc = fake_alloc,
    .free = fake_free,
    .set_error = fake_set_error,
    .log = fake_log,
    .get_extension = fake_get_extension,
    .threads = fake_threads,
};

/* Forgets the message. */
static inline void fake_clear(void)
{
    fake_code = 0;
    fake_text[0] = '\0';
    fake_warnings = 0;
}

/* The values of one component. */
typedef struct fake_params {
    const nn_component *component;
    nn_value values[FAKE_PARAMS];
    const nn_value *pointers[FAKE_PARAMS];
    nn_params params;
} fake_params;

static inline void fake_default(nn_value *value, const nn_param *param)
{
    const char *text = param->default_text;
    int64_t i;

    value->size = NN_SIZEOF(nn_value, child);
    if (!text)
        return;
    value->type = param->type;
    value->text = text;
    value->real = strtod(text, NULL);
    value->integer = strtoll(text, NULL, 10);
    if (param->type == NN_PARAM_BOOL)
        value->integer = strcmp(text, "true") == 0;
    if (param->type == NN_PARAM_CHOICE)
        for (i = 0; param->choices[i]; ++i)
            if (strcmp(param->choices[i], text) == 0)
                value->integer = i;
}

/* All parameters of COMPONENT at their defaults. */
static inline void fake_params_init(fake_params *given,
                                    const nn_component *component)
{
    uint32_t i;

    memset(given, 0, sizeof *given);
    assert_true(component->n_params <= FAKE_PARAMS);
    given->component = component;
    for (i = 0; i < component->n_params; ++i) {
        fake_default(&given->values[i], component->params[i]);
        given->pointers[i] = &given->values[i];
    }
    given->params.size = NN_SIZEOF(nn_params, values);
    given->params.count = component->n_params;
    given->params.values = given->pointers;
}

/* The value of parameter NAME, marked as given. */
static inline nn_value *fake_given(fake_params *given, const char *name)
{
    uint32_t i;

    for (i = 0; i < given->component->n_params; ++i)
        if (strcmp(given->component->params[i]->name, name) == 0) {
            given->values[i].given = 1;
            given->values[i].type = given->component->params[i]->type;
            return &given->values[i];
        }
    fail_msg("%s has no parameter %s", given->component->name, name);
    return NULL;
}

static inline void fake_set_real(fake_params *given, const char *name,
                                 double number)
{
    fake_given(given, name)->real = number;
}

static inline void fake_set_int(fake_params *given, const char *name,
                                int64_t number)
{
    nn_value *value = fake_given(given, name);

    value->integer = number;
    value->real = (double)number;
}

static inline void fake_set_text(fake_params *given, const char *name,
                                 const char *text)
{
    fake_given(given, name)->text = text;
}

/* Component NAME of PLUGIN, of which the parts that every host reads are
 * checked. */
static inline const nn_component *fake_component(const nn_plugin *plugin,
                                                 uint32_t kind,
                                                 const char *name)
{
    uint32_t i;

    assert_memory_equal(plugin->magic, NN_PLUGIN_MAGIC, 8);
    assert_memory_equal(plugin->id, "org.", 4);
    for (i = 0; i < plugin->n_components; ++i) {
        const nn_component *component = plugin->components[i];

        assert_int_equal(component->kind, kind);
        assert_non_null(component->doc);
        assert_true(component->summary[strlen(component->summary) - 1] != '.');
        if (strcmp(component->name, name) == 0)
            return component;
    }
    fail_msg("%s has no component %s", plugin->id, name);
    return NULL;
}

#endif
