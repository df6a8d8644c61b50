/* SPDX-License-Identifier: MIT */
/* process.c - see process.h. */
#include "conformance/plugin/process.h"

#include <dirent.h>
#include <inttypes.h>

static int64_t entries(const char *path)
{
    DIR *folder = opendir(path);
    int64_t count = 0;

    while (folder && readdir(folder))
        ++count;
    if (folder)
        closedir(folder);
    return count;
}

process process_look(void)
{
    process now = {entries("/proc/self/task"), entries("/proc/self/fd")};

    return now;
}

void process_judge(trial *t, const char *where, process before)
{
    process now = process_look();

    trial_tested(t, 1);
    if (now.threads > before.threads)
        trial_fail(t, where, "no thread is left",
                   trial_text(t, "%" PRId64 " more than before",
                              now.threads - before.threads));
    if (now.descriptors > before.descriptors)
        trial_fail(t, where, "no descriptor is left open",
                   trial_text(t, "%" PRId64 " more than before",
                              now.descriptors - before.descriptors));
}
