/* SPDX-License-Identifier: MIT */
/* tls.c - wants more static thread-local memory than a running process has. */
#include "fixture.h"

static __thread volatile char block[1 << 20]
    __attribute__((tls_model("initial-exec")));

FIXTURE_PLUGIN(tls, "tls", block[0]);
