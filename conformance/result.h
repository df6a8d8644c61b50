/* SPDX-License-Identifier: MIT */
/* result.h - what came of one check. */
#ifndef NN_CONFORMANCE_RESULT_H
#define NN_CONFORMANCE_RESULT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum status {
    STATUS_PASS,
    STATUS_FAIL,
    STATUS_CRASH,   /* died of a signal */
    STATUS_TIMEOUT, /* did not end in its time */
    STATUS_SKIP,
    STATUS_XFAIL,  /* failed, as is known */
    STATUS_XPASS,  /* passed, though it is known to fail */
    STATUS_BROKEN, /* nn-conformance itself failed */
    STATUSES
};

/* What one failure says; texts may be "". */
typedef struct finding {
    const char *where;
    const char *expected;
    const char *got;
} finding;

/* All of it lives in memory of its own until result_finish. */
typedef struct result {
    enum status status;
    int64_t tested;
    int64_t failures; /* findings, and those that were not told */
    finding *findings;
    uint32_t n_findings;
    const char **notes;
    uint32_t n_notes;
    const char *reason; /* of a skip, of what is broken or known; or "" */
    char *out;          /* what was printed to stdout; "" */
    char *err;          /* to stderr */
    double seconds;
    int ended;      /* 1: a finding is about how the process ended */
    char *bytes;    /* the frames, to which texts above point */
    char *texts[4]; /* further texts */
    uint32_t n_texts;
} result;

/* How a child came to its end. */
typedef struct ending {
    int wait;            /* of waitid: CLD_EXITED, CLD_KILLED, CLD_DUMPED */
    int code;            /* exit status or signal */
    uint32_t late;       /* seconds after which it was killed, or 0 */
    const char *entered; /* when it ended: "forward", or "" */
} ending;

/* "pass", "fail", ... */
const char *status_name(enum status status);

/* 1 if STATUS makes the whole run a failure. */
int status_is_bad(enum status status);

/* Fills RESULT from the LENGTH BYTES of frames, which become its own, from what
 * was printed (OUT and ERR, which become its own too), and from how the child
 * ENDED. */
void result_read(result *result, char *bytes, size_t length, char *out,
                 char *err, const ending *ended);

/* A result without a child. */
void result_say(result *result, enum status status, const char *reason);

/* Frees what it holds. */
void result_finish(result *result);

#endif
