/* SPDX-License-Identifier: MIT */
/* expect: none
 * It reads a file of a format that nobody else knows, and brings no case: its
 * checks are skipped. */
#include <nn/describe.h>
#include <nn/iterator.h>

#include "entry.h"

static int32_t create(const nn_host *host, const nn_params *given,
                      const nn_iterator_request *request,
                      nn_iterator **iterator)
{
    (void)request;
    *iterator = NULL;
    return nn_fail(host, NN_FORMAT, "zoo.file", "%s: the file is malformed",
                   nn_param_text(given, 0));
}

static void destroy(nn_iterator *self)
{
    (void)self;
}

static void describe(nn_iterator *self, nn_iterator_info *info)
{
    (void)self;
    (void)info;
}

static int32_t start(nn_iterator *self, const nn_epoch *epoch)
{
    (void)self;
    (void)epoch;
    return NN_OK;
}

static int32_t next(nn_iterator *self, nn_batch *batch)
{
    (void)self;
    (void)batch;
    return NN_END;
}

static int32_t seek(nn_iterator *self, int64_t batch)
{
    (void)self;
    (void)batch;
    return NN_OK;
}

static const nn_iterator_interface interface = {
    .size = NN_SIZEOF(nn_iterator_interface, gather),
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .start = start,
    .next = next,
    .seek = seek,
};

static const nn_param file_param = {
    .size = NN_SIZEOF(nn_param, fields),
    .type = NN_PARAM_FILE,
    .flags = NN_PARAM_REQUIRED | NN_PARAM_MAIN,
    .name = "file",
    .doc = "a recording of the station",
};

static const nn_param *const params[] = {&file_param};

ZOO_ENTRY(good_iterator_unknown_file, NN_KIND_ITERATOR, params, 1);
