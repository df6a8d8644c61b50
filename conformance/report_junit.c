/* SPDX-License-Identifier: MIT */
/* report_junit.c - the XML that continuous integration reads (the schema of
 * Jenkins' xunit plugin): one suite a file, one case a check.  Counts stand in
 * front, so all of it is printed at the end. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "conformance/escape.h"
#include "conformance/report.h"

static void begin(const plan *plan)
{
    (void)plan;
}

static void refused(const plan *plan, const plan_file *file, uint32_t number)
{
    (void)plan;
    (void)file;
    (void)number;
}

static void item(const plan *plan, const plan_item *item, uint32_t number)
{
    (void)plan;
    (void)item;
    (void)number;
}

static void put(const char *name, const char *text)
{
    printf(" %s=\"", name);
    escape_xml(stdout, text);
    printf("\"");
}

static void put_failure(const plan *plan, const plan_item *item)
{
    const result *result = &item->result;
    char *command = plan_command(plan, item);
    uint32_t i;

    printf("      <failure");
    put("type", status_name(result->status));
    put("message", item->check->what);
    printf(">");
    for (i = 0; i < result->n_findings; ++i) {
        printf("where: ");
        escape_xml(stdout, result->findings[i].where);
        printf("\nexpected: ");
        escape_xml(stdout, result->findings[i].expected);
        printf("\ngot: ");
        escape_xml(stdout, result->findings[i].got);
        printf("\n");
    }
    printf("why: ");
    escape_xml(stdout, item->check->why);
    printf("\nagain: ");
    escape_xml(stdout, command);
    printf("\n</failure>\n");
    free(command);
}

static void put_case(const plan *plan, const plan_item *item)
{
    const result *result = &item->result;

    printf("    <testcase");
    put("classname", *item->component ? item->component : "file");
    put("name", item->check->id);
    printf(" time=\"%.3f\">\n", result->seconds);
    if (status_is_bad(result->status)) {
        put_failure(plan, item);
    } else if (result->status == STATUS_BROKEN) {
        printf("      <error");
        put("message", result->reason);
        printf("/>\n");
    } else if (result->status == STATUS_SKIP ||
               result->status == STATUS_XFAIL) {
        printf("      <skipped");
        put("message", result->reason);
        printf("/>\n");
    }
    if (*result->out) {
        printf("      <system-out>");
        escape_xml(stdout, result->out);
        printf("</system-out>\n");
    }
    if (*result->err) {
        printf("      <system-err>");
        escape_xml(stdout, result->err);
        printf("</system-err>\n");
    }
    printf("    </testcase>\n");
}

/* Number of items of FILE for which TEST says yes. */
static uint32_t count(const plan *plan, const plan_file *file,
                      int (*test)(enum status status))
{
    uint32_t sum = 0;
    uint32_t i;

    for (i = 0; i < plan->n_items; ++i)
        if (plan->items[i].file == file)
            sum += test(plan->items[i].result.status) != 0;
    return sum;
}

static int is_broken(enum status status)
{
    return status == STATUS_BROKEN;
}

static int is_skipped(enum status status)
{
    return status == STATUS_SKIP || status == STATUS_XFAIL;
}

static void put_suite(const plan *plan, const plan_file *file)
{
    uint32_t refused = file->refused != NULL;
    uint32_t i;

    printf("  <testsuite");
    put("name", file->given);
    printf(" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n",
           file->items + refused, count(plan, file, status_is_bad),
           count(plan, file, is_broken) + refused,
           count(plan, file, is_skipped));
    if (refused) {
        printf("    <testcase classname=\"file\" name=\"load\">\n      <error");
        put("message", file->refused);
        printf("/>\n    </testcase>\n");
    }
    for (i = 0; i < plan->n_items; ++i)
        if (plan->items[i].file == file)
            put_case(plan, &plan->items[i]);
    printf("  </testsuite>\n");
}

static void end(const plan *plan, const totals *totals)
{
    uint32_t i;

    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<testsuites name=\"nn-conformance\" time=\"%.3f\">\n",
           totals->seconds);
    for (i = 0; i < plan->n_files; ++i)
        put_suite(plan, &plan->files[i]);
    printf("</testsuites>\n");
}

const reporter reporter_junit = {begin, refused, item, end};
