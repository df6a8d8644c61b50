/* SPDX-License-Identifier: MIT */
/* test_reference_handler.c - the plugin `reference`, with a host made here.
 *
 * Its nn_handler and nn_memory are its own, so arrays are written and read
 * through `map` alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nn/handler.h>
#include <nn/reference.h>

#include "core/reference/complete.h"
#include "core/reference/reference.h"

#ifdef NN_STATIC_PLUGIN
#define ENTRY handler_reference_LTX_nn_plugin_v1
#else
#define ENTRY nn_plugin_v1
#endif
extern const nn_plugin ENTRY;

/* AddressSanitizer otherwise ends the program when memory is exhausted. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static int has_reference;
static int allocations_left;
static int blocks;
static char message[256];

static void *host_alloc(const nn_host *host, size_t bytes)
{
    (void)host;
    if (allocations_left == 0)
        return NULL;
    --allocations_left;
    ++blocks;
    return calloc(1, bytes);
}

static void host_free(const nn_host *host, void *memory)
{
    (void)host;
    blocks -= memory != NULL;
    free(memory);
}

static int32_t host_set_error(const nn_host *host, int32_t code, const char *id,
                              const char *text)
{
    (void)host;
    (void)id;
    strncpy(message, text, sizeof message - 1);
    return code;
}

static const void *host_get_extension(const nn_host *host, const char *id)
{
    (void)host;
    return has_reference && strcmp(id, NN_REFERENCE) == 0 ? &nn_reference_table
                                                          : NULL;
}

static const nn_host host = {.size = NN_SIZEOF(nn_host, threads),
                             .alloc = host_alloc,
                             .free = host_free,
                             .set_error = host_set_error,
                             .get_extension = host_get_extension};

static const nn_handler_interface *interface(void)
{
    return ENTRY.components[0]->interface;
}

static int32_t create(uint32_t real, nn_handler **handler)
{
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  real, 1};

    return interface()->create(&host, NULL, &request, handler);
}

static int setup(void **state)
{
    has_reference = 1;
    allocations_left = 1000;
    blocks = 0;
    return create(NN_FLOAT32, (nn_handler **)state);
}

static int teardown(void **state)
{
    interface()->destroy(*state);
    return blocks;
}

static nn_array view(nn_memory *memory, int64_t offset, int64_t n)
{
    nn_array array = {0};

    array.memory = memory;
    array.offset = offset;
    array.dtype = NN_FLOAT32;
    array.ndim = 1;
    array.shape[0] = n;
    array.pitch = n;
    return array;
}

static void run(nn_handler *handler, uint32_t operation, const nn_array *x,
                const nn_array *y)
{
    const nn_array *operands[3] = {x, y, NULL};
    nn_attributes with = nn_no_attributes();

    with.a = 2;
    interface()->operations[operation](handler, operation, operands, &with);
}

static void it_describes_itself(void **state)
{
    nn_handler_info info = {.size = NN_SIZEOF(nn_handler_info, device)};
    nn_handler_info old = {.size = 8, .redzone_bytes = -1};

    assert_string_equal(ENTRY.name, "reference");
    assert_int_equal(ENTRY.components[0]->kind, NN_KIND_HANDLER);
    assert_int_equal(ENTRY.init(&host), NN_OK);
    interface()->describe(*state, &info);
    assert_int_equal(info.threads, 1);
    assert_int_equal(info.redzone_bytes, 0);
    assert_string_equal(info.device, "plain C, 1 thread");
    interface()->describe(*state, &old);
    assert_int_equal(old.size, 8);
    assert_true(old.redzone_bytes == -1);
}

static void it_refuses_a_host_without_reference(void **state)
{
    nn_handler *handler;

    (void)state;
    has_reference = 0;
    assert_int_equal(ENTRY.init(&host), NN_UNSUPPORTED);
    assert_string_equal(message, "this host does not offer nn.reference/1");
    assert_int_equal(create(NN_FLOAT32, &handler), NN_UNSUPPORTED);
    assert_null(handler);
    has_reference = 1;
    assert_int_equal(create(NN_INT32, &handler), NN_UNSUPPORTED);
    allocations_left = 0;
    assert_int_equal(create(NN_FLOAT32, &handler), NN_NO_MEMORY);
    interface()->destroy(NULL);
}

static void memory_is_aligned_and_mapped(void **state)
{
    nn_memory *memory;
    char *bytes;

    assert_int_equal(interface()->allocate(*state, 100, &memory), NN_OK);
    bytes = interface()->map(*state, memory, 0, 100, NN_MAP_WRITE);
    assert_int_equal((uintptr_t)bytes % 64, 0);
    memset(bytes, 1, 100);
    interface()->unmap(*state, memory, bytes, NN_MAP_WRITE);
    assert_ptr_equal(interface()->map(*state, memory, 99, 1, NN_MAP_READ),
                     bytes + 99);
    assert_null(interface()->map(*state, memory, 99, 2, NN_MAP_READ));
    assert_int_equal(interface()->error(*state, NULL, NULL),
                     NN_INVALID_ARGUMENT);
    interface()->clear_error(*state);
    interface()->release(*state, memory);
    interface()->release(*state, NULL);
}

static void exhausted_memory_is_not_sticky(void **state)
{
    nn_memory *memory;

    assert_int_equal(interface()->allocate(*state, INT64_C(1) << 60, &memory),
                     NN_NO_MEMORY);
    assert_null(memory);
    assert_int_equal(interface()->allocate(*state, 0, &memory), NN_NO_MEMORY);
    allocations_left = 0;
    assert_int_equal(interface()->allocate(*state, 8, &memory), NN_NO_MEMORY);
    assert_int_equal(interface()->error(*state, NULL, NULL), NN_OK);
}

static void operations_run_and_errors_stick(void **state)
{
    nn_memory *memory;
    const char *text = NULL;
    nn_array x;
    nn_array y;
    float *values;

    interface()->allocate(*state, 64, &memory);
    x = view(memory, 0, 4);
    y = view(memory, 32, 4);
    values = interface()->map(*state, memory, 0, 64, NN_MAP_WRITE);
    values[3] = 3;
    run(*state, NN_OP_MULT_TS, &x, &y);
    assert_true(values[11] == 6);
    y.shape[0] = 3;
    run(*state, NN_OP_MULT_TS, &x, &y);
    y.shape[0] = 4;
    run(*state, NN_OP_SQUARE_T, &x, &y);
    assert_true(values[11] == 6);
    assert_int_equal(interface()->synchronize(*state), NN_SHAPE);
    interface()->error(*state, NULL, &text);
    assert_string_equal(text, "mult_ts: y (3) differs from x (4)");
    interface()->clear_error(*state);
    run(*state, NN_OP_SQUARE_T, &x, &y);
    assert_true(values[11] == 9);
    interface()->release(*state, memory);
}

static void arrays_outside_their_memory_are_refused(void **state)
{
    nn_memory *memory;
    nn_array x;
    nn_array y;

    interface()->allocate(*state, 64, &memory);
    x = view(memory, 0, 4);
    y = view(memory, 52, 4);
    run(*state, NN_OP_MULT_TS, &x, &y);
    assert_int_equal(interface()->error(*state, NULL, NULL),
                     NN_INVALID_ARGUMENT);
    interface()->clear_error(*state);
    y.mode = NN_DISCARD;
    run(*state, NN_OP_MULT_TS, &x, &y);
    assert_int_equal(interface()->error(*state, NULL, NULL), NN_OK);
    interface()->release(*state, memory);
}

static void all_operations_are_its_own(void **state)
{
    nn_completed *completed;
    nn_completed_entry entry;
    uint32_t i;

    assert_int_equal(nn_completed_create(interface(), *state, NN_FLOAT32,
                                         &completed),
                     NN_OK);
    for (i = 0; i < NN_OP_COUNT; ++i) {
        nn_completed_list(completed, i, &entry);
        assert_int_equal(entry.how, NN_HOW_NATIVE);
    }
    nn_completed_destroy(completed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_describes_itself),
        TEST(it_refuses_a_host_without_reference),
        TEST(memory_is_aligned_and_mapped),
        TEST(exhausted_memory_is_not_sticky),
        TEST(operations_run_and_errors_stick),
        TEST(arrays_outside_their_memory_are_refused),
        TEST(all_operations_are_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
