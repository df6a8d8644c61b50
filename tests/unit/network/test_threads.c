/* SPDX-License-Identifier: MIT */
/* test_threads.c - networks in several threads compute what they compute one
 * after the other, and messages belong to their thread. */
#include "tests/unit/network/support.h"

#include <pthread.h>
#include <string.h>

#define THREADS 2
#define ROUNDS 5

typedef struct work {
    net n;
    uint64_t seed;
    double losses[ROUNDS];
    int32_t code; /* of what was to fail */
    char text[200];
} work;

/* Everything without assertions, which belong to the first thread. */
static void *run(void *self)
{
    work *w = self;
    nn_network *network = w->n.network;
    double x[2 * 3 * 4];
    nn_array array;
    int round;
    int i;

    w->code = 0;
    for (round = 0; round < ROUNDS && !w->code; ++round) {
        for (i = 0; i < 24; ++i)
            x[i] = net_random(w->seed + (uint64_t)round, (uint64_t)i);
        w->code = nn_network_begin(network, 1 + round % 2, 3,
                                   NN_PASS_TRAIN | NN_PASS_BACKWARD);
        if (!w->code)
            w->code = nn_network_input(network, "x", &array);
        if (!w->code)
            w->code = nn_network_upload(network, &array, x);
        if (!w->code)
            w->code = nn_network_forward(network, 0, NULL);
        if (!w->code)
            w->code = nn_network_loss(network, &w->losses[round], NULL, NULL);
        if (!w->code)
            w->code = nn_network_backward(network, 0);
    }
    if (w->code)
        return NULL;
    w->code = nn_network_begin(network, 3 + (int64_t)w->seed, 3, 0);
    strncpy(w->text, nn_error_text(), sizeof w->text - 1);
    nn_error_clear();
    return NULL;
}

static void start(work *w, uint64_t seed)
{
    const net_options options = {.T = 2, .B = 3, .seed = seed};

    memset(w, 0, sizeof *w);
    w->seed = seed;
    net_make(&w->n, "{x: [4], t: [2]}",
             "[{fully_connected: {size: 5, activation: tanh}}, dropout,"
             " {pair: {inner: {fully_connected: 5}}}, {frames: {name: f}},"
             " {concat: {from: [f, x]}}, {fully_connected: {size: 2, name: o}},"
             " {squared_error: {from: {default: o, targets: t}}}]",
             &options);
}

static void check(work *w, const work *alone, const void *gradients)
{
    size_t bytes = (size_t)w->n.network->layout->bytes[NN_BLOCK_GRADIENTS];
    void *mine = net_block(&w->n, NN_BLOCK_GRADIENTS);

    assert_int_equal(w->code, NN_SHAPE);
    assert_non_null(strstr(w->text, w->seed == 10 ? "of 13" : "of 14"));
    assert_memory_equal(w->losses, alone->losses, sizeof w->losses);
    assert_memory_equal(mine, gradients, bytes);
    free(mine);
}

static void networks_do_not_meet(void **state)
{
    work together[THREADS];
    pthread_t threads[THREADS];
    int i;

    (void)state;
    for (i = 0; i < THREADS; ++i)
        start(&together[i], 10 + (uint64_t)i);
    for (i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &together[i]),
                         0);
    for (i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (i = 0; i < THREADS; ++i) {
        work alone;
        void *gradients;

        start(&alone, 10 + (uint64_t)i);
        run(&alone);
        gradients = net_block(&alone.n, NN_BLOCK_GRADIENTS);
        check(&together[i], &alone, gradients);
        free(gradients);
        net_finish(&alone.n);
        net_finish(&together[i].n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_do_not_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
