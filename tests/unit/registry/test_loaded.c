/* SPDX-License-Identifier: MIT */
/* test_loaded.c - plugins in use: opened once, initialized once, never gone. */
#define _GNU_SOURCE
#include "scratch.h"

#include <pthread.h>
#include <sys/wait.h>

#include <nn/training.h>

#include "core/registry/loaded.h"
#include "core/registry/registry.h"
#include "core/util/error.h"

static int64_t calls[2]; /* of good.so: init, deinit */

/* The registry of a folder that holds good, twin, declines and openmp. */
static nn_registry *create(void)
{
    nn_registry *registry = NULL;

    if (nn_registry_create(NULL, &registry))
        fail_msg("%s", nn_error_text());
    return registry;
}

static int prepare(void **state)
{
    if (make_scratch(state) || mkdir(in_scratch("build"), 0755))
        return -1;
    put("good", "build/good.so");
    put("twin", "build/z.so");
    put("declines", "build/declines.so");
    put("openmp", "build/openmp.so");
    put("counter_a", "build/counter_a.so");
    return nn_host_provide("test.calls", calls);
}

static int32_t load(const nn_registry *registry, const char *name,
                    double *value)
{
    const nn_progress progress = {.size = sizeof progress};
    const nn_registry_component *component = nn_registry_find(registry,
                                                              NN_KIND_SCHEDULE,
                                                              name);
    const nn_schedule_interface *schedule;
    const nn_component *live = NULL;
    int32_t code;

    if (!component)
        return NN_NOT_FOUND;
    code = nn_registry_load(registry, component, &live);
    if (code)
        return code;
    schedule = live->interface;
    return schedule->value(nn_registry_host(registry), NULL, &progress, value);
}

static void *load_in_thread(void *argument)
{
    nn_registry *registry = create();
    double value = 0;
    int i;

    (void)argument;
    for (i = 0; i < 20; ++i)
        if (load(registry, "seven", &value))
            value = -1;
    nn_registry_destroy(registry);
    return value == 7 ? NULL : (void *)1;
}

static void threads_share_one_init(void **state)
{
    pthread_t threads[4];
    void *result;
    int i;

    (void)state;
    assert_int_equal(calls[0], 0);
    for (i = 0; i < 4; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, load_in_thread,
                                        NULL),
                         0);
    for (i = 0; i < 4; ++i) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_null(result);
    }
    assert_int_equal(calls[0], 1);
    assert_int_equal(calls[1], 0);
}

static void a_failed_init_gives_its_reason_every_time(void **state)
{
    nn_registry *registry = create();
    double value;
    int i;

    (void)state;
    for (i = 0; i < 2; ++i) {
        nn_error_clear();
        assert_int_equal(load(registry, "declines", &value), NN_DEVICE);
        assert_non_null(strstr(nn_error_text(), "build/declines.so: "));
        assert_non_null(strstr(nn_error_text(), "is off: no such device"));
    }
    nn_error_clear();
    nn_registry_destroy(registry);
}

/* G10: OpenMP's threads stay in the plugin's code. */
static void a_plugin_outlives_its_registry(void **state)
{
    nn_registry *registry;
    double value = 0;

    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it does not know the locks of OpenMP's library */
#endif
    registry = create();
    assert_int_equal(load(registry, "openmp", &value), 0);
    assert_true(value == 499500);
    nn_registry_destroy(registry);
    usleep(100000);
    registry = create();
    assert_int_equal(load(registry, "openmp", &value), 0);
    nn_registry_destroy(registry);
}

static void a_file_that_changes_is_not_opened(void **state)
{
    nn_registry *registry = create();
    double value;

    (void)state;
    put("undefined", "build/counter_a.so");
    assert_int_equal(load(registry, "counter_a", &value), NN_STATE);
    assert_non_null(strstr(nn_error_text(), "changed after it was examined"));
    nn_error_clear();
    nn_registry_destroy(registry);
}

static void a_new_version_of_an_open_file_is_not_mixed_in(void **state)
{
    nn_registry *registry = create();
    double value = 0;

    (void)state;
    assert_int_equal(load(registry, "org.example.twin:seven", &value), 0);
    assert_true(value == 77);
    nn_registry_destroy(registry);
    put("counter_b", "new.so");
    rename(in_scratch("new.so"), in_scratch("build/z.so"));
    registry = create();
    assert_int_equal(load(registry, "counter_b", &value), NN_FORMAT);
    assert_non_null(strstr(nn_error_text(), "start the program again"));
    nn_error_clear();
    nn_registry_destroy(registry);
}

static void deinit_is_called_once_at_the_end(void **state)
{
    nn_registry *registry = create();
    double value;

    (void)state;
    assert_int_equal(load(registry, "seven", &value), 0);
    assert_int_equal(calls[0], 1);
    nn_loaded_finish();
    nn_loaded_finish();
    assert_int_equal(calls[1], 1);
    assert_int_equal(load(registry, "seven", &value), NN_STATE);
    nn_error_clear();
    nn_registry_destroy(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_one_init),
        cmocka_unit_test(a_failed_init_gives_its_reason_every_time),
        cmocka_unit_test(a_plugin_outlives_its_registry),
        cmocka_unit_test(a_file_that_changes_is_not_opened),
        cmocka_unit_test(a_new_version_of_an_open_file_is_not_mixed_in),
        cmocka_unit_test(deinit_is_called_once_at_the_end),
    };

    return cmocka_run_group_tests(tests, prepare, remove_scratch);
}
