/* SPDX-License-Identifier: MIT */
/* orthogonal.c - a random matrix with orthogonal rows or columns.
 *
 * The parameter is taken as a matrix A of n rows (the first axis: the units)
 * and m columns (the product of the other axes).  If n <= m its rows become
 * orthonormal, A A^T = gain^2 I; else its columns, A^T A = gain^2 I.
 *
 * The vectors are drawn from a normal distribution and made orthogonal one
 * after the other by Gram-Schmidt, applied twice, in double (Giraud, Langou,
 * Rozloznik, van den Eshof, "Rounding error analysis of the classical
 * Gram-Schmidt orthogonalization process", 2005: twice is enough).  This is a
 * QR decomposition whose R has a positive diagonal, so no sign is left open
 * and the result is uniform over all such matrices (Mezzadri, "How to generate
 * random matrices from the classical compact groups", 2007).  A vector that
 * depends on the earlier ones is drawn again.
 *
 * Saxe, McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of
 * learning in deep linear neural networks", 2014.
 *
 * Other libraries: the same; Lasagne and Brainstorm take the vectors of a
 * singular value decomposition. */
#include <string.h>

#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

/* Draws of one vector before giving up; a second one is already rare. */
#define MAX_DRAWS 16

static const nn_param gain = NN_REAL_PARAM("gain",
                                           NN_PARAM_MAIN | NN_PARAM_RANGED, "1",
                                           0, INFINITY,
                                           "length of the orthogonal vectors");

static const nn_param *const params[] = {&gain};

/* Four sums, so that they need not wait for each other. */
static double dot(const double *a, const double *b, int64_t n)
{
    double sums[4] = {0, 0, 0, 0};
    int64_t i;

    for (i = 0; i + 4 <= n; i += 4) {
        sums[0] += a[i] * b[i];
        sums[1] += a[i + 1] * b[i + 1];
        sums[2] += a[i + 2] * b[i + 2];
        sums[3] += a[i + 3] * b[i + 3];
    }
    for (; i < n; ++i)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Takes from vector INDEX, of LENGTH elements, what the earlier ones hold. */
static void project(double *vectors, int64_t index, int64_t length)
{
    double *v = vectors + index * length;
    int64_t i;
    int64_t j;

    for (i = 0; i < index; ++i) {
        const double *u = vectors + i * length;
        const double share = dot(u, v, length);

        for (j = 0; j < length; ++j)
            v[j] -= share * u[j];
    }
}

/* Draws vector INDEX and makes it orthonormal to the earlier ones.  Returns 0
 * if it depended on them. */
static int draw(double *vectors, int64_t index, int64_t length,
                const nn_random *random)
{
    double *v = vectors + index * length;
    double before;
    double after;
    int64_t j;

    for (j = 0; j < length; ++j)
        v[j] = nn_random_gaussian(random, (uint64_t)(index * length + j));
    before = sqrt(dot(v, v, length));
    project(vectors, index, length);
    project(vectors, index, length);
    after = sqrt(dot(v, v, length));
    if (!(after > 1e-8 * before))
        return 0;
    for (j = 0; j < length; ++j)
        v[j] /= after;
    return 1;
}

/* COUNT <= LENGTH orthonormal vectors, one after the other. */
static int32_t draw_all(const nn_initialize *what, double *vectors,
                        int64_t count, int64_t length)
{
    int64_t i;

    for (i = 0; i < count; ++i) {
        nn_random random = what->random;
        int draws = 1;

        while (!draw(vectors, i, length, &random)) {
            ++random.stream;
            if (++draws > MAX_DRAWS)
                return nn_fail(what->host, NN_INTERNAL, "orthogonal.draws",
                               "orthogonal: no independent vectors for %s",
                               what->name);
        }
    }
    return NN_OK;
}

/* More rows than columns: the columns are drawn side by side in memory. */
static int32_t fill_tall(const nn_initialize *what, int64_t rows,
                         int64_t columns)
{
    const size_t bytes = (size_t)rows * (size_t)columns * sizeof(double);
    double *vectors = what->host->alloc(what->host, bytes);
    int32_t code;
    int64_t i;
    int64_t j;

    if (!vectors)
        return NN_NO_MEMORY;
    code = draw_all(what, vectors, columns, rows);
    for (i = 0; i < rows; ++i)
        for (j = 0; j < columns; ++j)
            what->values[i * columns + j] = vectors[j * rows + i];
    what->host->free(what->host, vectors);
    return code;
}

static int32_t fill(const nn_initialize *what)
{
    const double length = nn_param_real(what->params, 0);
    int64_t columns = 1;
    int64_t i;
    uint32_t axis;
    int32_t code;

    if (what->ndim < 2)
        return nn_fail(what->host, NN_SHAPE, "orthogonal.axes",
                       "orthogonal: %s has one axis and needs two", what->name);
    for (axis = 1; axis < what->ndim; ++axis)
        columns *= what->shape[axis];
    if (what->shape[0] <= columns)
        code = draw_all(what, what->values, what->shape[0], columns);
    else
        code = fill_tall(what, what->shape[0], columns);
    for (i = 0; code == NN_OK && i < what->shape[0] * columns; ++i)
        what->values[i] *= length;
    return code;
}

static const nn_initializer_interface interface = {
    .size = NN_SIZEOF(nn_initializer_interface, fill),
    .fill = fill,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_INITIALIZER,
    .n_params = sizeof params / sizeof *params,
    .name = "orthogonal",
    .summary = "Orthogonal rows or columns",
    .doc = "A = w as a matrix, first axis by the product of the others: A "
           "A^T = gain^2 I if it is no taller than wide, else A^T A = "
           "gain^2 I, uniform over all such matrices. Saxe, McClelland, "
           "Ganguli, \"Exact solutions to the nonlinear dynamics of "
           "learning in deep linear neural networks\", 2014.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_orthogonal) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.orthogonal",
    .name = "orthogonal",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Orthogonal rows or columns",
    .n_components = 1,
    .components = components,
};
