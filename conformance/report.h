/* SPDX-License-Identifier: MIT */
/* report.h - what is printed to stdout. */
#ifndef NN_CONFORMANCE_REPORT_H
#define NN_CONFORMANCE_REPORT_H

#include "conformance/plan.h"

/* What came of all items. */
typedef struct totals {
    uint32_t of[STATUSES];
    uint32_t refused; /* files */
    double seconds;
    int exit; /* status of the program */
} totals;

/* One format.  Items come in the order of the plan, NUMBER from 1, which refused
 * files count in: they come first. */
typedef struct reporter {
    void (*begin)(const plan *plan);
    void (*refused)(const plan *plan, const plan_file *file, uint32_t number);
    void (*item)(const plan *plan, const plan_item *item, uint32_t number);
    void (*end)(const plan *plan, const totals *totals);
} reporter;

/* By enum format. */
extern const reporter *const reporters[];

extern const reporter reporter_human;
extern const reporter reporter_json;
extern const reporter reporter_tap;
extern const reporter reporter_junit;

#endif
