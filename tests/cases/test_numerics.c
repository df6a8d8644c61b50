/* SPDX-License-Identifier: MIT */
/* test_numerics.c - numerics of the case bank: N1 to N3, N7 and
 * N8. */
#define _GNU_SOURCE
#include "cases.h"

#include <time.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#define KEEP "keep: [\"*.outputs.*\", \"*.output_deltas.*\"]\n"
#define DX "inputs.output_deltas.x"

/* ---- N1 ------------------------------------------------------------------ */

/* The loss and the gradient of the bias over COUNT equal elements; importance COUNT
 * makes every delta 1. */
static void sum_many(int64_t count, double value, double *mean, double *db)
{
    static const char text[] =
        "inputs: {x: [1]}\n"
        "network:\n"
        "  - fully_connected: {name: out, size: 1, initialize: {W: 1}}\n"
        "  - loss: {importance: %lld}\n";
    char whole[512];
    net n;

    snprintf(whole, sizeof whole, text, (long long)count);
    open_net(&n, whole, 1, count);
    begin(&n, 1, count);
    put_all(&n, "x", value);
    forward(&n);
    backward(&n);
    assert_done(nn_network_loss(n.network, mean, NULL, NULL));
    look(&n, "out.gradients.bias", db, 1);
    close_net(&n);
}

/* N1: sums of millions of float32 do not stop at 2^24: the gradient of a bias,
 * and a loss.  In float64 a tenth of them will do. */
static void long_sums_do_not_stop(void)
{
    int64_t n = is_double() ? 1764000 : 17640000;
    double mean;
    double db;

    sum_many(n, 1, &mean, &db);
    close_to(db, (double)n, 1e-6, __LINE__);
    close_to(mean, (double)n, 1e-6, __LINE__); /* times the importance */
    sum_many(1392640, 0.1, &mean, &db);
    close_to(mean, 139264, 1e-6, __LINE__);
    close_to(db, 1392640, 1e-6, __LINE__);
}

/* ---- N2 ------------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The least time of some passes with weights of this SIZE; the gradient of the
 * first weight in *DW. */
static double time_of(double size, double *dw)
{
    static const char text[] =
        "inputs: {x: [256]}\n"
        "network:\n"
        "  - fully_connected: {name: a, size: 256}\n"
        "  - fully_connected: {name: b, size: 64}\n"
        "  - loss\n";
    double gradients[256 * 256];
    double best = INFINITY;
    net n;
    int i;

    open_net(&n, text, 1, 64);
    put_all(&n, "a.W", size);
    put_all(&n, "b.W", size);
    for (i = 0; i < 5; ++i) {
        double start;

        begin(&n, 1, 64);
        put_all(&n, "x", 1);
        start = seconds();
        forward(&n);
        backward(&n);
        if (seconds() - start < best)
            best = seconds() - start;
    }
    look(&n, "a.gradients.W", gradients, 256 * 256);
    *dw = gradients[0];
    close_net(&n);
    return best;
}

static uint32_t float_state(void)
{
#if defined(__SSE__)
    return _mm_getcsr() & ~0x3fu; /* without the flags of what happened */
#else
    return 0;
#endif
}

/* N2: denormal weights give the right results, and the library leaves the
 * floating-point state of the thread alone: nothing is flushed to zero.  How
 * much slower they are depends on the processor; it is told, not judged. */
static void denormals_are_right_and_leak_no_state(void)
{
    uint32_t state = float_state();
    double tiny = is_double() ? 1e-310 : 1e-39;
    double normal_time;
    double tiny_time;
    double dw;

    normal_time = time_of(1e-3, &dw);
    tiny_time = time_of(tiny, &dw);
    if (!is_double())
        tiny = (double)(float)tiny;
    assert_true(fabs(dw - tiny) <= 1e-30);
    assert_true(dw > 0);
    assert_int_equal(float_state(), state);
    if (tiny_time > 3 * normal_time)
        print_message("denormals: %.1f times the time\n",
                      tiny_time / normal_time);
}

/* ---- N3 ------------------------------------------------------------------ */

static const double ends[] = {-1000, -100, -20, 0, 20, 88, 100, 1000};

/* y and dy/dx at COUNT points, alone and in one batch; they must agree. */
static void activate(const char *kind, const double *x, int count, double *y,
                     double *dx)
{
    char text[512];
    net n;
    int i;

    snprintf(text, sizeof text,
             KEEP "inputs: {x: [1]}\n"
                  "network:\n"
                  "  - activation: {name: f, from: x, kind: %s}\n"
                  "  - loss: {importance: %d}\n",
             kind, count);
    open_net(&n, text, 1, count);
    begin(&n, 1, count);
    put(&n, "x", x);
    forward(&n);
    backward(&n);
    get(&n, "f.outputs.default", y, count);
    get(&n, DX, dx, count);
    for (i = 0; i < count; ++i) {
        double alone;

        begin(&n, 1, 1);
        put(&n, "x", x + i);
        forward(&n);
        look(&n, "f.outputs.default", &alone, 1);
        assert_exactly(alone, y[i]);
    }
    close_net(&n);
}

/* N3: activations at the ends. */
static void activations_are_right_at_the_ends(void)
{
    static const double sigmoid[] = {0, 0, 2.06115362e-09, 0.5, 1, 1, 1, 1};
    static const double softplus[] = {0,  0,  2.06115362e-09, 0.693147181,
                                      20, 88, 100,            1000};
    static const double tanh_right[] = {-1, -1, -1, 0, 1, 1, 1, 1};
    double y[8];
    double dx[8];
    int i;

    activate("sigmoid", ends, 8, y, dx);
    for (i = 0; i < 8; ++i) {
        assert_true(isfinite(dx[i]) && dx[i] >= 0);
        if (i < 2)
            assert_true(y[i] >= 0 && y[i] <= 4e-44);
        else
            close_to(y[i], sigmoid[i], tolerance(), __LINE__);
    }
    if (is_double())
        close_to(1 - y[4], 2.06115362e-09, 1e-6, __LINE__);
    activate("softplus", ends, 8, y, dx);
    for (i = 0; i < 8; ++i)
        if (i < 2)
            assert_true(y[i] >= 0 && y[i] <= 4e-44 && dx[i] >= 0 &&
                        dx[i] <= 4e-44);
        else
            close_to(y[i], softplus[i], tolerance(), __LINE__);
    close_to(dx[2], 2.06115362e-09, is_double() ? 1e-7 : 1e-5, __LINE__);
    for (i = 5; i < 8; ++i)
        assert_exactly(dx[i], 1);
    activate("tanh", ends, 8, y, dx);
    for (i = 0; i < 8; ++i)
        close_to(y[i], tanh_right[i], 1e-15, __LINE__);
    assert_exactly(dx[3], 1);
    for (i = 0; i < 8; ++i)
        assert_true(isfinite(dx[i]) && dx[i] >= 0);
}

/* N3: NaN stays NaN, and relu'(0) is 0. */
static void activations_keep_nan(void)
{
    static const char *const kinds[] = {"relu",     "leaky_relu", "tanh",
                                        "sigmoid",  "elu",        "softplus",
                                        "linear"};
    static const double x[] = {NAN, 0, 1, NAN, -1};
    double y[5];
    double dx[5];
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        activate(kinds[i], x, 5, y, dx);
        assert_true(isnan(y[0]) && isnan(y[3]));
        assert_true(isfinite(y[1]) && isfinite(y[2]) && isfinite(y[4]));
        if (i < 2)
            assert_exactly(dx[1], i ? (is_double() ? 0.01 : (double)0.01f)
                                    : 0.0);
    }
}

/* ---- N7, N8 -------------------------------------------------------------- */

/* N7: sizes beyond 2^31 and 2^64 end in an error that names the layer. */
static void sizes_that_wrap_are_refused_by_name(void)
{
    static const char *const sizes[] = {"4294967296", "3037000500",
                                        "9007199254740991"};
    char text[512];
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        nn_config *config = NULL;
        nn_model *model = NULL;

        snprintf(text, sizeof text,
                 "inputs: {x: [%s]}\n"
                 "network: [{fully_connected: {name: huge, size: %s}}]\n",
                 sizes[i], sizes[i]);
        if (parse(text, &config)) {
            assert_says(nn_config_messages(config), "huge");
        } else {
            assert_true(nn_model_create(config, NULL, &model) < 0);
            assert_says(message(), "huge");
            assert_null(model);
        }
        nn_config_destroy(config);
    }
}

/* N8: sizes of zero and less are refused with the option's name. */
static void empty_sizes_are_refused_by_name(void)
{
    static const struct {
        const char *text;
        const char *part;
    } all[] = {
        {"inputs: {x: [0]}\nnetwork: [{fully_connected: 1}]\n", "x"},
        {"inputs: {x: [-3]}\nnetwork: [{fully_connected: 1}]\n", "x"},
        {"inputs: {x: [4, 0, 3]}\nnetwork: [{fully_connected: 1}]\n", "x"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: {size: 0}}]\n",
         "'size'"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: {size: -1}}]\n",
         "'size'"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: {size: -0}}]\n",
         "'size'"},
        {"inputs: {x: [3]}\nnetwork: []\n", "network"},
        {"inputs: {}\nnetwork: [{fully_connected: 1}]\n", "inputs"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: {from: \"x[1:1]\", "
         "size: 1}}]\n",
         "x[1:1]"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: {from: \"x[2:9]\", "
         "size: 1}}]\n",
         "x[2:9]"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: 1}]\ndata: {train: "
         "{minibatches: {size: 0, inner: {npy: {x: x.npy}}}}}\n",
         "'size'"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: 1}, loss]\ntraining: "
         "{stepper: {sgd: {learning_rate: {step: {from: 1, factor: 1, every: "
         "0}}}}, epochs: 1}\n",
         "'every'"},
        {"inputs: {x: [3]}\nnetwork: [{fully_connected: 1}, loss]\ntraining: "
         "{stepper: {sgd: 1}, epochs: -1}\n",
         "epochs"},
    };
    size_t i;

    for (i = 0; i < sizeof all / sizeof *all; ++i)
        refuse_config(all[i].text, all[i].part);
}

/* N8: passes of no time steps or samples are refused. */
static void empty_passes_are_refused(void)
{
    net n;

    open_net(&n, "inputs: {x: [3]}\nnetwork: [{fully_connected: 1}, loss]\n",
             2, 2);
    assert_true(nn_network_begin(n.network, 0, 2, 0) < 0);
    assert_true(nn_network_begin(n.network, 2, 0, 0) < 0);
    assert_true(nn_network_begin(n.network, -1, 2, 0) < 0);
    assert_true(nn_network_begin(n.network, 3, 2, 0) < 0);
    assert_done(nn_network_begin(n.network, 2, 2, 0));
    close_net(&n);
}

int main(void)
{
    static const one_case cases[] = {
        CASE(long_sums_do_not_stop),
        CASE(denormals_are_right_and_leak_no_state),
        CASE(activations_are_right_at_the_ends),
        CASE(activations_keep_nan),
        CASE(sizes_that_wrap_are_refused_by_name),
        CASE(empty_sizes_are_refused_by_name),
        CASE(empty_passes_are_refused),
    };

    return RUN_CASES(cases);
}
