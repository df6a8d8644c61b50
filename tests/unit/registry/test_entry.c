/* SPDX-License-Identifier: MIT */
/* test_entry.c - reading plugins' data: of other sizes, and wrong in one way
 * each. */
#define _GNU_SOURCE
#include "scratch.h"

#include <math.h>

#include <nn/training.h>

#include "core/registry/description.h"
#include "core/registry/interface.h"

static int32_t value(const nn_host *host, const nn_params *params,
                     const nn_progress *progress, double *result)
{
    (void)host;
    (void)params;
    (void)progress;
    *result = 0;
    return NN_OK;
}

static const nn_schedule_interface interface = {
    .size = NN_SIZEOF(nn_schedule_interface, value),
    .value = value,
};

/* A sound plugin that a test spoils; fresh for every test. */
static struct {
    nn_plugin plugin;
    nn_component component;
    nn_param param;
    nn_param element;
    nn_port port;
    const nn_component *components[3];
    const nn_param *params[3];
    const nn_param *fields[2];
    const nn_port *ports[3];
} it;

static int sound(void **state)
{
    const nn_plugin head = {NN_PLUGIN_HEAD, .id = "org.example.it"};

    (void)state;
    memset(&it, 0, sizeof it);
    it.plugin = head;
    it.plugin.name = "it";
    it.plugin.version = "1";
    it.plugin.summary = "It";
    it.plugin.n_components = 1;
    it.plugin.components = it.components;
    it.components[0] = &it.component;
    it.component.size = NN_SIZEOF(nn_component, outputs);
    it.component.kind = NN_KIND_SCHEDULE;
    it.component.name = "one";
    it.component.summary = "One";
    it.component.interface = &interface;
    it.component.n_params = 1;
    it.component.params = it.params;
    it.params[0] = &it.param;
    it.param.size = NN_SIZEOF(nn_param, fields);
    it.param.type = NN_PARAM_INT;
    it.param.name = "first";
    it.element = it.param;
    it.element.name = NULL;
    it.component.n_inputs = 1;
    it.component.inputs = it.ports;
    it.ports[0] = &it.port;
    it.port.size = NN_SIZEOF(nn_port, doc);
    it.port.name = "default";
    return 0;
}

/* Reads it; a refusal must have CODE and a reason that contains TEXT. */
static void read_it(int32_t code, const char *text)
{
    nn_text reason = {0};
    nn_arena *arena;
    nn_plugin_data *entry;

    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_entry_read(&it.plugin, 0, arena, &entry, &reason),
                     code);
    if (code && !strstr(nn_text_string(&reason), text))
        fail_msg("'%s' lacks '%s'", nn_text_string(&reason), text);
    if (!code) {
        assert_string_equal(nn_text_string(&reason), "");
        assert_non_null(entry);
    }
    nn_text_finish(&reason);
    nn_arena_destroy(arena);
}

static void a_sound_plugin_is_accepted(void **state)
{
    (void)state;
    read_it(NN_OK, NULL);
}

static void the_head_is_judged_first(void **state)
{
    (void)state;
    it.plugin.abi_minor = UINT32_MAX;
    read_it(NN_OK, NULL);
    it.plugin.min_host_minor = NN_ABI_MINOR + 1;
    it.plugin.components = (void *)8;
    read_it(NN_UNSUPPORTED, "needs plugin interface 1.1, this host has 1.0 (it "
                            "was built with 1.4294967295)");
    it.plugin.min_host_minor = UINT32_MAX;
    read_it(NN_UNSUPPORTED, "1.4294967295, this host has 1.0");
    it.plugin.magic[7] = 'X';
    read_it(NN_FORMAT, "NNPLUGIN");
}

static void a_shorter_entry_lacks_its_last_members(void **state)
{
    nn_text reason = {0};
    nn_arena *arena;
    nn_plugin_data *entry;

    (void)state;
    it.plugin.init = (int32_t(*)(const nn_host *))(uintptr_t)8;
    it.plugin.deinit = (void (*)(void))(uintptr_t)8;
    /* It reaches into init, but does not contain it. */
    it.plugin.size = (uint32_t)offsetof(nn_plugin, init) + 4;
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_entry_read(&it.plugin, 0, arena, &entry, &reason), 0);
    assert_null(entry->plugin.init);
    assert_null(entry->plugin.deinit);
    assert_int_equal(entry->has_init, 0);
    nn_arena_destroy(arena);
    it.plugin.size = (uint32_t)offsetof(nn_plugin, components) + 7;
    read_it(NN_FORMAT, "must have at least");
    it.plugin.size = 0;
    read_it(NN_FORMAT, "must have at least");
    it.plugin.size = UINT32_MAX;
    it.plugin.init = NULL;
    read_it(NN_OK, NULL);
}

static void shorter_parts_read_as_zero(void **state)
{
    nn_text reason = {0};
    nn_arena *arena;
    nn_plugin_data *entry;
    const nn_component *component;

    (void)state;
    it.component.size = (uint32_t)offsetof(nn_component, n_inputs);
    it.component.inputs = (void *)8;
    it.param.size = (uint32_t)offsetof(nn_param, doc);
    it.param.doc = (char *)8;
    it.param.default_text = (char *)8;
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_entry_read(&it.plugin, 0, arena, &entry, &reason), 0);
    component = entry->plugin.components[0];
    assert_int_equal(component->n_inputs, 0);
    assert_int_equal(component->size, NN_SIZEOF(nn_component, cases));
    assert_null(component->params[0]->doc);
    assert_null(component->params[0]->default_text);
    assert_int_equal(component->params[0]->size, NN_SIZEOF(nn_param, fields));
    nn_arena_destroy(arena);
    it.component.size = (uint32_t)offsetof(nn_component, interface);
    read_it(NN_FORMAT, "its interface is NULL");
}

static void texts_of_the_plugin_are_judged(void **state)
{
    char long_text[20000];

    (void)state;
    memset(long_text, 'a', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    it.plugin.id = NULL;
    read_it(NN_FORMAT, "its id is NULL");
    it.plugin.id = "nodot";
    read_it(NN_FORMAT, "like org.example.name");
    it.plugin.id = "a.b:c";
    read_it(NN_FORMAT, "like org.example.name");
    sound(NULL);
    it.plugin.name = NULL;
    read_it(NN_FORMAT, "its name is NULL");
    it.plugin.name = long_text;
    read_it(NN_FORMAT, "its name is longer");
    sound(NULL);
    it.plugin.version = "";
    read_it(NN_FORMAT, "its version is empty");
    sound(NULL);
    it.plugin.summary = "\xff";
    read_it(NN_FORMAT, "its summary is not UTF-8");
    it.plugin.summary = "red \033[31m";
    read_it(NN_FORMAT, "its summary has a control character");
    it.plugin.summary = "two\nlines";
    read_it(NN_FORMAT, "its summary has a control character");
    sound(NULL);
    it.plugin.author = "\xc2\x9b";
    read_it(NN_FORMAT, "its author has a control character");
}

static void names_are_judged(void **state)
{
    const char *const bad[] = {"",   "A",  "1a",       "a-b", "a b",
                               "_a", "aB", "\xc3\xb1", "a:b"};
    char longest[NN_ENTRY_NAME + 2];
    size_t i;

    (void)state;
    it.component.name = NULL;
    read_it(NN_FORMAT, "the name of a component is NULL");
    for (i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        it.component.name = bad[i];
        read_it(NN_FORMAT, "the name of a component must be");
    }
    memset(longest, 'a', sizeof longest);
    longest[NN_ENTRY_NAME + 1] = '\0';
    it.component.name = longest;
    read_it(NN_FORMAT, "the name of a component must be");
    longest[NN_ENTRY_NAME] = '\0';
    read_it(NN_OK, NULL);
    sound(NULL);
    it.param.name = NULL;
    read_it(NN_FORMAT, "component 'one': the name of a parameter is NULL");
    sound(NULL);
    it.port.name = "B";
    read_it(NN_FORMAT, "component 'one': the name of a port must be");
}

static void doubles_are_refused(void **state)
{
    nn_component second = it.component;

    (void)state;
    it.plugin.n_components = 2;
    second = it.component;
    it.components[1] = &second;
    read_it(NN_FORMAT, "two components of one kind are named 'one'");
    second.kind = NN_KIND_SCORER;
    read_it(NN_OK, NULL);
    sound(NULL);
    it.component.n_params = 2;
    it.params[1] = &it.param;
    read_it(NN_FORMAT, "two parameters are named 'first'");
    sound(NULL);
    it.component.n_inputs = 2;
    it.ports[1] = &it.port;
    read_it(NN_FORMAT, "two ports are named 'default'");
}

static void lists_are_judged(void **state)
{
    (void)state;
    it.plugin.n_components = 0;
    read_it(NN_FORMAT, "no components");
    it.plugin.n_components = UINT32_MAX;
    read_it(NN_FORMAT, "more than 4096 components");
    sound(NULL);
    it.components[0] = NULL;
    read_it(NN_FORMAT, "a component is NULL");
    sound(NULL);
    it.component.n_params = 100000;
    read_it(NN_FORMAT, "its list of parameters is too long");
    it.component.params = NULL;
    read_it(NN_FORMAT, "its list of parameters is NULL");
    sound(NULL);
    it.params[0] = NULL;
    read_it(NN_FORMAT, "a parameter is NULL");
    sound(NULL);
    it.component.inputs = NULL;
    read_it(NN_FORMAT, "its list of ports is NULL");
    sound(NULL);
    it.component.n_inputs = 2;
    it.ports[1] = NULL;
    read_it(NN_FORMAT, "a port is NULL");
    it.port.flags = NN_PORT_VARIADIC;
    read_it(NN_FORMAT, "variadic, but not the last");
}

static void types_ask_for_their_parts(void **state)
{
    const char *const no_choices[] = {NULL};
    const char *const bad_choices[] = {"a", "\xff", NULL};

    (void)state;
    it.param.type = 0;
    read_it(NN_FORMAT, "parameter 'first': its type is 0");
    it.param.type = NN_PARAM_CHOICE;
    read_it(NN_FORMAT, "parameter 'first': a choice without choices");
    it.param.choices = no_choices;
    read_it(NN_FORMAT, "a choice without choices");
    it.param.choices = bad_choices;
    read_it(NN_FORMAT, "not UTF-8");
    it.param.type = NN_PARAM_LIST;
    read_it(NN_FORMAT, "its element is NULL");
    it.param.element = &it.element;
    read_it(NN_OK, NULL);
    it.element.type = 0;
    read_it(NN_FORMAT, "parameter 'first.element': its type is 0");
    it.param.type = NN_PARAM_RECORD;
    read_it(NN_FORMAT, "a record without fields");
    it.param.fields = it.fields;
    it.fields[0] = &it.element;
    read_it(NN_FORMAT, "the name of a parameter is NULL");
    it.param.type = NN_PARAM_COMPONENT;
    read_it(NN_FORMAT, "a component without a kind");
    sound(NULL);
    it.param.flags = NN_PARAM_RANGED;
    it.param.minimum = NAN;
    read_it(NN_FORMAT, "its minimum is above its maximum");
}

static void a_circle_of_elements_ends(void **state)
{
    (void)state;
    it.param.type = NN_PARAM_LIST;
    it.param.element = &it.element;
    it.element.type = NN_PARAM_LIST;
    it.element.element = &it.element;
    read_it(NN_FORMAT, "nested more than 8 deep");
}

static void what_came_later_switches_off_one_component(void **state)
{
    nn_text reason = {0};
    nn_component second = it.component;
    nn_arena *arena;
    nn_plugin_data *entry;

    (void)state;
    second.name = "two";
    second.kind = 99;
    it.plugin.n_components = 2;
    it.components[1] = &second;
    it.param.type = 99;
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_entry_read(&it.plugin, 0, arena, &entry, &reason), 0);
    assert_string_equal(entry->reasons[0],
                        "parameter 'first': its type is 99, which this host "
                        "does not know");
    assert_int_equal(entry->plugin.components[0]->n_params, 0);
    assert_string_equal(entry->reasons[1],
                        "it is of kind 99, which this host does not know");
    nn_arena_destroy(arena);
}

static void mandatory_functions_must_be_there(void **state)
{
    nn_schedule_interface own = interface;

    (void)state;
    it.component.interface = &own;
    own.value = NULL;
    read_it(NN_FORMAT, "component 'one': its interface lacks `value`");
    own = interface;
    own.size = 8;
    read_it(NN_FORMAT, "its interface lacks `value`");
    it.component.interface = NULL;
    read_it(NN_FORMAT, "component 'one': its interface is NULL");
}

static void every_kind_has_a_name(void **state)
{
    uint32_t kind;

    (void)state;
    for (kind = NN_KIND_LAYER; kind <= NN_KIND_COMMUNICATOR; ++kind)
        assert_non_null(nn_kind_name(kind));
    assert_null(nn_kind_name(0));
    assert_null(nn_kind_name(NN_KIND_COMMUNICATOR + 1));
}

/* ---- descriptions ------------------------------------------------------- */

static void a_description_survives_packing(void **state)
{
    nn_text first = {0};
    nn_text second = {0};
    nn_text reason = {0};
    nn_arena *arena;
    nn_plugin_data *entry;
    nn_plugin_data *again;

    (void)state;
    it.param.type = NN_PARAM_MAP;
    it.param.element = &it.element;
    it.param.doc = "Doc.";
    it.param.minimum = -INFINITY;
    it.plugin.init = (int32_t(*)(const nn_host *))(uintptr_t)8;
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_entry_read(&it.plugin, 0, arena, &entry, &reason), 0);
    nn_description_pack(entry, &first);
    assert_int_equal(nn_description_unpack(first.data, first.length, arena,
                                           &again, &reason),
                     0);
    nn_description_pack(again, &second);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    assert_int_equal(again->has_init, 1);
    assert_null(again->plugin.init);
    assert_null(again->plugin.components[0]->interface);
    assert_true(isinf(again->plugin.components[0]->params[0]->minimum));
    nn_text_finish(&first);
    nn_text_finish(&second);
    nn_arena_destroy(arena);
}

static void damaged_descriptions_are_refused(void **state)
{
    nn_text packed = {0};
    nn_text reason = {0};
    nn_arena *arena;
    nn_plugin_data *entry;
    char *bytes;
    size_t n;

    (void)state;
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(nn_entry_read(&it.plugin, 0, arena, &entry, &reason), 0);
    nn_description_pack(entry, &packed);
    for (n = 0; n < packed.length; ++n) {
        bytes = malloc(n);
        memcpy(bytes, packed.data, n);
        assert_int_equal(nn_description_unpack(bytes, n, arena, &entry,
                                               &reason),
                         NN_FORMAT);
        free(bytes);
    }
    /* Whatever a changed byte makes of it must be sound or refused. */
    for (n = 0; n < packed.length * 255; ++n) {
        packed.data[n / 255] ^= (char)(n % 255 + 1);
        nn_description_unpack(packed.data, packed.length, arena, &entry,
                              &reason);
        packed.data[n / 255] ^= (char)(n % 255 + 1);
    }
    nn_text_finish(&reason);
    nn_text_finish(&packed);
    nn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_sound_plugin_is_accepted, sound),
        cmocka_unit_test_setup(the_head_is_judged_first, sound),
        cmocka_unit_test_setup(a_shorter_entry_lacks_its_last_members, sound),
        cmocka_unit_test_setup(shorter_parts_read_as_zero, sound),
        cmocka_unit_test_setup(texts_of_the_plugin_are_judged, sound),
        cmocka_unit_test_setup(names_are_judged, sound),
        cmocka_unit_test_setup(doubles_are_refused, sound),
        cmocka_unit_test_setup(lists_are_judged, sound),
        cmocka_unit_test_setup(types_ask_for_their_parts, sound),
        cmocka_unit_test_setup(a_circle_of_elements_ends, sound),
        cmocka_unit_test_setup(what_came_later_switches_off_one_component,
                               sound),
        cmocka_unit_test_setup(mandatory_functions_must_be_there, sound),
        cmocka_unit_test(every_kind_has_a_name),
        cmocka_unit_test_setup(a_description_survives_packing, sound),
        cmocka_unit_test_setup(damaged_descriptions_are_refused, sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
