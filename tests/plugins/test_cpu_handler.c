/* SPDX-License-Identifier: MIT */
/* test_cpu_handler.c - the handler cpu through its interface: memory, choice of
 * kernels, errors, long sums, nn.linear/1 and nn.optimizer/1. */
#include "tests/plugins/test_cpu_support.h"

#include <stdint.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#include <nn/linear.h>
#include <nn/optimizer.h>

static void unknown_kernels_are_refused(void **state)
{
    machine m;

    (void)state;
    setenv("NN_CPU_KERNELS", "avx1024", 1);
    assert_int_equal(machine_init(&m, 1, 64), NN_UNSUPPORTED);
    assert_non_null(strstr(fake_text, "avx1024"));
    unsetenv("NN_CPU_KERNELS");
    assert_int_equal(fake_blocks, 0);
}

static void plain_kernels_can_be_forced(void **state)
{
    nn_handler_info info = {.size = NN_SIZEOF(nn_handler_info, device)};
    machine m;

    (void)state;
    setenv("NN_CPU_KERNELS", "plain", 1);
    assert_int_equal(machine_init(&m, 2, 64), NN_OK);
    m.interface->describe(m.handler, &info);
    assert_int_equal(info.threads, 2);
    assert_non_null(strstr(info.device, "baseline"));
    machine_finish(&m);
    unsetenv("NN_CPU_KERNELS");
    assert_int_equal(fake_blocks, 0);
}

static void memory_is_aligned_and_mapped_within_its_bounds(void **state)
{
    const char *text = NULL;
    const char *id = NULL;
    machine m;

    (void)state;
    assert_int_equal(machine_init(&m, 1, INT64_C(3) << 20), NN_OK);
    assert_int_equal((uintptr_t)m.bytes % (2u << 20), 0);
    assert_null(m.interface->map(m.handler, m.memory, m.size, 1, NN_MAP_READ));
    assert_int_equal(m.interface->error(m.handler, &id, &text),
                     NN_INVALID_ARGUMENT);
    assert_string_equal(id, "cpu.map");
    m.interface->clear_error(m.handler);
    assert_int_equal(m.interface->synchronize(m.handler), NN_OK);
    machine_finish(&m);
}

static void impossible_memory_is_refused(void **state)
{
    nn_memory *memory = NULL;
    machine m;

    (void)state;
    assert_int_equal(machine_init(&m, 1, 64), NN_OK);
    assert_int_equal(m.interface->allocate(m.handler, INT64_MAX, &memory),
                     NN_NO_MEMORY);
    assert_null(memory);
    assert_int_equal(m.interface->synchronize(m.handler), NN_OK);
    machine_finish(&m);
    assert_int_equal(fake_blocks, 0);
}

static void wrong_index_is_named_and_nothing_is_written(void **state)
{
    const char *text = "";
    machine m;
    nn_array x;
    nn_array v;
    nn_array y;
    const nn_array *operands[] = {&x, &v, &y};
    const nn_attributes none = nn_no_attributes();

    (void)state;
    assert_int_equal(machine_init(&m, 2, 4096), NN_OK);
    x = machine_array(&m, NN_FLOAT32, 64, 3, 3);
    v = machine_array(&m, NN_INT32, 0, 64, 64);
    y = machine_array(&m, NN_FLOAT32, 0, 64, 64);
    ((int32_t *)(void *)(m.bytes + v.offset))[41] = 3;
    machine_set(&m, &y, 0, 7);
    machine_run(&m, NN_OP_INDEX_M_BY_V, operands, &none);
    assert_int_equal(m.interface->error(m.handler, NULL, &text),
                     NN_INVALID_ARGUMENT);
    assert_non_null(strstr(text, "v[41] = 3 is not in 0 to 2"));
    assert_true(machine_get(&m, &y, 0) == 7);
    /* Later operations do nothing. */
    ((int32_t *)(void *)(m.bytes + v.offset))[41] = 2;
    machine_run(&m, NN_OP_INDEX_M_BY_V, operands, &none);
    assert_true(machine_get(&m, &y, 0) == 7);
    m.interface->clear_error(m.handler);
    machine_run(&m, NN_OP_INDEX_M_BY_V, operands, &none);
    assert_true(machine_get(&m, &y, 0) == 0);
    machine_finish(&m);
}

#define MANY 17640000

/* The sum of x over AXIS_ALL and, x being a column, over its rows. */
static void assert_sums(machine *m, const nn_array *x, double sum, double bound)
{
    static const int64_t axes[] = {NN_AXIS_ALL, NN_AXIS_ROWS, 0};
    nn_array y = machine_array(m, NN_FLOAT32, 0, 1, 1);
    const nn_array *operands[] = {x, &y};
    nn_attributes with = nn_no_attributes();
    int i;

    for (i = 0; i < 3; ++i) {
        with.axis = axes[i];
        machine_run(m, NN_OP_SUM_T, operands, &with);
        assert_true(fabs(machine_get(m, &y, 0) - sum) <= bound * sum);
    }
}

static void long_sums_do_not_stop_counting(void **state)
{
    machine m;
    nn_array x;
    const nn_array *operands[] = {&x};
    nn_attributes with = nn_no_attributes();

    (void)state;
    assert_int_equal(machine_init(&m, 2, MANY * INT64_C(4) + 4096), NN_OK);
    x = machine_array(&m, NN_FLOAT32, MANY, 1, 1);
    with.a = 1;
    machine_run(&m, NN_OP_FILL, operands, &with);
    assert_sums(&m, &x, MANY, 0);
    x.shape[0] = 1392640;
    with.a = 0.1;
    machine_run(&m, NN_OP_FILL, operands, &with);
    assert_sums(&m, &x, 139264, 1e-6);
    machine_finish(&m);
}

static void floating_point_state_does_not_leak(void **state)
{
#if defined __x86_64__
    unsigned int before = _mm_getcsr();
    machine m;
    nn_array x;
    const nn_array *operands[] = {&x, &x};
    const nn_attributes none = nn_no_attributes();

    (void)state;
    assert_int_equal(machine_init(&m, 2, 1 << 20), NN_OK);
    x = machine_array(&m, NN_FLOAT32, 100, 1000, 1000);
    machine_set(&m, &x, 99999, 1e-39);
    machine_run(&m, NN_OP_SQRT_T, operands, &none);
    assert_true(machine_get(&m, &x, 99999) > 3e-20);
    machine_set(&m, &x, 99999, 1e-39);
    machine_run(&m, NN_OP_COPY, operands, &none);
    assert_true(machine_get(&m, &x, 99999) > 0);
    machine_finish(&m);
    /* Rounding, masks, flush-to-zero: all but the flags of exceptions. */
    assert_int_equal(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
#else
    (void)state;
    skip();
#endif
}

/* nn.linear/1 ------------------------------------------------------------- */

static double activate(uint32_t kind, double alpha, double x)
{
    switch (kind) {
    case NN_ACTIVATION_RELU:
        return x > 0 ? x : 0;
    case NN_ACTIVATION_TANH:
        return tanh(x);
    case NN_ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-x));
    case NN_ACTIVATION_ELU:
        return x > 0 ? x : alpha * expm1(x);
    case NN_ACTIVATION_SOFTPLUS:
        return log1p(exp(x));
    case NN_ACTIVATION_LEAKY_RELU:
        return x > 0 ? x : alpha * x;
    default:
        return x;
    }
}

static double derivative(uint32_t kind, double alpha, double y)
{
    switch (kind) {
    case NN_ACTIVATION_RELU:
        return y > 0;
    case NN_ACTIVATION_TANH:
        return 1 - y * y;
    case NN_ACTIVATION_SIGMOID:
        return y * (1 - y);
    case NN_ACTIVATION_ELU:
        return y > 0 ? 1 : y + alpha;
    case NN_ACTIVATION_SOFTPLUS:
        return 1 - exp(-y);
    case NN_ACTIVATION_LEAKY_RELU:
        return y > 0 ? 1 : alpha;
    default:
        return 1;
    }
}

/* The operands of both rows; letters as in nn/linear.h. */
typedef struct layer {
    machine m;
    int64_t rows;
    int64_t inputs;
    int64_t units;
    nn_linear_attributes with;
    nn_array x;
    nn_array w;
    nn_array b;
    nn_array residual;
    nn_array y;
    nn_array dy;
    nn_array dx;
    nn_array dw;
    nn_array db;
    nn_array dresidual;
} layer;

/* An output: WRITE starts as NaN, ADD as 1. */
static nn_array make_output(layer *l, uint32_t dtype, int64_t rows,
                            int64_t columns, uint32_t mode)
{
    nn_array array = machine_array(&l->m, dtype, rows, columns, columns + 3);
    int64_t i;

    array.mode = mode;
    for (i = 0; i < nn_elements(&array); ++i)
        machine_set(&l->m, &array, i, mode == NN_ADD ? 1 : NAN);
    return array;
}

static void make_layer(layer *l, uint32_t dtype, const int64_t *size,
                       uint32_t kind, uint32_t mode, int64_t threads)
{
    *l = (layer){.rows = size[0], .inputs = size[1], .units = size[2]};
    l->with = (nn_linear_attributes){NN_SIZEOF(nn_linear_attributes, alpha),
                                     kind, 0.25};
    assert_int_equal(machine_init(&l->m, threads, INT64_C(64) << 20), NN_OK);
    machine_seed = 5;
    l->x = machine_array(&l->m, dtype, size[0], size[1], size[1] + 1);
    l->w = machine_array(&l->m, dtype, size[2], size[1], size[1] + 2);
    l->b = machine_array(&l->m, dtype, 0, size[2], size[2]);
    l->residual = machine_array(&l->m, dtype, size[0], size[2], size[2] + 1);
    l->dy = machine_array(&l->m, dtype, size[0], size[2], size[2] + 4);
    machine_randomize(&l->m, &l->x);
    machine_randomize(&l->m, &l->w);
    machine_randomize(&l->m, &l->b);
    machine_randomize(&l->m, &l->residual);
    machine_randomize(&l->m, &l->dy);
    l->y = make_output(l, dtype, size[0], size[2], mode);
    l->dx = make_output(l, dtype, size[0], size[1], mode);
    l->dw = make_output(l, dtype, size[2], size[1], mode);
    l->db = make_output(l, dtype, 0, size[2], mode);
    l->dresidual = make_output(l, dtype, size[0], size[2], mode);
}

static void run_layer(layer *l)
{
    const nn_array *forward[] = {&l->x, &l->w, &l->b, &l->residual, &l->y};
    const nn_array *backward[] = {&l->x,  &l->w,  &l->y,  &l->dy,
                                  &l->dx, &l->dw, &l->db, &l->dresidual};

    machine_run_row(&l->m, NN_LINEAR, NN_LINEAR_FORWARD, forward, 5, &l->with);
    machine_run_row(&l->m, NN_LINEAR, NN_LINEAR_BACKWARD, backward, 8,
                    &l->with);
    assert_int_equal(l->m.interface->synchronize(l->m.handler), NN_OK);
}

static double epsilon_of(const layer *l)
{
    return l->x.dtype == NN_FLOAT64 ? 0x1p-53 : 0x1p-24;
}

/* Element INDEX of OUTPUT is VALUE, of a sum of TERMS numbers below SIZE. */
static void assert_near(const layer *l, const nn_array *output, int64_t index,
                        double value, double terms, double size)
{
    double got = machine_get(&l->m, output, index);

    if (output->mode == NN_ADD)
        value += 1;
    assert_true(fabs(got - value) <= (terms + 8) * epsilon_of(l) * (size + 2));
}

static void assert_forward(const layer *l)
{
    int64_t i;
    int64_t k;

    for (i = 0; i < l->rows * l->units; ++i) {
        int64_t row = i / l->units;
        int64_t unit = i % l->units;
        double s = machine_get(&l->m, &l->b, unit) +
                   machine_get(&l->m, &l->residual, i);

        for (k = 0; k < l->inputs; ++k)
            s += machine_get(&l->m, &l->x, row * l->inputs + k) *
                 machine_get(&l->m, &l->w, unit * l->inputs + k);
        assert_near(l, &l->y, i, activate(l->with.activation, 0.25, s),
                    (double)l->inputs, (double)l->inputs);
    }
}

/* dy f'(y) of element INDEX. */
static double delta_at(const layer *l, int64_t index)
{
    return machine_get(&l->m, &l->dy, index) *
           derivative(l->with.activation, 0.25,
                      machine_get(&l->m, &l->y, index));
}

static void assert_backward(const layer *l)
{
    double size = 4 * (double)(l->rows + l->units);
    int64_t i;
    int64_t j;

    for (i = 0; i < l->rows * l->inputs; ++i) {
        double sum = 0;

        for (j = 0; j < l->units; ++j)
            sum += delta_at(l, i / l->inputs * l->units + j) *
                   machine_get(&l->m, &l->w, j * l->inputs + i % l->inputs);
        assert_near(l, &l->dx, i, sum, (double)l->units, size);
    }
    for (i = 0; i < l->units * l->inputs; ++i) {
        double sum = 0;

        for (j = 0; j < l->rows; ++j)
            sum += delta_at(l, j * l->units + i / l->inputs) *
                   machine_get(&l->m, &l->x, j * l->inputs + i % l->inputs);
        assert_near(l, &l->dw, i, sum, (double)l->rows, size);
    }
    for (i = 0; i < l->units; ++i) {
        double sum = 0;

        for (j = 0; j < l->rows; ++j)
            sum += delta_at(l, j * l->units + i);
        assert_near(l, &l->db, i, sum, (double)l->rows, size);
    }
    for (i = 0; i < l->rows * l->units; ++i)
        assert_near(l, &l->dresidual, i, delta_at(l, i), 1, 4);
}

/* Both rows are right, and one thread gives the bits that three give. */
static void check_layer(uint32_t dtype, const int64_t *size, uint32_t kind,
                        uint32_t mode)
{
    layer one;
    layer two;

    make_layer(&one, dtype, size, kind, mode, 1);
    make_layer(&two, dtype, size, kind, mode, 3);
    run_layer(&one);
    run_layer(&two);
    assert_memory_equal(one.m.bytes, two.m.bytes, one.m.used);
    assert_forward(&one);
    /* The derivatives belong to f's own output. */
    if (mode == NN_WRITE || kind == NN_ACTIVATION_LINEAR)
        assert_backward(&one);
    machine_finish(&one.m);
    machine_finish(&two.m);
}

static void linear_equals_the_naive_loops(void **state)
{
    static const int64_t sizes[][3] = {{7, 5, 9}, {33, 20, 600}, {65, 41, 10}};
    uint32_t kind;
    size_t i;

    (void)state;
    for (i = 0; i < 3; ++i)
        for (kind = 0; kind < NN_ACTIVATION_COUNT; ++kind) {
            check_layer(NN_FLOAT32, sizes[i], kind, NN_WRITE);
            check_layer(NN_FLOAT64, sizes[i], kind, NN_WRITE);
            check_layer(NN_FLOAT32, sizes[i], kind, NN_ADD);
        }
}

static void linear_leaves_out_what_is_discarded(void **state)
{
    static const int64_t size[] = {8, 6, 4};
    layer l;
    const nn_array *backward[8] = {&l.x,  &l.w,  &l.y, &l.dy,
                                   &l.dx, &l.dw, NULL, NULL};

    (void)state;
    make_layer(&l, NN_FLOAT32, size, NN_ACTIVATION_LINEAR, NN_WRITE, 1);
    l.dx.mode = NN_DISCARD;
    l.dx.memory = NULL;
    machine_run_row(&l.m, NN_LINEAR, NN_LINEAR_BACKWARD, backward, 8, &l.with);
    assert_true(machine_get(&l.m, &l.dx, 0) != machine_get(&l.m, &l.dx, 0));
    assert_true(machine_get(&l.m, &l.dw, 0) == machine_get(&l.m, &l.dw, 0));
    machine_finish(&l.m);
}

/* nn.optimizer/1 ---------------------------------------------------------- */

#define LENGTH 20003
#define STEPS 4

/* The rule in double precision; v holds the vectors.  Returns the new w. */
static double naive_step(uint32_t rule, const nn_optimizer_attributes *with,
                         double w, double g, double *v)
{
    double r = with->learning_rate;
    double m = with->momentum;
    double d = with->rho;
    double e = with->epsilon;
    double c1 = 1 - pow(m, (double)with->update);
    double c2 = 1 - pow(d, (double)with->update);
    double decayed = w - r * with->decay * w;
    int inside = with->flags & NN_OPTIMIZER_EPSILON_INSIDE;
    double u;

    switch (rule) {
    case NN_OPTIMIZER_SGD:
        return decayed - r * g;
    case NN_OPTIMIZER_MOMENTUM:
        v[0] = m * v[0] - r * g;
        return decayed + v[0];
    case NN_OPTIMIZER_NESTEROV:
        v[0] = m * v[0] - r * g;
        return decayed + m * v[0] - r * g;
    case NN_OPTIMIZER_ADAM:
        v[0] = m * v[0] + (1 - m) * g;
        v[1] = d * v[1] + (1 - d) * g * g;
        return decayed - r * (v[0] / c1) / (sqrt(v[1] / c2) + e);
    case NN_OPTIMIZER_ADAMAX:
        v[0] = m * v[0] + (1 - m) * g;
        v[1] = fmax(d * v[1], fabs(g));
        return decayed - r / c1 * v[0] / (v[1] + e);
    case NN_OPTIMIZER_AMSGRAD:
        v[0] = m * v[0] + (1 - m) * g;
        v[1] = d * v[1] + (1 - d) * g * g;
        v[2] = fmax(v[2], v[1]);
        return decayed - r * (v[0] / c1) / (sqrt(v[2] / c2) + e);
    case NN_OPTIMIZER_RMSPROP:
        v[0] = d * v[0] + (1 - d) * g * g;
        return decayed - r * g / (inside ? sqrt(v[0] + e) : sqrt(v[0]) + e);
    case NN_OPTIMIZER_ADAGRAD:
        v[0] += g * g;
        if (g == 0)
            return decayed;
        return decayed - r * g / (inside ? sqrt(v[0] + e) : sqrt(v[0]) + e);
    default:
        v[0] = d * v[0] + (1 - d) * g * g;
        u = g * sqrt(v[1] + e) / sqrt(v[0] + e);
        v[1] = d * v[1] + (1 - d) * u * u;
        return decayed - r * u;
    }
}

static void check_rule(uint32_t rule, uint32_t flags, double decay)
{
    static double w[LENGTH];
    static double v[LENGTH][3];
    nn_optimizer_attributes with = {NN_SIZEOF(nn_optimizer_attributes, decay),
                                    flags,
                                    0.01,
                                    0.9,
                                    0.99,
                                    1e-6,
                                    0,
                                    decay};
    nn_array arrays[NN_OPTIMIZER_MAX_OPERANDS];
    const nn_array *operands[NN_OPTIMIZER_MAX_OPERANDS];
    machine m;
    uint32_t n;
    uint32_t k;
    int64_t i;

    assert_int_equal(machine_init(&m, 2, 1 << 20), NN_OK);
    n = m.interface->extension(m.handler, NN_OPTIMIZER)->rows[rule]->n_operands;
    for (k = 0; k < n; ++k) {
        arrays[k] = machine_array(&m, NN_FLOAT32, 0, LENGTH, LENGTH);
        operands[k] = &arrays[k];
    }
    memset(v, 0, sizeof v);
    machine_randomize(&m, &arrays[0]);
    for (i = 0; i < LENGTH; ++i)
        w[i] = machine_get(&m, &arrays[0], i);
    for (with.update = 1; with.update <= STEPS; ++with.update) {
        machine_randomize(&m, &arrays[1]);
        machine_set(&m, &arrays[1], 5, 0);
        machine_run_row(&m, NN_OPTIMIZER, rule, operands, n, &with);
        for (i = 0; i < LENGTH; ++i)
            w[i] = naive_step(rule, &with, w[i], machine_get(&m, &arrays[1], i),
                              v[i]);
    }
    /* A step is rounded about ten times, relative to w or to the step. */
    for (i = 0; i < LENGTH; ++i)
        assert_true(fabs(machine_get(&m, &arrays[0], i) - w[i]) <=
                    STEPS * 10 * 0x1p-24 * (fabs(w[i]) + 0.1));
    machine_finish(&m);
}

static void optimizers_equal_their_formulas(void **state)
{
    uint32_t rule;

    (void)state;
    for (rule = 0; rule < NN_OPTIMIZER_ROWS; ++rule) {
        check_rule(rule, 0, 0);
        check_rule(rule, NN_OPTIMIZER_EPSILON_INSIDE, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_kernels_are_refused),
        cmocka_unit_test(plain_kernels_can_be_forced),
        cmocka_unit_test(memory_is_aligned_and_mapped_within_its_bounds),
        cmocka_unit_test(impossible_memory_is_refused),
        cmocka_unit_test(wrong_index_is_named_and_nothing_is_written),
        cmocka_unit_test(long_sums_do_not_stop_counting),
        cmocka_unit_test(floating_point_state_does_not_leak),
        cmocka_unit_test(linear_equals_the_naive_loops),
        cmocka_unit_test(linear_leaves_out_what_is_discarded),
        cmocka_unit_test(optimizers_equal_their_formulas),
    };

    return cmocka_run_group_tests_name("cpu handler", tests, NULL, NULL);
}
