/* SPDX-License-Identifier: MIT */
/* scoring.c - see scoring.h. */
#define _GNU_SOURCE
#include "conformance/training/scoring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

double *scoring_room(trial *t, int64_t count)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (size_t)count * sizeof(double);
    size_t pages = (bytes + page - 1) / page * page;
    char *block = mmap(NULL, pages + 2 * page, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED ||
        mprotect(block + page, pages, PROT_READ | PROT_WRITE)) {
        trial_broken(t, "no pages for the arrays");
        return trial_alloc(t, bytes);
    }
    return (double *)(void *)(block + page + pages - bytes);
}

static double class_of(int64_t row)
{
    return (double)(row % SCORING_CLASSES);
}

static void lay_out(scoring *s, enum scoring_form form)
{
    int64_t i;
    int64_t j;

    s->rows = SCORING_ROWS;
    s->columns = form == SCORING_ONE ? 1 : SCORING_CLASSES;
    s->target_columns = form == SCORING_COLUMNS ? SCORING_CLASSES : 1;
    s->predictions = scoring_room(s->t, s->rows * s->columns);
    s->targets = scoring_room(s->t, s->rows * s->target_columns);
    s->mask = scoring_room(s->t, s->rows);
    for (i = 0; i < s->rows; ++i) {
        s->mask[i] = 1;
        for (j = 0; j < s->target_columns; ++j)
            s->targets[i * s->target_columns + j] = form == SCORING_COLUMNS
                                                        ? class_of(i) ==
                                                              (double)j
                                                    : form == SCORING_LABELS
                                                        ? class_of(i)
                                                        : (double)(i % 2);
    }
    scoring_perfect(s);
}

void scoring_perfect(scoring *s)
{
    int64_t i;
    int64_t j;

    for (i = 0; i < s->rows; ++i)
        for (j = 0; j < s->columns; ++j)
            s->predictions[i * s->columns + j] = s->columns == 1
                                                     ? (double)(i % 2)
                                                     : class_of(i) == (double)j;
}

void scoring_middling(scoring *s)
{
    int64_t i;
    int64_t j;

    for (i = 0; i < s->rows; ++i)
        for (j = 0; j < s->columns; ++j)
            s->predictions[i * s->columns + j] =
                0.05 + 0.9 * (double)((i * 7 + j * 5) % 11) / 11;
}

void scoring_add(scoring *s, int64_t first, int64_t last, score *out)
{
    nn_scored what = {0};

    what.size = NN_SIZEOF(nn_scored, mask);
    what.host = &s->host.host;
    what.params = nn_part_params(s->part);
    what.rows = last - first;
    what.columns = s->columns;
    what.target_columns = s->target_columns;
    what.predictions = s->predictions + first * s->columns;
    what.targets = s->targets + first * s->target_columns;
    what.mask = s->masked ? s->mask + first : NULL;
    check_host_clear(&s->host);
    trial_enter(s->t, "score");
    out->code = s->f.score(&what, &out->sum, &out->weight);
    trial_leave(s->t);
}

score scoring_all(scoring *s)
{
    score out = {0, 0, 0};

    scoring_add(s, 0, s->rows, &out);
    return out;
}

int scoring_open(trial *t, const char *text, int sure, scoring *out)
{
    const nn_scorer_interface *theirs;
    int form;

    memset(out, 0, sizeof *out);
    out->t = t;
    out->text = text;
    if (check_host_init(t, &out->host))
        return -1;
    out->part = check_host_part(t, &out->host, text);
    if (!out->part) {
        if (sure)
            trial_fail(t, trial_text(t, "a scorer with %s", text),
                       "a config that is accepted",
                       check_host_message(&out->host));
        return -1;
    }
    theirs = nn_part_component(out->part)->interface;
    memcpy(&out->f, theirs,
           theirs->size < sizeof out->f ? theirs->size : sizeof out->f);
    for (form = 0; form < SCORING_FORMS; ++form) {
        lay_out(out, (enum scoring_form)form);
        if (scoring_all(out).code == NN_OK)
            return 0;
    }
    trial_fail(t, trial_text(t, "a batch with %s", text),
               "targets of one of three forms are accepted",
               check_host_message(&out->host));
    nn_part_destroy(out->part);
    return -1;
}

void scoring_close(scoring *s)
{
    nn_part_destroy(s->part);
}
