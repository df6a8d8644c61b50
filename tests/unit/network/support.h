/* SPDX-License-Identifier: MIT */
/* support.h - networks from a few lines of text, for the tests of graph,
 * memory and network.
 *
 * Layers come from the plugins of the build, from the test layers, and from
 * the test itself (net_components).  The handler is `reference`. */
#ifndef TESTS_UNIT_NETWORK_SUPPORT_H
#define TESTS_UNIT_NETWORK_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/network/network.h"
#include "core/registry/registry.h"
#include "core/util/error.h"

typedef struct net_options {
    uint32_t real;           /* 0: float64 */
    int inference;           /* 1: without backward */
    int deltas;              /* 1: inputs and unread outputs have deltas */
    int unplanned;           /* 1: only the graph is made */
    int unallocated;         /* 1: no memory is allocated */
    int64_t T;               /* largest; 0: 1 */
    int64_t B;               /* 0: 3 */
    uint64_t seed;           /* 0: 1 */
    const char *rules;       /* `initialize`, as YAML; NULL: none */
    const char *const *keep; /* NULL-terminated; NULL: none */
} net_options;

typedef struct net {
    nn_diagnostics diagnostics;
    nn_text messages; /* rendered */
    nn_node *inputs;
    nn_node *layers;
    nn_node *rules;
    nn_graph *graph;
    nn_handler_interface interface;
    nn_handler *handler;
    nn_network *network;
    int64_t T; /* of the pass begun */
    int64_t B;
    uint64_t update; /* of every pass that net_forward runs */
} net;

/* Further components, NULL-terminated; found before those of plugins. */
extern const nn_component *const *net_components;

/* Changes the handler's interface after it was copied; NULL: nothing. */
extern void (*net_adapt)(nn_handler_interface *interface);

/* INPUTS and LAYERS as a config has them under `inputs` and `network`.
 * net_try returns the code and leaves the messages; net_make wants success. */
int32_t net_try(net *n, const char *inputs, const char *layers,
                const net_options *options);
void net_make(net *n, const char *inputs, const char *layers,
              const net_options *options);
void net_finish(net *n);

/* Fails unless making it ends with ID and a message that has all of the
 * NULL-terminated texts in it. */
void net_expect(const char *inputs, const char *layers,
                const net_options *options, const char *id, ...);

/* A pass of T and B: inputs are drawn from SEED (integers from 0 to 1), then
 * forward and, if FLAGS say so, backward run. */
void net_begin(net *n, int64_t T, int64_t B, uint32_t flags);
void net_draw(net *n, uint64_t seed);
void net_set(net *n, const char *input, const double *values);
void net_forward(net *n);
void net_backward(net *n, uint32_t flags);
void net_pass(net *n, int64_t T, int64_t B, uint32_t flags, uint64_t seed);
double net_loss(net *n);

/* The number at PLACE of the draw SEED, in [-1, 1). */
double net_random(uint64_t seed, uint64_t place);

/* Runs WORK within 256 KiB of stack, as under `ulimit -s 256`. */
void net_with_small_stack(void (*work)(void));

/* The buffer at PATH as numbers, to be freed; *COUNT may be NULL. */
double *net_get(net *n, const char *path, int64_t *count);

/* Fails unless the buffer at PATH has these COUNT numbers, to TOLERANCE. */
void net_check(net *n, const char *path, const double *values, int64_t count,
               double tolerance);

/* Writes VALUES to the buffer at PATH. */
void net_put(net *n, const char *path, const double *values);

/* All bytes of BLOCK to VALUE; or their copy, to be freed, and the way back. */
void net_fill_block(net *n, uint32_t block, int value);
void *net_block(net *n, uint32_t block);
void net_put_block(net *n, uint32_t block, const void *bytes);

/* A random network over NET_RANDOM_INPUTS: branches, slices, concatenations
 * within concatenations, shared and tied parameters, children, dead ends, and
 * one loss or two.  SEED tells which; the text is freed by the caller. */
#define NET_RANDOM_INPUTS "{x: [4], y: [3], image: [2, 3, 2], m: [1], t: [2]}"
char *net_random_layers(uint64_t seed);

/* Central differences of the loss by every parameter, and by every network
 * input whose delta is kept, against what backward gives.  FLAGS are those of
 * the passes; the state is the same in all of them. */
void net_check_gradients(net *n, int64_t T, int64_t B, uint32_t flags);

#endif
