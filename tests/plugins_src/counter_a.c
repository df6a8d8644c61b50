/* SPDX-License-Identifier: MIT */
/* counter_a.c - exports `counter` and `helper`, as counter_b.c does; each must
 * get its own.  Compiled without -fvisibility=hidden, linked without a list of
 * symbols and without -Bsymbolic. */
#include "fixture.h"

extern int counter;
int helper(void);

int counter = 1;

int helper(void)
{
    return counter;
}

FIXTURE_PLUGIN(counter_a, "counter_a", helper());
