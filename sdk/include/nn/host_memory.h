/* SPDX-License-Identifier: MIT */
/* host_memory.h - how much memory a handler on the host could still get. */
#ifndef NN_HOST_MEMORY_H
#define NN_HOST_MEMORY_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include <nn/base.h>

NN_BEGIN_DECLS

/* Bytes of main memory that can be had without swapping, as Linux tells in
 * /proc/meminfo; 0 where it does not.  For nn_handler_info.memory.  [any] */
static inline int64_t nn_host_memory_available(void)
{
    FILE *file = fopen("/proc/meminfo", "re");
    int64_t kibibytes = 0;
    char line[256];

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kibibytes) == 1)
            break;
    if (file)
        fclose(file);
    return kibibytes * 1024;
}

NN_END_DECLS

#endif
