/* SPDX-License-Identifier: MIT */
/* support.c - see support.h. */
#include "tests/unit/network/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <nn/random.h>

#include "core/reference/reference.h"

#define STEP 2e-6
#define TOLERANCE 2e-8

const nn_component *const *net_components;
void (*net_adapt)(nn_handler_interface *interface);

static nn_registry *registry;

/* ---- components -------------------------------------------------------- */

static const char *const test_layers[] = {"chain",   "counter", "frames",
                                          "grouped", "lists",   "optional",
                                          "pair",    "reserve", "tied"};

#define N_TEST_LAYERS (sizeof test_layers / sizeof *test_layers)

/* The file of test layer NAME, in one of the places where the build may put
 * it. */
static void find_file(const char *name, char path[1024])
{
    static const char *const starts[] = {"plugins_src/layers/.libs/",
                                         "plugins_src/.libs/layer_",
                                         "plugins_src/.libs/"};
    const char *build = getenv("abs_top_builddir");
    size_t i;

    for (i = 0; i < sizeof starts / sizeof *starts; ++i) {
        snprintf(path, 1024, "%s/tests/%s%s.so", build ? build : ".", starts[i],
                 name);
        if (!access(path, R_OK))
            return;
    }
    fail_msg("there is no test layer '%s' in the build", name);
}

static void open_registry(void)
{
    static char paths[N_TEST_LAYERS][1024];
    const char *files[N_TEST_LAYERS];
    nn_registry_options options;
    size_t i;

    memset(&options, 0, sizeof options);
    for (i = 0; i < N_TEST_LAYERS; ++i) {
        find_file(test_layers[i], paths[i]);
        files[i] = paths[i];
    }
    options.files = files;
    options.n_files = N_TEST_LAYERS;
    nn_error_clear();
    if (nn_host_provide(NN_REFERENCE, &nn_reference_table) ||
        nn_registry_create(&options, &registry))
        fail_msg("%s", nn_error_text());
}

static void close_registry(void)
{
    nn_registry_destroy(registry);
    registry = NULL;
}

static const nn_component *find(void *self, uint32_t kind, const char *name)
{
    const nn_registry_component *found;
    const nn_component *live = NULL;
    size_t i;

    (void)self;
    for (i = 0; net_components && net_components[i]; ++i)
        if (net_components[i]->kind == kind &&
            !strcmp(net_components[i]->name, name))
            return net_components[i];
    found = nn_registry_find(registry, kind, name);
    if (!found || nn_registry_load(registry, found, &live))
        return NULL;
    return live;
}

static const char *name_of(void *self, uint32_t kind, int64_t index)
{
    const nn_registry_component *one;
    uint32_t i;

    (void)self;
    for (i = 0; (one = nn_registry_component_at(registry, i)); ++i)
        if (one->description->kind == kind && index-- == 0)
            return one->description->name;
    return NULL;
}

static const nn_catalog catalog = {.find = find, .name = name_of};

/* ---- making ------------------------------------------------------------ */

static nn_node *parse(net *n, const char *text)
{
    nn_node *node = NULL;

    if (nn_node_read(text, strlen(text), "test.yaml", &n->diagnostics, &node))
        fail_msg("%s", nn_error_text());
    return node;
}

static int32_t make_network(net *n, const net_options *options)
{
    const nn_component *handler = find(NULL, NN_KIND_HANDLER, "reference");
    nn_handler_request request = {NN_SIZEOF(nn_handler_request, deterministic),
                                  options->real ? options->real : NN_FLOAT64,
                                  1};
    nn_network_options wanted;
    int32_t code;

    assert_non_null(handler);
    memset(&wanted, 0, sizeof wanted);
    memcpy(&n->interface, handler->interface, sizeof n->interface);
    assert_int_equal(n->interface.create(nn_registry_host(registry), NULL,
                                         &request, &n->handler),
                     0);
    if (net_adapt)
        net_adapt(&n->interface);
    wanted.host = nn_registry_host(registry);
    wanted.interface = &n->interface;
    wanted.handler = n->handler;
    wanted.training = !options->inference;
    wanted.deltas = options->deltas;
    wanted.T = options->T ? options->T : 1;
    wanted.B = options->B ? options->B : 3;
    wanted.seed = options->seed ? options->seed : 1;
    wanted.keep = options->keep;
    while (options->keep && options->keep[wanted.n_keep])
        ++wanted.n_keep;
    code = nn_network_plan(n->graph, &wanted, &n->network);
    if (code || options->unallocated)
        return code;
    code = nn_network_allocate(n->network);
    if (options->rules)
        n->rules = parse(n, options->rules);
    if (!code)
        code = nn_network_initialize(n->network, n->rules, &n->diagnostics);
    return code;
}

int32_t net_try(net *n, const char *inputs, const char *layers,
                const net_options *options)
{
    static const net_options none;
    const nn_component *input;
    int32_t code;

    options = options ? options : &none;
    memset(n, 0, sizeof *n);
    nn_diagnostics_init(&n->diagnostics);
    if (!registry) {
        open_registry();
        atexit(close_registry);
    }
    nn_error_clear();
    input = find(NULL, NN_KIND_LAYER, "input");
    assert_non_null(input);
    n->inputs = parse(n, inputs);
    n->layers = parse(n, layers);
    code = nn_graph_create(&catalog, nn_registry_host(registry), input,
                           n->inputs, n->layers,
                           options->real ? options->real : NN_FLOAT64,
                           &n->diagnostics, &n->graph);
    if (!code && !options->unplanned)
        code = make_network(n, options);
    nn_diagnostics_render(&n->diagnostics, &n->messages);
    return code;
}

void net_make(net *n, const char *inputs, const char *layers,
              const net_options *options)
{
    if (net_try(n, inputs, layers, options))
        fail_msg("%s %s", nn_error_text(), nn_text_string(&n->messages));
    assert_string_equal(nn_text_string(&n->messages), "");
    assert_int_equal(nn_error_code(), 0);
}

void net_finish(net *n)
{
    nn_network_destroy(n->network);
    if (n->handler)
        n->interface.destroy(n->handler);
    nn_graph_destroy(n->graph);
    nn_node_destroy(n->inputs);
    nn_node_destroy(n->layers);
    nn_node_destroy(n->rules);
    nn_text_finish(&n->messages);
    nn_diagnostics_finish(&n->diagnostics);
    memset(n, 0, sizeof *n);
}

void net_expect(const char *inputs, const char *layers,
                const net_options *options, const char *id, ...)
{
    va_list texts;
    const char *text;
    net n;

    if (!net_try(&n, inputs, layers, options))
        fail_msg("no error for %s", layers);
    if (strcmp(nn_error_id(), id))
        fail_msg("%s instead of %s: %s", nn_error_id(), id, nn_error_text());
    va_start(texts, id);
    while ((text = va_arg(texts, const char *)))
        if (!strstr(nn_error_text(), text))
            fail_msg("'%s' is not in: %s", text, nn_error_text());
    va_end(texts);
    net_finish(&n);
    nn_error_clear();
}

/* ---- passes ------------------------------------------------------------ */

void net_begin(net *n, int64_t T, int64_t B, uint32_t flags)
{
    n->T = T;
    n->B = B;
    if (nn_network_begin(n->network, T, B, flags))
        fail_msg("%s", nn_error_text());
}

double net_random(uint64_t seed, uint64_t place)
{
    return (double)(nn_mix(nn_mix(seed) + place) >> 11) / 4503599627370496.0 -
           1.0;
}

static void store(void *data, uint32_t dtype, int64_t i, double value)
{
    if (dtype == NN_FLOAT64)
        ((double *)data)[i] = value;
    else if (dtype == NN_FLOAT32)
        ((float *)data)[i] = (float)value;
    else if (dtype == NN_INT32)
        ((int32_t *)data)[i] = (int32_t)value;
    else
        ((uint8_t *)data)[i] = (uint8_t)value;
}

static double load(const void *data, uint32_t dtype, int64_t i)
{
    if (dtype == NN_FLOAT64)
        return ((const double *)data)[i];
    if (dtype == NN_FLOAT32)
        return (double)((const float *)data)[i];
    if (dtype == NN_INT32)
        return ((const int32_t *)data)[i];
    return ((const uint8_t *)data)[i];
}

static void upload(net *n, const nn_array *array, const double *values)
{
    int64_t count = nn_elements(array);
    void *data = malloc((size_t)(count * nn_dtype_bytes(array->dtype)));
    int64_t i;

    for (i = 0; i < count; ++i)
        store(data, array->dtype, i, values[i]);
    if (nn_network_upload(n->network, array, data))
        fail_msg("%s", nn_error_text());
    free(data);
}

void net_set(net *n, const char *input, const double *values)
{
    nn_array array;

    if (nn_network_input(n->network, input, &array))
        fail_msg("%s", nn_error_text());
    upload(n, &array, values);
}

void net_draw(net *n, uint64_t seed)
{
    const nn_buffers *inputs = &n->graph->layers[0].outputs;
    uint32_t k;

    for (k = 0; k < inputs->count; ++k) {
        nn_array array;
        double *values;
        int64_t count;
        int64_t i;

        assert_int_equal(nn_network_input(n->network, inputs->items[k].name,
                                          &array),
                         0);
        count = nn_elements(&array);
        values = malloc((size_t)count * sizeof *values);
        for (i = 0; i < count; ++i) {
            values[i] = net_random(seed + k, (uint64_t)i);
            if (array.dtype != NN_FLOAT64 && array.dtype != NN_FLOAT32)
                values[i] = values[i] > 0;
        }
        upload(n, &array, values);
        free(values);
    }
}

void net_forward(net *n)
{
    n->network->update = n->update;
    if (nn_network_forward(n->network, 0, NULL))
        fail_msg("%s", nn_error_text());
}

void net_backward(net *n, uint32_t flags)
{
    if (nn_network_backward(n->network, flags))
        fail_msg("%s", nn_error_text());
}

void net_pass(net *n, int64_t T, int64_t B, uint32_t flags, uint64_t seed)
{
    net_begin(n, T, B, flags);
    net_draw(n, seed);
    net_forward(n);
    if (flags & NN_PASS_BACKWARD)
        net_backward(n, 0);
}

void net_with_small_stack(void (*work)(void))
{
    struct rlimit before;
    struct rlimit small;

    assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
    small = before;
    small.rlim_cur = 256 * 1024;
    assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
    work();
    assert_int_equal(setrlimit(RLIMIT_STACK, &before), 0);
}

double net_loss(net *n)
{
    double loss = NAN;

    if (nn_network_loss(n->network, &loss, NULL, NULL))
        fail_msg("%s", nn_error_text());
    return loss;
}

/* ---- buffers ----------------------------------------------------------- */

double *net_get(net *n, const char *path, int64_t *count)
{
    nn_host_array array;
    double *values;
    int64_t all = 1;
    int64_t i;

    if (nn_network_snapshot(n->network, path, &array))
        fail_msg("%s", nn_error_text());
    for (i = 0; i < array.ndim; ++i)
        all *= array.shape[i];
    values = malloc((size_t)all * sizeof *values);
    for (i = 0; i < all; ++i)
        values[i] = load(array.data, array.dtype, i);
    nn_free(array.data);
    if (count)
        *count = all;
    return values;
}

void net_check(net *n, const char *path, const double *values, int64_t count,
               double tolerance)
{
    int64_t found;
    double *got = net_get(n, path, &found);
    int64_t i;

    assert_int_equal(found, count);
    for (i = 0; i < count; ++i)
        if (!(fabs(got[i] - values[i]) <= tolerance))
            fail_msg("%s, element %lld: %.17g instead of %.17g", path,
                     (long long)i, got[i], values[i]);
    free(got);
}

void net_put(net *n, const char *path, const double *values)
{
    nn_array array;

    if (nn_network_view(n->network, path, &array))
        fail_msg("%s", nn_error_text());
    upload(n, &array, values);
}

static void *map_block(net *n, uint32_t block)
{
    void *data = n->interface.map(n->handler, n->network->blocks[block], 0,
                                  n->network->layout->bytes[block],
                                  NN_MAP_READ | NN_MAP_WRITE);

    assert_non_null(data);
    return data;
}

static void unmap_block(net *n, uint32_t block, void *data)
{
    n->interface.unmap(n->handler, n->network->blocks[block], data,
                       NN_MAP_READ | NN_MAP_WRITE);
}

void net_fill_block(net *n, uint32_t block, int value)
{
    size_t bytes = (size_t)n->network->layout->bytes[block];
    void *data;

    if (!bytes)
        return;
    data = map_block(n, block);
    memset(data, value, bytes);
    unmap_block(n, block, data);
}

void *net_block(net *n, uint32_t block)
{
    size_t bytes = (size_t)n->network->layout->bytes[block];
    void *copy = calloc(1, bytes + 1);
    void *data;

    if (!bytes)
        return copy;
    data = map_block(n, block);
    memcpy(copy, data, bytes);
    unmap_block(n, block, data);
    return copy;
}

void net_put_block(net *n, uint32_t block, const void *bytes)
{
    void *data;

    if (!n->network->layout->bytes[block])
        return;
    data = map_block(n, block);
    memcpy(data, bytes, (size_t)n->network->layout->bytes[block]);
    unmap_block(n, block, data);
}

/* ---- gradients --------------------------------------------------------- */

/* The loss with element I of the buffer at PATH changed by STEP. */
static double loss_at(net *n, const char *path, double *values, int64_t i,
                      double step)
{
    double old = values[i];
    void *state = net_block(n, NN_BLOCK_STATE);
    double loss;

    values[i] = old + step;
    net_put(n, path, values);
    values[i] = old;
    net_forward(n);
    loss = net_loss(n);
    net_put(n, path, values);
    net_put_block(n, NN_BLOCK_STATE, state);
    free(state);
    return loss;
}

/* The derivative of the loss by the buffer at PATH against those at DELTAS. */
static void compare(net *n, const char *path, const char *deltas)
{
    int64_t count;
    double *values = net_get(n, path, &count);
    double *given = net_get(n, deltas, NULL);
    double loss = net_loss(n);
    int64_t i;

    for (i = 0; i < count; ++i) {
        double wanted = (loss_at(n, path, values, i, STEP) -
                         loss_at(n, path, values, i, -STEP)) /
                        (2 * STEP);

        /* Curvature, and losses rounded to 1e-16 of themselves. */
        if (!(fabs(given[i] - wanted) <=
              TOLERANCE * (1 + fabs(wanted)) + 1e-14 * fabs(loss) / STEP))
            fail_msg("%s, element %lld: %.12g, by differences %.12g", deltas,
                     (long long)i, given[i], wanted);
    }
    free(values);
    free(given);
}

/* PATH with OLD in it replaced by NEW. */
static void replaced(const char *path, const char *old, const char *new,
                     char result[1024])
{
    const char *at = strstr(path, old);

    assert_non_null(at);
    snprintf(result, 1024, "%.*s%s%s", (int)(at - path), path, new,
             at + strlen(old));
}

void net_check_gradients(net *n, int64_t T, int64_t B, uint32_t flags)
{
    const nn_layout *layout = n->network->layout;
    char other[1024];
    void *state = net_block(n, NN_BLOCK_STATE);
    int checked = 0;
    int32_t i;

    for (i = 0; i < layout->n_records; ++i) {
        const nn_record *one = &layout->records[i];
        int input = one->sort == NN_SORT_OUTPUT_DELTA &&
                    !strncmp(one->path, "inputs.", 7);

        if (!input && (one->sort != NN_SORT_PARAMETER || !one->declared))
            continue;
        net_put_block(n, NN_BLOCK_STATE, state);
        net_pass(n, T, B, flags | NN_PASS_BACKWARD, 7);
        net_put_block(n, NN_BLOCK_STATE, state);
        if (input) {
            replaced(one->path, ".output_deltas.", ".outputs.", other);
            compare(n, other, one->path);
        } else {
            replaced(one->path, ".parameters.", ".gradients.", other);
            compare(n, one->path, other);
        }
        ++checked;
    }
    free(state);
    assert_true(checked > 0);
}
