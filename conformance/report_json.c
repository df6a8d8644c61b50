/* SPDX-License-Identifier: MIT */
/* report_json.c - one JSON object a line, as docs/nn-conformance.md says. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/catalogue.h"
#include "conformance/escape.h"
#include "conformance/report.h"

static void put_text(const char *name, const char *text)
{
    printf(",\"%s\":", name);
    escape_json(stdout, text);
}

static void begin(const plan *plan)
{
    printf("{\"event\":\"start\"");
    put_text("version", nn_version());
    put_text("level", level_name(plan->options->level));
    printf(",\"seed\":%llu,\"checks\":%u}\n",
           (unsigned long long)plan->options->seed, plan->n_items);
}

static void refused(const plan *plan, const plan_file *file, uint32_t number)
{
    (void)plan;
    (void)number;
    printf("{\"event\":\"refused\"");
    put_text("file", file->given);
    put_text("reason", file->refused);
    printf("}\n");
}

static void put_findings(const result *result)
{
    uint32_t i;

    printf(",\"failures\":%lld,\"findings\":[", (long long)result->failures);
    for (i = 0; i < result->n_findings; ++i) {
        printf("%s{\"where\":", i ? "," : "");
        escape_json(stdout, result->findings[i].where);
        put_text("expected", result->findings[i].expected);
        put_text("got", result->findings[i].got);
        printf("}");
    }
    printf("],\"notes\":[");
    for (i = 0; i < result->n_notes; ++i) {
        printf("%s", i ? "," : "");
        escape_json(stdout, result->notes[i]);
    }
    printf("]");
}

static void item(const plan *plan, const plan_item *item, uint32_t number)
{
    const result *result = &item->result;
    char *command = plan_command(plan, item);

    (void)number;
    printf("{\"event\":\"check\"");
    put_text("id", item->check->id);
    put_text("status", status_name(result->status));
    put_text("file", item->file->given);
    put_text("component", item->component);
    put_text("level", level_name(item->check->level));
    put_text("handler", item->handler ? item->handler : "");
    printf(",\"seed\":%llu,\"tested\":%lld,\"seconds\":%.3f",
           (unsigned long long)item->seed, (long long)result->tested,
           result->seconds);
    put_text("reason", result->reason);
    put_findings(result);
    put_text("stdout", result->out);
    put_text("stderr", result->err);
    put_text("what", item->check->what);
    put_text("why", item->check->why);
    put_text("reproduce", command);
    printf("}\n");
    free(command);
}

static void end(const plan *plan, const totals *totals)
{
    uint32_t i;

    (void)plan;
    printf("{\"event\":\"end\"");
    for (i = 0; i < STATUSES; ++i)
        printf(",\"%s\":%u", status_name((enum status)i), totals->of[i]);
    printf(",\"refused\":%u,\"seconds\":%.3f,\"exit\":%d}\n", totals->refused,
           totals->seconds, totals->exit);
}

const reporter reporter_json = {begin, refused, item, end};
