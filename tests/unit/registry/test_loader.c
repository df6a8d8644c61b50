/* SPDX-License-Identifier: MIT */
/* test_loader.c - opening shared objects, and the true reason if it fails. */
#define _GNU_SOURCE
#include "scratch.h"

#include <dlfcn.h>

#include <ltdl.h>

#include <nn/training.h>

#include "core/registry/entry.h"
#include "core/registry/loader.h"

/* PATH must not open, for a reason that contains TEXT. */
static void refuse(const char *path, const char *text)
{
    assert_null(nn_loader_open(path));
    if (!strstr(nn_loader_error(), text))
        fail_msg("'%s' lacks '%s'", nn_loader_error(), text);
}

/* The value of the first component, a schedule, of the plugin at PATH. */
static double value_of(const char *path)
{
    const nn_progress progress = {.size = sizeof progress};
    nn_module *module = nn_loader_open(path);
    const nn_schedule_interface *schedule;
    const nn_plugin *plugin;
    double value = 0;

    if (!module)
        fail_msg("%s", nn_loader_error());
    plugin = nn_loader_symbol(module, NN_ENTRY_SYMBOL);
    assert_non_null(plugin);
    schedule = plugin->components[0]->interface;
    schedule->value(NULL, NULL, &progress, &value);
    nn_loader_close(module);
    return value;
}

static void an_undefined_symbol_is_named(void **state)
{
    (void)state;
    refuse(fixture("undefined"), "nn_test_function_that_is_nowhere");
}

/* Makes a copy of good.so that needs libnowhere instead of the C library. */
static void a_missing_library_is_named(void **state)
{
    size_t length;
    char *bytes = read_all(fixture("good"), &length);
    char *name = memmem(bytes, length, "libc.so.6", 10);

    (void)state;
    assert_non_null(name);
    memcpy(name, "libz.so.X", 9);
    write_all(in_scratch("missing.so"), bytes, length);
    free(bytes);
    refuse(in_scratch("missing.so"), "libz.so.X: cannot open shared object");
}

static void only_absolute_paths_of_shared_objects_are_opened(void **state)
{
    const char *path = put("good", "mylayer.so");
    char here[4096];

    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch), 0);
    refuse("mylayer.so", "not an absolute path");
    refuse("./mylayer.so", "not an absolute path");
    refuse("", "not an absolute path");
    refuse("/", "not an absolute path");
    refuse("/.so", "not an absolute path");
    assert_int_equal(chdir(here), 0);
    write_all(in_scratch("x.la"), "dlname='mylayer.so'\n", 20);
    refuse(in_scratch("x.la"), "not an absolute path");
    refuse(in_scratch("none.so"), "No such file");
    assert_true(value_of(path) == 7);
}

static void symbols_of_two_plugins_do_not_mix(void **state)
{
    (void)state;
    assert_true(value_of(fixture("counter_b")) == 2);
    assert_true(value_of(fixture("counter_a")) == 1);
    assert_true(value_of(fixture("counter_b")) == 2);
    assert_null(dlsym(RTLD_DEFAULT, "counter"));
}

static void what_is_closed_stays_in_memory(void **state)
{
    nn_module *module = nn_loader_open(fixture("twin"));
    const nn_plugin *plugin;

    (void)state;
    assert_non_null(module);
    plugin = nn_loader_symbol(module, NN_ENTRY_SYMBOL);
    nn_loader_close(module);
    assert_string_equal(plugin->name, "twin");
    assert_non_null(dlopen(fixture("twin"), RTLD_NOW | RTLD_NOLOAD));
}

static void a_symbol_of_another_object_is_not_the_plugins(void **state)
{
    nn_module *module = nn_loader_open(fixture("good"));

    (void)state;
    assert_non_null(module);
    assert_null(nn_loader_symbol(module, "labs"));
    assert_string_equal(nn_loader_error(), "no symbol labs");
    nn_loader_close(module);
}

static void libltdl_serves_the_program_as_before(void **state)
{
    const char *path = put("counter_a", "other.so");
    lt_dlhandle handle;

    (void)state;
    refuse(fixture("undefined"), "nn_test_function_that_is_nowhere");
    handle = lt_dlopen(path);
    assert_non_null(handle);
    assert_non_null(lt_dlsym(handle, NN_ENTRY_SYMBOL));
    assert_int_equal(lt_dlclose(handle), 0);
    assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}

static void a_folder_is_listed_in_order_of_bytes(void **state)
{
    nn_module_names names;
    nn_arena *arena;

    (void)state;
    assert_int_equal(nn_arena_create(&arena), 0);
    assert_int_equal(mkdir(in_scratch("list"), 0755), 0);
    write_all(in_scratch("list/b.so"), "", 0);
    write_all(in_scratch("list/a.so"), "", 0);
    write_all(in_scratch("list/B.so"), "", 0);
    write_all(in_scratch("list/\xc3\xb1.so"), "", 0);
    write_all(in_scratch("list/good.so.bak"), "", 0);
    write_all(in_scratch("list/.hidden.so"), "", 0);
    write_all(in_scratch("list/.so"), "", 0);
    write_all(in_scratch("list/so"), "", 0);
    assert_int_equal(mkdir(in_scratch("list/sub"), 0755), 0);
    write_all(in_scratch("list/sub/c.so"), "", 0);
    assert_int_equal(nn_loader_list(in_scratch("list"), arena, &names), 0);
    assert_int_equal(names.count, 4);
    assert_string_equal(names.names[0], "B.so");
    assert_string_equal(names.names[1], "a.so");
    assert_string_equal(names.names[2], "b.so");
    assert_string_equal(names.names[3], "\xc3\xb1.so");
    assert_int_equal(nn_loader_list(in_scratch("absent"), arena, &names),
                     NN_IO);
    assert_string_equal(nn_loader_error(), "No such file or directory");
    nn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_undefined_symbol_is_named),
        cmocka_unit_test(a_missing_library_is_named),
        cmocka_unit_test(only_absolute_paths_of_shared_objects_are_opened),
        cmocka_unit_test(symbols_of_two_plugins_do_not_mix),
        cmocka_unit_test(what_is_closed_stays_in_memory),
        cmocka_unit_test(a_symbol_of_another_object_is_not_the_plugins),
        cmocka_unit_test(libltdl_serves_the_program_as_before),
        cmocka_unit_test(a_folder_is_listed_in_order_of_bytes),
    };

    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
