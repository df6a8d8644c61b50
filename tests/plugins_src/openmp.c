/* SPDX-License-Identifier: MIT */
/* openmp.c - its schedule runs a parallel loop, so that threads of the OpenMP
 * library stay in its code.  Compiled and linked with -fopenmp. */
#include "fixture.h"

static double sum(void)
{
    double total = 0;
    int i;

#pragma omp parallel for reduction(+ : total)
    for (i = 0; i < 1000; ++i)
        total += i;
    return total;
}

FIXTURE_PLUGIN(openmp, "openmp", sum());
