/* SPDX-License-Identifier: MIT */
/* test_host.c - what plugins receive from the host. */
#define _GNU_SOURCE
#include "scratch.h"

#include "core/registry/host.h"
#include "core/util/error.h"

static void memory_is_zeroed_aligned_and_counted(void **state)
{
    const nn_host *host = nn_host_process();
    int64_t before = nn_host_blocks();
    unsigned char *memory = host->alloc(host, 1000);
    int i;

    (void)state;
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
    for (i = 0; i < 1000; ++i)
        assert_int_equal(memory[i], 0);
    assert_int_equal(nn_host_blocks(), before + 1);
    host->free(host, memory);
    host->free(host, NULL);
    assert_int_equal(nn_host_blocks(), before);
    memory = host->alloc(host, 0);
    assert_non_null(memory);
    host->free(host, memory);
}

static void too_much_memory_is_an_error(void **state)
{
    const nn_host *host = nn_host_process();

    (void)state;
    nn_error_clear();
    assert_null(host->alloc(host, SIZE_MAX));
    assert_int_equal(nn_error_code(), NN_NO_MEMORY);
    nn_error_clear();
}

static void the_chosen_allocation_fails_once(void **state)
{
    const nn_host *host = nn_host_process();
    void *blocks[3];
    int i;

    (void)state;
    nn_error_clear();
    nn_host_fail_after(2);
    for (i = 0; i < 3; ++i)
        blocks[i] = host->alloc(host, 8);
    assert_non_null(blocks[0]);
    assert_null(blocks[1]);
    assert_non_null(blocks[2]);
    assert_int_equal(nn_error_code(), NN_NO_MEMORY);
    nn_error_clear();
    for (i = 0; i < 3; ++i)
        host->free(host, blocks[i]);
}

static void remember(void *self, uint32_t level, const char *text)
{
    snprintf(self, 100, "%u %s", level, text);
}

static void messages_go_where_they_should(void **state)
{
    nn_host_instance instance;
    char own[100] = "";
    char process[100] = "";

    (void)state;
    nn_host_init(&instance, remember, own);
    nn_host_process_log(remember, process);
    instance.host.log(&instance.host, NN_LOG_INFO, "one");
    nn_host_process()->log(nn_host_process(), NN_LOG_ERROR, "two");
    assert_string_equal(own, "2 one");
    assert_string_equal(process, "0 two");
    nn_host_process_log(NULL, NULL);
    nn_host_process()->log(nn_host_process(), NN_LOG_ERROR, "three");
    assert_string_equal(process, "0 two");
    nn_error_clear();
    assert_int_equal(nn_fail(&instance.host, NN_IO, "test.id", "%d apples", 3),
                     NN_IO);
    assert_string_equal(nn_error_text(), "3 apples");
    assert_string_equal(nn_error_id(), "test.id");
    nn_error_clear();
}

static void foreign_memory_is_not_freed(void **state)
{
    nn_host_instance instance;
    uint64_t foreign[16] = {0};
    char message[100] = "";
    int64_t before = nn_host_blocks();

    (void)state;
    nn_host_init(&instance, remember, message);
    instance.host.free(&instance.host, &foreign[8]);
    assert_non_null(strstr(message, "does not own"));
    assert_int_equal(nn_host_blocks(), before);
}

static void extensions_are_found_by_id(void **state)
{
    const nn_host *host = nn_host_process();
    static const int first = 1;
    static const int second = 2;

    (void)state;
    assert_null(host->get_extension(host, "test.first/1"));
    assert_null(host->get_extension(host, NULL));
    assert_int_equal(nn_host_provide("test.first/1", &first), 0);
    assert_int_equal(nn_host_provide("test.first/1", &first), 0);
    assert_int_equal(nn_host_provide("test.second/1", &second), 0);
    assert_ptr_equal(host->get_extension(host, "test.first/1"), &first);
    assert_ptr_equal(host->get_extension(host, "test.second/1"), &second);
    nn_error_clear();
    assert_int_equal(nn_host_provide("test.first/1", &second), NN_STATE);
    nn_error_clear();
}

static void the_thread_budget_is_one_for_all(void **state)
{
    const nn_host *host = nn_host_process();
    uint32_t all;

    (void)state;
    unsetenv("NN_THREADS");
    nn_threads_set(0);
    all = nn_threads_get();
    assert_true(all >= 1);
    nn_threads_set(3);
    assert_int_equal(host->threads(host), 3);
    setenv("NN_THREADS", "1", 1);
    nn_threads_set(0);
    assert_int_equal(host->threads(host), 1);
    setenv("NN_THREADS", "many", 1);
    nn_threads_set(0);
    assert_int_equal(host->threads(host), all);
    setenv("NN_THREADS", "0", 1);
    nn_threads_set(0);
    assert_int_equal(host->threads(host), all);
    unsetenv("NN_THREADS");
    nn_threads_set(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_counted),
        cmocka_unit_test(too_much_memory_is_an_error),
        cmocka_unit_test(the_chosen_allocation_fails_once),
        cmocka_unit_test(messages_go_where_they_should),
        cmocka_unit_test(foreign_memory_is_not_freed),
        cmocka_unit_test(extensions_are_found_by_id),
        cmocka_unit_test(the_thread_budget_is_one_for_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
