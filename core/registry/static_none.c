/* SPDX-License-Identifier: MIT */
/* static_none.c - the table of plugins of a program that has none linked in.
 *
 * A build with --enable-static-plugins generates the real one, which takes the
 * place of this. */
#include "core/registry/static.h"

__attribute__((weak)) const nn_static_plugin nn_static_plugins[] = {
    {NULL, NULL},
};
