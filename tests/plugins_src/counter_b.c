/* SPDX-License-Identifier: MIT */
/* counter_b.c - exports `counter` and `helper`, as counter_a.c does; each must
 * get its own.  Compiled without -fvisibility=hidden, linked without a list of
 * symbols and without -Bsymbolic. */
#include "fixture.h"

extern int counter;
int helper(void);

int counter = 2;

int helper(void)
{
    return counter;
}

FIXTURE_PLUGIN(counter_b, "counter_b", helper());
