/* SPDX-License-Identifier: MIT */
/* report_human.c - for reading: one line a check, and for a failure what a
 * person needs to find it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/catalogue.h"
#include "conformance/report.h"

#define WIDTH 79
#define SHOWN 3u /* failures of a check, unless all are wanted */

static const char *word_of(enum status status)
{
    static const char *const words[STATUSES] = {"ok",    "FAIL", "CRASH",
                                                "HANG",  "skip", "xfail",
                                                "XPASS", "ERROR"};

    return words[status];
}

static int has_colour(void)
{
    return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

/* The word for STATUS in its colour. */
static void put_status(enum status status)
{
    int bad = status_is_bad(status) || status == STATUS_BROKEN;
    const char *colour = bad                     ? "\033[1;31m"
                         : status == STATUS_PASS ? "\033[32m"
                                                 : "\033[33m";

    if (has_colour())
        printf("%s%-6s\033[0m", colour, word_of(status));
    else
        printf("%-6s", word_of(status));
}

/* LABEL and TEXT, wrapped at blanks, lines of TEXT kept. */
static void put_labelled(const char *label, const char *text)
{
    int column = printf("        %-9s ", label);
    int indent = column;
    const char *word = text;
    int length;

    while (*word) {
        length = (int)strcspn(word, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        column += printf("%s%.*s", column > indent ? " " : "", length, word);
        word += length;
        if (*word == '\n' && word[1]) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        word += *word != '\0';
    }
    printf("\n");
}

static void put_findings(const plan *plan, const result *result)
{
    uint32_t shown = plan->options->verbose ? UINT32_MAX : SHOWN;
    uint32_t i;

    for (i = 0; i < result->n_findings && i < shown; ++i) {
        if (*result->findings[i].where)
            put_labelled("where", result->findings[i].where);
        if (*result->findings[i].expected)
            put_labelled("expected", result->findings[i].expected);
        if (*result->findings[i].got)
            put_labelled("got", result->findings[i].got);
    }
    if (result->failures > i)
        printf("        and %lld more%s\n", (long long)result->failures - i,
               plan->options->verbose ? "" : " (--verbose shows them)");
}

static void put_notes(const plan *plan, const result *result)
{
    uint32_t i;

    if (result->status == STATUS_PASS && !plan->options->verbose) {
        for (i = 0; i < result->n_notes; ++i)
            if (!strncmp(result->notes[i], "printed to ", 11))
                put_labelled("note", result->notes[i]);
        return;
    }
    for (i = 0; i < result->n_notes; ++i)
        put_labelled("note", result->notes[i]);
}

/* A command is never wrapped, so that it can be pasted. */
static void put_command(const plan *plan, const plan_item *item)
{
    char *text = plan_command(plan, item);

    printf("        %-9s %s\n", "again", text);
    free(text);
}

static void put_why(const plan_item *item)
{
    if (item->result.ended) {
        put_labelled("why", "a plugin runs inside programs of others: if it "
                            "ends or stops one, their work is lost");
        return;
    }
    put_labelled("right is", item->check->what);
    put_labelled("why", item->check->why);
}

static void item(const plan *plan, const plan_item *item, uint32_t number)
{
    const result *result = &item->result;

    (void)number;
    if (plan->n_files > 1 &&
        (item == plan->items || item[-1].file != item->file))
        printf("# %s\n", item->file->given);
    put_status(result->status);
    printf("%-32s %s", item->check->id,
           *item->component ? strchr(item->component, ':') + 1 : "(the file)");
    if (*result->reason)
        printf(" (%s)", result->reason);
    if (plan->options->verbose)
        printf(" [seed %llu, %lld tested, %.2f s]",
               (unsigned long long)item->seed, (long long)result->tested,
               result->seconds);
    printf("\n");
    if (status_is_bad(result->status) && result->status != STATUS_XPASS) {
        put_findings(plan, result);
        put_why(item);
        put_command(plan, item);
    } else if (result->status == STATUS_XPASS) {
        put_labelled("got", "it passes, though the file of known failures "
                            "names it: take it out there");
    }
    put_notes(plan, result);
    if (plan->options->verbose && *result->out)
        put_labelled("stdout", result->out);
    if (plan->options->verbose && *result->err)
        put_labelled("stderr", result->err);
}

static void refused(const plan *plan, const plan_file *file, uint32_t number)
{
    (void)plan;
    (void)number;
    put_status(STATUS_FAIL);
    printf("%-32s %s\n", "(load)", file->given);
    put_labelled("got", file->refused);
}

static void begin(const plan *plan)
{
    const plan_file *file;
    const char *last;
    uint32_t i;
    uint32_t j;

    for (i = 0; i < plan->n_files; ++i) {
        file = &plan->files[i];
        printf("%s", file->given);
        last = "";
        for (j = 0; j < plan->n_items; ++j)
            if (plan->items[j].file == file && *plan->items[j].component &&
                strcmp(plan->items[j].component, last)) {
                printf("%s %s", *last ? "," : ":", plan->items[j].component);
                last = plan->items[j].component;
            }
        printf("\n");
    }
    for (i = 0; i < plan->n_files && plan->files[i].refused; ++i)
        continue;
    printf("level %s, handler %s, seed %llu, %u checks\n\n",
           level_name(plan->options->level),
           i < plan->n_files ? plan->files[i].handler : "none",
           (unsigned long long)plan->options->seed, plan->n_items);
}

static void end(const plan *plan, const totals *totals)
{
    uint32_t failed = totals->of[STATUS_FAIL] + totals->of[STATUS_CRASH] +
                      totals->of[STATUS_TIMEOUT] + totals->of[STATUS_XPASS];

    printf("\n%u passed, %u failed, %u skipped", totals->of[STATUS_PASS],
           failed, totals->of[STATUS_SKIP]);
    if (totals->of[STATUS_XFAIL])
        printf(", %u failed as known", totals->of[STATUS_XFAIL]);
    if (totals->of[STATUS_BROKEN])
        printf(", %u could not be run", totals->of[STATUS_BROKEN]);
    if (totals->refused)
        printf(", %u %s not loaded", totals->refused,
               totals->refused == 1 ? "file" : "files");
    printf(" in %.1f s\n", totals->seconds);
    if (totals->exit == 77)
        printf("there was nothing to check%s\n",
               plan->n_items ? ": the component is of no use on this machine"
                             : "");
    else if (totals->exit == 1 && !failed)
        printf("no check could be applied, which is no success\n");
}

const reporter reporter_human = {begin, refused, item, end};

const reporter *const reporters[] = {
    [FORMAT_HUMAN] = &reporter_human,
    [FORMAT_JSON] = &reporter_json,
    [FORMAT_TAP] = &reporter_tap,
    [FORMAT_JUNIT] = &reporter_junit,
};
