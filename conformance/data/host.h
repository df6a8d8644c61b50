/* SPDX-License-Identifier: MIT */
/* host.h - the host that a component gets here: the library's, but it counts
 * what it hands out, and an allocation fails on demand. */
#ifndef NN_CONFORMANCE_DATA_HOST_H
#define NN_CONFORMANCE_DATA_HOST_H

#include <stdatomic.h>

#include "conformance/check.h"

typedef struct check_host {
    nn_host host;        /* first: what the component gets */
    const nn_host *base; /* the library's own */
    const nn_plugins *plugins;
    atomic_llong blocks;      /* that are held now */
    atomic_llong allocations; /* so far */
    atomic_llong logged;      /* messages so far */
    atomic_llong fail_at;     /* the allocation of this number fails; 0: none */
} check_host;

/* Fills HOST, which must stay where it is.  Returns 0, or -1 after
 * trial_broken. */
int check_host_init(trial *t, check_host *host);

/* Makes the COUNT-th allocation from now fail; 0: none. */
void check_host_fail_after(check_host *host, int64_t count);

/* Forgets the message of this thread; and that message, "" if none came. */
void check_host_clear(check_host *host);
const char *check_host_message(const check_host *host);

/* The trial's component with the parameters TEXT, "{size: 3}" or "3", that
 * gets HOST; NULL if the library refuses the text, with its message.  To be
 * destroyed. */
nn_part *check_host_part(trial *t, check_host *host, const char *text);

/* Another component of KIND, "{npy: {x: FILE}}", the same way. */
nn_part *check_host_other(trial *t, check_host *host, uint32_t kind,
                          const char *text);

/* Checks that CODE is 0 or a code of base.h with a message, which WHERE
 * should have set. */
void check_host_code(trial *t, const check_host *host, const char *where,
                     int32_t code);

#endif
