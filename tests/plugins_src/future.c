/* SPDX-License-Identifier: MIT */
/* future.c - needs a host of a later minor; its init would create the file
 * NN_TEST_RECORD. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fixture.h"

static int32_t init(const nn_host *host)
{
    const char *path = getenv("NN_TEST_RECORD");

    (void)host;
    if (path)
        close(open(path, O_WRONLY | O_CREAT, 0600));
    return NN_OK;
}

FIXTURE_VALUE(ten, 10)
static const nn_schedule_interface interface = FIXTURE_INTERFACE(ten);
static const nn_component component = FIXTURE_COMPONENT("ten", &interface);
static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(future) = {
    .magic = {'N', 'N', 'P', 'L', 'U', 'G', 'I', 'N'},
    .size = NN_SIZEOF(nn_plugin, deinit),
    .abi_minor = 0xffffffffu,
    .min_host_minor = 0xffffffffu,
    FIXTURE_TEXTS("future"),
    .n_components = 1,
    .components = components,
    .init = init,
};
