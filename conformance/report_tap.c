/* SPDX-License-Identifier: MIT */
/* report_tap.c - the Test Anything Protocol, version 14 (testanything.org). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "conformance/escape.h"
#include "conformance/report.h"

static void begin(const plan *plan)
{
    uint32_t count = plan->n_items;
    uint32_t i;

    for (i = 0; i < plan->n_files; ++i)
        count += plan->files[i].refused != NULL;
    printf("TAP version 14\n1..%u%s\n", count,
           count ? "" : " # SKIP nothing to check");
}

/* KEY of the YAML block and its value as a JSON string, which YAML reads. */
static void put(const char *key, const char *text)
{
    printf("  %s: ", key);
    escape_json(stdout, text);
    printf("\n");
}

static void refused(const plan *plan, const plan_file *file, uint32_t number)
{
    (void)plan;
    printf("not ok %u - load ", number);
    escape_tap(stdout, file->given);
    printf("\n  ---\n");
    put("message", file->refused);
    printf("  ...\n");
}

static void put_details(const plan *plan, const plan_item *item)
{
    const result *result = &item->result;
    char *command = plan_command(plan, item);
    uint32_t i;

    printf("  ---\n");
    put("severity", status_name(result->status));
    put("message", item->check->what);
    put("why", item->check->why);
    put("reproduce", command);
    printf("  findings:%s\n", result->n_findings ? "" : " []");
    for (i = 0; i < result->n_findings; ++i) {
        printf("    - where: ");
        escape_json(stdout, result->findings[i].where);
        printf("\n      expected: ");
        escape_json(stdout, result->findings[i].expected);
        printf("\n      got: ");
        escape_json(stdout, result->findings[i].got);
        printf("\n");
    }
    printf("  ...\n");
    free(command);
}

static void item(const plan *plan, const plan_item *item, uint32_t number)
{
    const result *result = &item->result;
    int bad = status_is_bad(result->status) ||
              result->status == STATUS_BROKEN || result->status == STATUS_XFAIL;

    /* An unexpected pass is a pass by name here and fails the run by its exit
     * status alone: the protocol has no other word for it. */
    if (result->status == STATUS_XPASS)
        bad = 0;
    printf("%s %u - %s ", bad ? "not ok" : "ok", number, item->check->id);
    escape_tap(stdout, *item->component ? item->component : "file");
    if (plan->n_files > 1) {
        printf(" of ");
        escape_tap(stdout, item->file->given);
    }
    if (result->status == STATUS_SKIP)
        printf(" # SKIP ");
    else if (result->status == STATUS_XFAIL || result->status == STATUS_XPASS)
        printf(" # TODO ");
    if (*result->reason)
        escape_tap(stdout, result->reason);
    printf("\n");
    if (bad)
        put_details(plan, item);
}

static void end(const plan *plan, const totals *totals)
{
    (void)plan;
    (void)totals;
}

const reporter reporter_tap = {begin, refused, item, end};
