/* SPDX-License-Identifier: MIT */
/* sparse.c - a fixed number of incoming connections for each unit.
 *
 * The parameter is taken as a matrix of n rows (the first axis: the units) and
 * m columns (the product of the other axes: what comes in).  In each row k
 * places, drawn without repetition, get
 *
 *     w = std z
 *
 * z standard normal numbers, std the standard deviation (0.01); the others are
 * exactly 0.  k is `connections` (15), at most m; or, if `sparsity` is given,
 * m less round(sparsity m).
 *
 * The places are found in one walk over the row: a place is taken with the
 * probability (still wanted) / (places left), which gives exactly k (Fan,
 * Muller, Rezucha, "Development of Sampling Plans by Using Sequential (Item by
 * Item) Selection Techniques and Digital Computers", 1962).
 *
 * Martens, "Deep learning via Hessian-free optimization", 2010, which has
 * k = 15.
 *
 * Other libraries: in PyTorch sparsity is the share of zeros, in a column; in
 * Lasagne it is the share that is not zero.  Brainstorm's SparseOutputs limits
 * rows, its SparseInputs columns. */
#include <nn/describe.h>
#include <nn/random.h>
#include <nn/training.h>

#define CONNECTIONS 0u
#define SPARSITY 1u
#define STD 2u

static const nn_param connections =
    NN_INT_PARAM("connections", NN_PARAM_MAIN | NN_PARAM_RANGED, "15", 0,
                 INFINITY, "incoming connections of each unit, at most all");
static const nn_param sparsity = NN_REAL_PARAM(
    "sparsity", NN_PARAM_NULLABLE | NN_PARAM_RANGED, NULL, 0, 1,
    "share of the incoming weights that is 0, instead of connections");
static const nn_param deviation =
    NN_REAL_PARAM("std", NN_PARAM_RANGED, "0.01", 0, INFINITY,
                  "standard deviation of the weights that are not 0");

static const nn_param *const params[] = {&connections, &sparsity, &deviation};

/* The connections of a unit with COLUMNS inputs. */
static int64_t wanted(const nn_params *given, int64_t columns)
{
    int64_t k = nn_param_int(given, CONNECTIONS);

    if (nn_param_value(given, SPARSITY)->type)
        k = columns - llround(nn_param_real(given, SPARSITY) * (double)columns);
    return k < columns ? k : columns;
}

static int32_t fill(const nn_initialize *what)
{
    const double std = nn_param_real(what->params, STD);
    nn_random numbers = what->random;
    int64_t columns = 1;
    int64_t at = 0;
    int64_t row;
    uint32_t axis;

    if (nn_param_value(what->params, SPARSITY)->type &&
        nn_param_value(what->params, CONNECTIONS)->given)
        return nn_fail(what->host, NN_INVALID_ARGUMENT, "sparse.both",
                       "sparse: give connections or sparsity, not both");
    ++numbers.stream;
    for (axis = 1; axis < what->ndim; ++axis)
        columns *= what->shape[axis];
    for (row = 0; row < what->shape[0]; ++row) {
        int64_t open = wanted(what->params, columns);
        int64_t left;

        for (left = columns; left > 0; --left, ++at) {
            const uint64_t place = (uint64_t)at;
            const int taken = nn_random_event(&what->random, place,
                                              (double)open / (double)left);

            what->values[at] = taken ? std * nn_random_gaussian(&numbers, place)
                                     : 0.0;
            open -= taken;
        }
    }
    return NN_OK;
}

static const nn_initializer_interface interface = {
    .size = NN_SIZEOF(nn_initializer_interface, fill),
    .fill = fill,
};

static const nn_component component = {
    .size = NN_SIZEOF(nn_component, outputs),
    .kind = NN_KIND_INITIALIZER,
    .n_params = sizeof params / sizeof *params,
    .name = "sparse",
    .summary = "A fixed number of incoming connections a unit",
    .doc = "Each row of the first axis gets k weights at places drawn "
           "without repetition, w = std z with z standard normal; the "
           "others are 0. k is `connections`, or what `sparsity`, the "
           "share of zeros, leaves. Martens, \"Deep learning via Hessian-"
           "free optimization\", 2010.",
    .params = params,
    .interface = &interface,
};

static const nn_component *const components[] = {&component};

NN_PLUGIN_ENTRY(initializer_sparse) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.initializer.sparse",
    .name = "sparse",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "A fixed number of incoming connections a unit",
    .n_components = 1,
    .components = components,
};
