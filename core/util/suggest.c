/* SPDX-License-Identifier: MIT */
/* suggest.c - see suggest.h.
 *
 * The distance is the number of insertions, deletions, replacements and swaps
 * of neighbours that turn one word into the other (optimal string alignment),
 * with upper and lower case, and '-' and '_', taken as equal.  A name is near
 * if the distance is at most a third of the longer length, and 3.  A word of
 * three letters or more that begins the name ("learning" for "learning_rate")
 * or ends it at a joint ("rate") is near as well, but any name by distance is
 * preferred to it. */
#include "core/util/suggest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64 /* bytes; longer words get no suggestion */
#define FAR 1000u
#define PART 10u

void nn_suggest_start(nn_suggest *suggest, const char *word)
{
    suggest->word = word;
    suggest->name = NULL;
    suggest->cost = FAR;
}

static int fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    return c == '-' ? '_' : c;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Distance of A and B; rows[2] is the row of i, rows[1] of i - 1, ... */
static uint32_t distance(const char *a, size_t a_length, const char *b,
                         size_t b_length)
{
    uint32_t rows[3][LONGEST + 1] = {{0}};
    size_t i;
    size_t j;

    for (j = 0; j <= b_length; ++j)
        rows[2][j] = (uint32_t)j;
    for (i = 1; i <= a_length; ++i) {
        memmove(rows[0], rows[1], 2 * sizeof rows[0]);
        rows[2][0] = (uint32_t)i;
        for (j = 1; j <= b_length; ++j) {
            int same = fold(a[i - 1]) == fold(b[j - 1]);
            uint32_t cost = rows[1][j - 1] + !same;

            cost = least(cost, rows[1][j] + 1);
            cost = least(cost, rows[2][j - 1] + 1);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                cost = least(cost, rows[0][j - 2] + 1);
            rows[2][j] = cost;
        }
    }
    return rows[2][b_length];
}

/* True if WORD is the beginning of NAME, or its end after a '_'. */
static int is_part(const char *word, size_t length, const char *name,
                   size_t name_length)
{
    if (length < 3 || name_length <= length)
        return 0;
    if (memcmp(word, name, length) == 0)
        return 1;
    return name[name_length - length - 1] == '_' &&
           memcmp(word, name + name_length - length, length) == 0;
}

void nn_suggest_offer(nn_suggest *suggest, const char *name)
{
    size_t length = strlen(suggest->word);
    size_t name_length = name ? strlen(name) : 0;
    size_t longer = length > name_length ? length : name_length;
    uint32_t cost;

    if (length == 0 || name_length == 0 || longer > LONGEST)
        return;
    cost = distance(suggest->word, length, name, name_length);
    if (cost > 3 || cost > longer / 3)
        cost = is_part(suggest->word, length, name, name_length) ? PART : FAR;
    if (cost < suggest->cost) {
        suggest->cost = cost;
        suggest->name = name;
    }
}

const char *nn_suggest_tail(const nn_suggest *suggest, char buffer[128])
{
    buffer[0] = '\0';
    if (suggest->name)
        snprintf(buffer, 128, "; did you mean '%s'?", suggest->name);
    return buffer;
}
