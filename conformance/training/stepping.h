/* SPDX-License-Identifier: MIT */
/* stepping.h - a stepper with parameters to step, in one run or in two.
 *
 * The gradient is that of a bowl, sum c_i (w_i - m_i)^2 / 2 with curvatures
 * from 1/2 to 2, unless it is given. */
#ifndef NN_CONFORMANCE_TRAINING_STEPPING_H
#define NN_CONFORMANCE_TRAINING_STEPPING_H

#include "conformance/training/desk.h"

#define STEPPING_P 13        /* parameters */
#define STEPPING_VECTORS 16u /* of a stepper at most */
#define STEPPING_SLOTS 8u
#define STEPPING_RUNS 2u

typedef struct stepping_options {
    const char *handler; /* NULL: the trial's */
    uint32_t real;       /* 0: float64 */
    int composed;        /* 1: rows are compositions */
    int64_t cut;         /* parameters of the first run; 0: one run of all */
    int tune;            /* 1: parameter `index` is `value` from the start */
    uint32_t index;
    double value;
} stepping_options;

/* A plan of the suite's own. */
struct nn_plan {
    const nn_row *row;
    nn_handler *self;
    nn_handler_plan *plan;
    nn_array workspace;
    nn_array reserve;
};

/* One run of parameters. */
typedef struct stepping_run {
    nn_stepper_context context; /* first */
    struct stepping *owner;
    nn_array w;
    nn_array g;
    nn_array vectors[STEPPING_VECTORS];
    nn_plan storage[STEPPING_SLOTS];
    nn_plan *plans[STEPPING_SLOTS];
} stepping_run;

typedef struct stepping {
    trial *t;
    const char *text;
    stepping_options options;
    desk desk;
    nn_part *part;
    nn_stepper_interface f;
    nn_params params; /* copies of those of the part */
    nn_value *values;
    nn_array w;
    nn_array g;
    nn_array vectors[STEPPING_VECTORS];
    stepping_run runs[STEPPING_RUNS];
    uint32_t n_runs;
    uint32_t planned; /* rows that were planned */
    const char *message;
} stepping;

/* Makes a stepper with the parameters TEXT.  A refusal is a failure if SURE,
 * and one without a message always.  Returns 0 or -1. */
int stepping_open(trial *t, const char *text, int sure,
                  const stepping_options *options, stepping *out);
void stepping_close(stepping *s);

/* Parameter INDEX of the stepper, and what it is from now on. */
double stepping_value(const stepping *s, uint32_t index);
void stepping_tune(stepping *s, uint32_t index, double value);

/* The gradient of the bowl at W, and its height. */
void stepping_gradient(const double *w, double *g);
double stepping_height(const double *w);

/* Where parameters start. */
void stepping_start(double *w);

/* Update number UPDATE with the gradient G (STEPPING_P of it; NULL: that of the
 * bowl). */
void stepping_step(stepping *s, int64_t update, const double *g);

/* Updates FIRST to LAST. */
void stepping_steps(stepping *s, int64_t first, int64_t last);

/* The parameters, and vector INDEX. */
void stepping_parameters(stepping *s, double *w);
void stepping_vector(stepping *s, uint32_t index, double *v);

/* Copies parameters and vectors from FROM. */
void stepping_resume(stepping *s, stepping *from);

/* Says if code of the plugin asked for random numbers or the time of the system
 * while NAME was entered. */
void training_watch(trial *t, const char *name);

/* The usual texts of a stepper, modifier, schedule or initializer. */
const text_set *training_texts(trial *t);

/* Says where A and B, COUNT numbers, differ by more than BOUND * max(1, |a|).
 * Returns -1 then. */
int training_compare(trial *t, const char *where, const double *a,
                     const double *b, int64_t count, double bound);

#endif
