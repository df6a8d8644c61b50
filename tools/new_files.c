/* SPDX-License-Identifier: MIT */
/* new_files.c - see new_files.h. */
#include "new_files.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define LINES 128

#define HEAD(what)                                                             \
    "# Trains a small network with " what ":\n"                                \
    "#     make && nn train config.yaml\n"                                     \
    "nervenet: 1\n"
#define INPUTS                                                                 \
    "inputs:\n"                                                                \
    "  x: [2]\n"                                                               \
    "  y: [1]\n"
#define CSV_DATA                                                               \
    "data:\n"                                                                  \
    "  train:\n"                                                               \
    "    minibatches:\n"                                                       \
    "      size: 16\n"                                                         \
    "      shuffle: true\n"                                                    \
    "      inner: {csv: {file: data.csv, columns: {x: [0, 1], y: [2]}}}\n"
#define TRAINING                                                               \
    "training:\n"                                                              \
    "  stepper: {adam: 0.01}\n"                                                \
    "  epochs: 20\n"
#define TAIL                                                                   \
    "  - fully_connected: {name: prediction, size: 1}\n"                        \
    "  - squared_error: {name: loss, from: [prediction, y]}\n"

const struct new_kind new_kinds[] = {
    {"layer", "square",
     HEAD("the layer @NAME@") "handler: reference\n"
                              "plugin_path: [.]\n" INPUTS
                              "network:\n"
                              "  - fully_connected: {name: hidden, from: x, "
                              "size: 8, activation: tanh}\n"
                              "  - @NAME@: {name: mine}\n" TAIL CSV_DATA
                                  TRAINING,
     1},
    {"handler", "plain_host",
     HEAD("the handler @NAME@") "handler: @NAME@\n"
                                "plugin_path: [.]\n" INPUTS
                                "network:\n"
                                "  - fully_connected: {name: hidden, from: x, "
                                "size: 8, activation: tanh}\n" TAIL CSV_DATA
                                    TRAINING,
     1},
    {"hook", "stop_below",
     HEAD("the hook @NAME@") "handler: reference\n"
                             "plugin_path: [.]\n" INPUTS
                             "network:\n"
                             "  - fully_connected: {name: hidden, from: x, "
                             "size: 8, activation: tanh}\n" TAIL CSV_DATA
                                 TRAINING
                             "  hooks:\n"
                             "    - @NAME@: {log: training.loss, "
                             "threshold: 0.01}\n",
     1},
    {"iterator", "straight_line",
     HEAD("data of the iterator @NAME@") "handler: reference\n"
                                         "plugin_path: [.]\n"
                                         "inputs:\n"
                                         "  x: [1]\n"
                                         "  y: [1]\n"
                                         "network:\n"
                                         "  - fully_connected: {name: "
                                         "prediction, from: x, size: 1}\n"
                                         "  - squared_error: {name: loss, "
                                         "from: [prediction, y]}\n"
                                         "data:\n"
                                         "  train:\n"
                                         "    minibatches:\n"
                                         "      size: 10\n"
                                         "      shuffle: true\n"
                                         "      inner: {@NAME@: {samples: "
                                         "100}}\n" TRAINING,
     0},
    {NULL, NULL, NULL, 0},
};

const char new_readme[] =
    "# @NAME@\n"
    "\n"
    "A plugin for Nervenet with the @KIND@ `@NAME@`.\n"
    "\n"
    "    make                      # builds @NAME@.so\n"
    "    make check                # nn-conformance ./@NAME@.so\n"
    "    nn train config.yaml      # trains a small network with it\n"
    "    make install              # for every config of this machine\n"
    "\n"
    "The source says at its head what to change, and in which order. `nn\n"
    "plugins --plugin ./@NAME@.so @NAME@` prints its description as a user sees\n"
    "it. nn-conformance names what is wrong, where, and why it matters; with\n"
    "`--level strict` it looks longer. A run with `--handler 'debug(cpu)'`\n"
    "examines every operation.\n";

int new_data_line(int line, char *text, unsigned size)
{
    double a = 2 * fmod(line * 0.6180339887498949, 1) - 1;
    double b = 2 * fmod(line * 0.4142135623730950, 1) - 1;

    if (line >= LINES)
        return 0;
    snprintf(text, size, "%.4f,%.4f,%.4f\n", a, b, a * b);
    return 1;
}
