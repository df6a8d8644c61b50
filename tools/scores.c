/* SPDX-License-Identifier: MIT */
/* scores.c - see scores.h. */
#include "scores.h"

#include <math.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "talk.h"

#define MOST_SCORES 64u

static void print_line(const char *data, const nn_score *score)
{
    if (isnan(score->value))
        printf("%s %s: nan\n", data, score->name);
    else
        printf("%s %s: %.4f\n", data, score->name, score->value);
}

/* The accuracy comes last: it is what people look for first. */
static void print_lines(const char *data, const nn_score *scores,
                        uint32_t count)
{
    const nn_score *last = NULL;
    uint32_t i;

    for (i = 0; i < count; ++i)
        if (!strcmp(scores[i].name, "accuracy"))
            last = &scores[i];
        else
            print_line(data, &scores[i]);
    if (last)
        print_line(data, last);
}

static void print_object(const char *data, const nn_score *scores,
                         uint32_t count)
{
    struct json json = {stdout, 0, 0};
    uint32_t i;

    json_open(&json, NULL, '{');
    json_text(&json, "data", data);
    for (i = 0; i < count; ++i)
        json_real(&json, scores[i].name, scores[i].value);
    json_close(&json, '}');
}

int print_scores(nn_model *model, nn_data *data, const char *name,
                 int32_t as_json)
{
    nn_score scores[MOST_SCORES];
    uint32_t count = 0;

    if (nn_model_evaluate(model, data, scores, MOST_SCORES, &count))
        return talk_failure(STATUS_FAILED);
    if (count > MOST_SCORES)
        count = MOST_SCORES;
    if (as_json)
        print_object(name, scores, count);
    else
        print_lines(name, scores, count);
    return STATUS_OK;
}
