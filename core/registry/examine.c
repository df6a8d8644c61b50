/* SPDX-License-Identifier: MIT */
/* examine.c - from a list of files to a list of descriptions.
 *
 * Each file is judged in this order, and the first objection counts: is it
 * there and a file; is it the same as an earlier one; could others change it;
 * does the index know it; is it a sound shared object.  What passes all is
 * scanned, all of them together, and the answers go into the index. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/registry/cpu.h"
#include "core/registry/description.h"
#include "core/registry/elf.h"
#include "core/registry/index.h"
#include "core/registry/owner.h"
#include "core/registry/registry_internal.h"
#include "core/registry/scan.h"
#include "core/util/error.h"

/* The nn-scan to be run. */
static const char *scanner(void)
{
    const char *build = secure_getenv("NN_BUILD_SCAN");

    return build && build[0] ? build : NN_SCAN_PROGRAM;
}

static int32_t refuse(nn_registry *registry, nn_candidate *candidate,
                      int32_t code, const char *reason)
{
    candidate->code = code;
    return nn_candidate_mark(registry, candidate, NN_FOUND_REFUSED, "%s",
                             reason);
}

/* ---- before the scan ---------------------------------------------------- */

static int32_t check_file(nn_registry *registry, nn_candidate *candidate)
{
    if (stat(candidate->file.path, &candidate->status))
        return refuse(registry, candidate, NN_IO, strerror(errno));
    if (!S_ISREG(candidate->status.st_mode))
        return nn_candidate_mark(registry, candidate, NN_FOUND_REFUSED,
                                 "%s, not a file",
                                 nn_elf_file_type(candidate->status.st_mode));
    return NN_OK;
}

/* An earlier candidate that is the same file and was not refused. */
static int32_t check_same(nn_registry *registry, nn_candidate *candidate)
{
    nn_candidate *one;

    for (one = registry->candidates; one < candidate; ++one)
        if (one->file.state == NN_FOUND_OK &&
            one->status.st_ino == candidate->status.st_ino &&
            one->status.st_dev == candidate->status.st_dev)
            return nn_candidate_mark(registry, candidate, NN_FOUND_SHADOWED,
                                     "the same file as %s", one->file.path);
    return NN_OK;
}

/* A folder that others can change speaks for all its files. */
static int32_t check_owner(nn_registry *registry, nn_candidate *candidate)
{
    const nn_directory *directory = candidate->directory;
    nn_text reason = {0};
    int32_t code = NN_OK;

    if (directory && directory->reason)
        return refuse(registry, candidate, NN_INVALID_ARGUMENT,
                      directory->reason);
    if (directory && directory->warning) {
        candidate->file.warning = directory->warning;
        return NN_OK;
    }
    if (nn_owner_check(candidate->file.path, &reason) == 1)
        return NN_OK;
    if (nn_search_is_strict(candidate->file.source))
        code = refuse(registry, candidate, NN_INVALID_ARGUMENT,
                      nn_text_string(&reason));
    else
        candidate->file.warning = nn_arena_string(registry->arena,
                                                  nn_text_string(&reason));
    nn_text_finish(&reason);
    return code;
}

/* libltdl is handed shared objects only, never the text files beside them. */
static int32_t check_name(nn_registry *registry, nn_candidate *candidate)
{
    const char *path = candidate->file.path;
    size_t length = strlen(path);

    if (length > 3 && !strcmp(path + length - 3, ".so"))
        return NN_OK;
    if (length > 3 && !strcmp(path + length - 3, ".la"))
        return refuse(registry, candidate, NN_INVALID_ARGUMENT,
                      "a .la file; name the .so, which libtool leaves in "
                      ".libs");
    return refuse(registry, candidate, NN_INVALID_ARGUMENT,
                  "the name of a plugin's file ends in .so");
}

static int32_t check_elf(nn_registry *registry, nn_candidate *candidate)
{
    nn_text reason = {0};
    int32_t code = nn_elf_check(candidate->file.path, &candidate->status,
                                &reason);

    if (code)
        code = refuse(registry, candidate, code, nn_text_string(&reason));
    nn_text_finish(&reason);
    return code;
}

/* ---- its description ---------------------------------------------------- */

/* What the scan, now or earlier, answered. */
static int32_t take_answer(nn_registry *registry, nn_candidate *candidate,
                           const nn_index_answer *answer)
{
    nn_text reason = {0};
    nn_plugin_data *entry = NULL;
    int32_t code = answer->code;

    candidate->pending = 0;
    if (code)
        nn_text_append_bytes(&reason, answer->bytes, answer->length);
    else
        code = nn_description_unpack(answer->bytes, answer->length,
                                     registry->arena, &entry, &reason);
    candidate->file.entry = entry;
    if (!code)
        code = nn_text_status(&reason);
    if (code && code != NN_NO_MEMORY)
        code = refuse(registry, candidate, code, nn_text_string(&reason));
    nn_text_finish(&reason);
    return code;
}

/* Everything that can be said of CANDIDATE without running anything. */
static int32_t judge(nn_registry *registry, nn_candidate *candidate,
                     nn_index *index)
{
    int32_t (*const checks[])(nn_registry *,
                              nn_candidate *) = {check_file, check_name,
                                                 check_same, check_owner};
    nn_index_answer answer;
    int32_t code = NN_OK;
    size_t i;

    for (i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
        code = checks[i](registry, candidate);
        if (code || candidate->file.state != NN_FOUND_OK)
            return code;
    }
    if (nn_index_find(index, candidate->file.path, &candidate->status, &answer))
        return take_answer(registry, candidate, &answer);
    code = check_elf(registry, candidate);
    candidate->pending = candidate->file.state == NN_FOUND_OK;
    return code;
}

static int32_t take_job(nn_registry *registry, nn_candidate *candidate,
                        nn_index *index, const nn_scan_job *job)
{
    const nn_text *text = job->code ? &job->reason : &job->description;
    nn_index_answer answer = {job->code, nn_text_string(text), text->length};

    if (job->code == NN_NO_MEMORY)
        return job->code;
    if (!job->passing)
        nn_index_add(index, candidate->file.path, &candidate->status, &answer);
    return take_answer(registry, candidate, &answer);
}

/* Scans what is pending. */
static int32_t scan(nn_registry *registry, nn_index *index)
{
    nn_scan_job *jobs = nn_arena_alloc(registry->arena, registry->n_candidates,
                                       sizeof *jobs);
    int32_t code = jobs ? NN_OK : NN_NO_MEMORY;
    uint32_t count = 0;
    uint32_t i;

    for (i = 0; !code && i < registry->n_candidates; ++i)
        if (registry->candidates[i].pending)
            jobs[count++].path = registry->candidates[i].file.path;
    if (!count)
        return code;
    nn_scan_run(scanner(), jobs, count, NN_SCAN_SECONDS);
    count = 0;
    for (i = 0; i < registry->n_candidates; ++i) {
        if (!registry->candidates[i].pending)
            continue;
        if (!code)
            code = take_job(registry, &registry->candidates[i], index,
                            &jobs[count]);
        nn_text_finish(&jobs[count].reason);
        nn_text_finish(&jobs[count].description);
        ++count;
    }
    return code;
}

static int32_t read_static(nn_registry *registry, nn_candidate *candidate)
{
    nn_text reason = {0};
    nn_plugin_data *entry = NULL;
    int32_t code = nn_entry_read(candidate->raw, 1, registry->arena, &entry,
                                 &reason);

    candidate->file.entry = entry;
    if (code && code != NN_NO_MEMORY)
        code = refuse(registry, candidate, code, nn_text_string(&reason));
    nn_text_finish(&reason);
    return code;
}

/* Switches a plugin off that needs another processor. */
static int32_t check_cpu(nn_registry *registry, nn_candidate *candidate)
{
    const char *const *feature;

    if (candidate->file.state != NN_FOUND_OK || !candidate->file.entry)
        return NN_OK;
    feature = candidate->file.entry->plugin.cpu_features;
    for (; *feature; ++feature)
        if (!nn_cpu_has(*feature))
            return nn_candidate_mark(registry, candidate, NN_FOUND_OFF,
                                     "this processor lacks %s, which it needs",
                                     *feature);
    return NN_OK;
}

static int64_t time_of_day(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int32_t nn_registry_examine(nn_registry *registry)
{
    nn_text path = {0};
    nn_index *index = NULL;
    nn_candidate *one;
    int32_t code;
    uint32_t i;

    nn_search_base("XDG_CACHE_HOME", "/.cache", "/nervenet/plugins-1.idx",
                   &path);
    code = nn_index_open(path.data, scanner(), time_of_day(), &index);
    for (i = 0; !code && i < registry->n_candidates; ++i) {
        one = &registry->candidates[i];
        code = one->raw ? read_static(registry, one)
                        : judge(registry, one, index);
    }
    if (!code)
        code = scan(registry, index);
    for (i = 0; !code && i < registry->n_candidates; ++i)
        code = check_cpu(registry, &registry->candidates[i]);
    nn_index_close(index);
    nn_text_finish(&path);
    return code;
}
