/* SPDX-License-Identifier: MIT */
/* magic.c - has the symbol, but it is something else. */
#include <nn/plugin.h>

extern NN_EXPORT const char nn_plugin_v1[];

const char nn_plugin_v1[4096] = "I am something else";
