/* SPDX-License-Identifier: MIT */
/* random.c - random fills and dropout: element p in C order takes number p of
 * the draw (nn/random.h), whatever the threads and the pitch are. */
#include <math.h>

#include <nn/random.h>

#include "handler.h"

#define CHUNK 1024

/* One operation: MAP with the rows, what is drawn for them, and how. */
typedef struct draw {
    const nn_handler *handler;
    cpu_map map;
    uint32_t operation;
    uint32_t dtype;
    const nn_attributes *with;
} draw;

static void put(const cpu_row *row, uint32_t dtype, int64_t i, double value)
{
    if (dtype == NN_FLOAT64) {
        double *to = (double *)row->y + i;

        *to = row->add ? *to + value : value;
    } else {
        float *to = (float *)row->y + i;

        *to = (float)(row->add ? (double)*to + value : value);
    }
}

/* a + (b - a) u.  Product and sum are rounded one after the other on every
 * machine: the numbers are equal to the bit. */
#if defined __GNUC__ && !defined __clang__
__attribute__((optimize("fp-contract=off")))
#endif
static void
fill_uniform(const cpu_row *row, uint32_t dtype)
{
    double range = row->b - row->a;
    int64_t i;

    for (i = 0; i < row->n; ++i) {
        double scaled = range * ((row->words[i] >> 8) * (1.0 / 16777216.0));

        put(row, dtype, i, row->a + scaled);
    }
}

/* Normal numbers; a pair of words makes a pair of them, as nn_random_gaussian
 * does.  WORDS start with the pair of the first element, whose second half is
 * that element if SKIP is 1. */
static void fill_gaussian(const cpu_row *row, uint32_t dtype, int64_t skip,
                          const uint32_t *words)
{
    int64_t i;

    for (i = -skip; i < row->n; i += 2, words += 2) {
        double radius = sqrt(-2.0 *
                             log(((words[0] >> 8) + 1) * (1.0 / 16777216.0)));
        double angle = (words[1] >> 8) * (6.283185307179586 / 16777216.0);

        if (i >= 0)
            put(row, dtype, i, row->a + row->b * (radius * cos(angle)));
        if (i + 1 < row->n)
            put(row, dtype, i + 1, row->a + row->b * (radius * sin(angle)));
    }
}

/* Words below it are the events of PROBABILITY: w < q 2^32. */
static uint64_t events_of(double probability)
{
    double count = ceil(probability * 4294967296.0);

    if (!(count > 0))
        return 0;
    return count < 4294967296.0 ? (uint64_t)count : UINT64_C(1) << 32;
}

/* N <= CHUNK elements from column COLUMN of row LINE. */
static void draw_chunk(const draw *all, int64_t line, int64_t column, int64_t n)
{
    const nn_random *random = &all->with->random;
    const cpu_map *map = &all->map;
    uint64_t first = random->first + (uint64_t)(line * map->columns + column);
    int64_t skip = all->operation == NN_OP_FILL_GAUSSIAN ? first % 2 : 0;
    uint32_t words[CHUNK + 2]; /* a half pair more at each end */
    cpu_row row = map->row;

    if (row.x)
        row.x = (const char *)row.x + line * map->x_pitch + column * map->bytes;
    row.y = (char *)row.y + line * map->y_pitch + column * map->bytes;
    row.n = n;
    row.words = words;
    all->handler->set->words(random, first - (uint64_t)skip, n + skip + 1,
                             words);
    if (all->operation == NN_OP_FILL_GAUSSIAN)
        fill_gaussian(&row, all->dtype, skip, words);
    else if (all->operation == NN_OP_FILL_UNIFORM)
        fill_uniform(&row, all->dtype);
    else
        map->run(&row);
}

/* Elements BEGIN to END - 1 in C order. */
static void draw_range(void *context, int64_t begin, int64_t end)
{
    const draw *all = context;
    int64_t columns = all->map.columns;
    int64_t i = begin;

    while (i < end) {
        int64_t column = i % columns;
        int64_t n = columns - column;

        if (n > end - i)
            n = end - i;
        if (n > CHUNK)
            n = CHUNK;
        draw_chunk(all, i / columns, column, n);
        i += n;
    }
}

void cpu_random(nn_handler *handler, uint32_t operation,
                const nn_array *const *operands, const nn_attributes *with)
{
    int is_dropout = operation == NN_OP_DROPOUT_T;
    const nn_array *y = operands[is_dropout];
    draw all = {.handler = handler,
                .operation = operation,
                .dtype = y->dtype,
                .with = with};

    cpu_map_init(&all.map, cpu_kernels_for(handler, y->dtype)->map[operation],
                 is_dropout ? operands[0] : NULL, NULL, NULL, y);
    all.map.row.a = is_dropout ? 1 - with->a : with->a;
    all.map.row.b = with->b;
    all.map.row.events = events_of(all.map.row.a);
    if ((!is_dropout || nn_is_dense(operands[0])) && nn_is_dense(y)) {
        all.map.columns *= all.map.rows;
        all.map.rows = 1;
    }
    cpu_pool_for(handler->pool, all.map.rows * all.map.columns, CPU_GRAIN,
                 draw_range, &all);
}
