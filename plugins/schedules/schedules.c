/* SPDX-License-Identifier: MIT */
/* schedules.c - numbers that follow the progress of training: constant, step,
 * exponential, linear, cosine.
 *
 * A schedule can stand wherever a parameter is TUNABLE, above all for the
 * learning rate: {learning_rate: {cosine: {from: 0.1}}}.  It is a function of
 * the progress alone and keeps nothing, so a resumed run goes on where the
 * first one stopped.
 *
 * Letters: p complete epochs (by: epoch) or updates (by: update) before the
 * update that the number is for, so p = 0 for the first one; N the length of
 * the run in the same unit; W warmup; q = p - W.
 *
 *     constant      value
 *     step          from factor^floor(q / every)
 *     exponential   max(from factor^q, minimum)
 *     linear        from + (to - from) x,                  x = min(q / over, 1)
 *     cosine        to + (from - to) (1 + cos(pi x)) / 2,   the same x
 *
 * with over = N - W unless given.  During warmup, p < W, the number is
 * (p + 1) / W of the schedule's first one: 1 / W of it for the first update,
 * all of it for p = W - 1, and the schedule itself begins at p = W.
 *
 * First and last.  Without warmup, the first update gets `from` (or `value`)
 * exactly.  step drops at the beginning of the epochs every, 2 every, ...,
 * counted from 0: with every = 3 the first three epochs have `from` and the
 * fourth is the first with from factor.  linear and cosine reach `to` after
 * `over` units; over a whole run the last update, p = N - 1, is one step short
 * of it, so that with to = 0 no update is without effect.  A run that goes on
 * past `over` stays at `to`.
 *
 * Other libraries: as here in PyTorch (StepLR, ExponentialLR, LinearLR,
 * CosineAnnealingLR); Keras' PiecewiseConstantDecay drops one update later.
 * Cosine: Loshchilov, Hutter, "SGDR: Stochastic Gradient Descent with Warm
 * Restarts", 2017, without restarts.  Warmup: Goyal, Dollar, Girshick and
 * others, "Accurate, Large Minibatch SGD", 2017. */
#include <nn/describe.h>
#include <nn/training.h>

#define PI 3.14159265358979323846

/* The first two parameters of every schedule; its own come after them. */
#define BY 0u
#define WARMUP 1u
#define OWN 2u
#define BY_EPOCH 0

static const char *const units[] = {"epoch", "update", NULL};

static const nn_param by_epoch = NN_CHOICE_PARAM(
    "by", 0, "epoch", units, "what is counted: complete epochs or updates");
static const nn_param by_update = NN_CHOICE_PARAM(
    "by", 0, "update", units, "what is counted: complete epochs or updates");
static const nn_param warmup = NN_INT_PARAM(
    "warmup", NN_PARAM_RANGED, "0", 0, INFINITY,
    "units at the beginning during which the number rises to its first value");
static const nn_param value = NN_REAL_PARAM("value",
                                            NN_PARAM_REQUIRED | NN_PARAM_MAIN,
                                            NULL, 0, 0, "the number");
static const nn_param from = NN_REAL_PARAM("from",
                                           NN_PARAM_REQUIRED | NN_PARAM_MAIN,
                                           NULL, 0, 0, "the first number");
static const nn_param to = NN_REAL_PARAM("to", 0, "0", 0, 0,
                                         "the number after `over` units");
static const nn_param over = NN_INT_PARAM(
    "over", NN_PARAM_NULLABLE | NN_PARAM_RANGED, NULL, 1, INFINITY,
    "units until `to` is reached; none: the whole run less warmup");
static const nn_param factor =
    NN_REAL_PARAM("factor", NN_PARAM_REQUIRED | NN_PARAM_RANGED, NULL, 0,
                  INFINITY, "factor a unit, or for step every `every` units");
static const nn_param every = NN_INT_PARAM("every",
                                           NN_PARAM_REQUIRED | NN_PARAM_RANGED,
                                           NULL, 1, INFINITY,
                                           "units between two steps");
static const nn_param minimum =
    NN_REAL_PARAM("minimum", 0, "0", 0, 0, "the number does not fall below it");

static const nn_param *const constant_params[] = {&by_update, &warmup, &value};
static const nn_param *const step_params[] = {&by_epoch, &warmup, &from,
                                              &factor, &every};
static const nn_param *const exponential_params[] = {&by_epoch, &warmup, &from,
                                                     &factor, &minimum};
static const nn_param *const ramp_params[] = {&by_update, &warmup, &from, &to,
                                              &over};

/* The schedule itself, without warmup: its number Q units after its start. */
typedef int32_t (*curve_fn)(const nn_host *host, const nn_params *params,
                            const nn_progress *progress, int64_t q,
                            double *result);

static int32_t evaluate(const nn_host *host, const nn_params *params,
                        const nn_progress *progress, curve_fn curve,
                        double *result)
{
    const int64_t rise = nn_param_int(params, WARMUP);
    const int64_t p = nn_param_int(params, BY) == BY_EPOCH ? progress->epoch
                                                           : progress->update;
    int32_t code = curve(host, params, progress, p > rise ? p - rise : 0,
                         result);

    if (code)
        return code;
    if (p < rise)
        *result *= (double)(p + 1) / (double)rise;
    if (!isfinite(*result))
        return nn_fail(host, NN_NOT_FINITE, "schedule.not-finite",
                       "the schedule is not finite at update %lld",
                       (long long)progress->update);
    return NN_OK;
}

/* Length of the run in the unit of PARAMS; -1: not known. */
static int64_t run_length(const nn_params *params, const nn_progress *progress)
{
    if (nn_param_int(params, BY) == BY_EPOCH)
        return progress->total_epochs;
    if (progress->total_updates >= 0)
        return progress->total_updates;
    if (progress->total_epochs < 0 || progress->updates_in_epoch < 0)
        return -1;
    return progress->total_epochs * progress->updates_in_epoch;
}

/* How far Q is on the way to the end, 0 to 1. */
static int32_t ramp(const nn_host *host, const nn_params *params,
                    const nn_progress *progress, int64_t q, double *x)
{
    int64_t length = nn_param_int(params, OWN + 2);

    if (!nn_param_value(params, OWN + 2)->type) {
        length = run_length(params, progress);
        if (length < 0)
            return nn_fail(host, NN_STATE, "schedule.length",
                           "the schedule needs the length of the run, which "
                           "is not known: give `over`");
        length -= nn_param_int(params, WARMUP);
    }
    if (q == 0)
        *x = 0;
    else
        *x = q < length ? (double)q / (double)length : 1.0;
    return NN_OK;
}

static int32_t constant_curve(const nn_host *host, const nn_params *params,
                              const nn_progress *progress, int64_t q,
                              double *result)
{
    (void)host;
    (void)progress;
    (void)q;
    *result = nn_param_real(params, OWN);
    return NN_OK;
}

static int32_t step_curve(const nn_host *host, const nn_params *params,
                          const nn_progress *progress, int64_t q,
                          double *result)
{
    const int64_t steps = q / nn_param_int(params, OWN + 2);

    (void)host;
    (void)progress;
    *result = nn_param_real(params, OWN) *
              pow(nn_param_real(params, OWN + 1), (double)steps);
    return NN_OK;
}

static int32_t exponential_curve(const nn_host *host, const nn_params *params,
                                 const nn_progress *progress, int64_t q,
                                 double *result)
{
    const double least = nn_param_real(params, OWN + 2);

    (void)host;
    (void)progress;
    *result = nn_param_real(params, OWN) *
              pow(nn_param_real(params, OWN + 1), (double)q);
    if (*result < least)
        *result = least;
    return NN_OK;
}

static int32_t linear_curve(const nn_host *host, const nn_params *params,
                            const nn_progress *progress, int64_t q,
                            double *result)
{
    const double first = nn_param_real(params, OWN);
    const double last = nn_param_real(params, OWN + 1);
    double x = 0;
    int32_t code = ramp(host, params, progress, q, &x);

    *result = x < 1.0 ? first + (last - first) * x : last;
    return code;
}

static int32_t cosine_curve(const nn_host *host, const nn_params *params,
                            const nn_progress *progress, int64_t q,
                            double *result)
{
    const double first = nn_param_real(params, OWN);
    const double last = nn_param_real(params, OWN + 1);
    double x = 0;
    int32_t code = ramp(host, params, progress, q, &x);

    /* 1 - the share of `last`: exactly `first` at 0. */
    *result = x < 1.0 ? first - (first - last) * (1.0 - cos(PI * x)) / 2.0
                      : last;
    return code;
}

/* The interface and description of the schedule NAME. */
#define SCHEDULE(NAME, PARAMS, SUMMARY, DOC)                                   \
    static int32_t NAME##_value(const nn_host *host, const nn_params *params,  \
                                const nn_progress *progress, double *result)   \
    {                                                                          \
        return evaluate(host, params, progress, NAME##_curve, result);         \
    }                                                                          \
    static const nn_schedule_interface NAME##_interface = {                    \
        .size = NN_SIZEOF(nn_schedule_interface, value),                       \
        .value = NAME##_value,                                                 \
    };                                                                         \
    static const nn_component NAME##_component = {                             \
        .size = NN_SIZEOF(nn_component, outputs),                              \
        .kind = NN_KIND_SCHEDULE,                                              \
        .n_params = sizeof(PARAMS) / sizeof *(PARAMS),                         \
        .name = #NAME,                                                         \
        .summary = SUMMARY,                                                    \
        .doc = DOC,                                                            \
        .params = PARAMS,                                                      \
        .interface = &NAME##_interface,                                        \
    };

#define COUNTED                                                                \
    " p counts complete epochs or updates (by) before the update, W is "       \
    "warmup, q = p - W; while p < W the number is (p + 1) / W of the first "   \
    "one."

SCHEDULE(constant, constant_params, "The same number throughout",
         "value." COUNTED)
SCHEDULE(
    step, step_params, "Multiplied by a factor every few epochs",
    "from * factor ^ floor(q / every): with every = 3 the first three "
    "epochs have `from`, the fourth is the first with from * factor." COUNTED)
SCHEDULE(exponential, exponential_params, "Multiplied by a factor every epoch",
         "max(from * factor ^ q, minimum)." COUNTED)
SCHEDULE(linear, ramp_params, "From one number to another on a straight line",
         "from + (to - from) x with x = min(q / over, 1). The first update has "
         "`from`; `to` is reached after `over` units, so that over a whole run "
         "the last update is one step short of it." COUNTED)
SCHEDULE(cosine, ramp_params, "From one number to another on half a cosine",
         "to + (from - to) (1 + cos(pi x)) / 2 with x = min(q / over, 1). The "
         "first update has `from`; `to` is reached after `over` units, so that "
         "over a whole run the last update is one step short of it. "
         "Loshchilov, Hutter, \"SGDR\", 2017, without restarts." COUNTED)

static const nn_component *const components[] = {&constant_component,
                                                 &step_component,
                                                 &exponential_component,
                                                 &linear_component,
                                                 &cosine_component};

NN_PLUGIN_ENTRY(schedule_standard) = {
    NN_PLUGIN_HEAD,
    .id = "org.nervenet.schedule.standard",
    .name = "schedules",
    .version = "0.1.0",
    .license = "MIT",
    .author = "Nervenet contributors",
    .summary = "Numbers that follow the progress of training",
    .n_components = sizeof components / sizeof *components,
    .components = components,
};
