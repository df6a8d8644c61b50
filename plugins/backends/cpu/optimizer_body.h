/* SPDX-License-Identifier: MIT */
/* optimizer_body.h - the rules of nn/optimizer.h, one pass over memory each.
 *
 * A rule is an inline function that turns the gradient and the vectors of a
 * few parameters into the step that is added to them; `update` is the loop
 * around it.  Part of kernels_body.h. */
#ifndef CPU_OPTIMIZER_BODY_H
#define CPU_OPTIMIZER_BODY_H

#include "kernels.h"
#include "vector.h"

/* The scalars of nn/optimizer.h as vectors. */
typedef struct scalars {
    vreal r;
    vreal m;
    vreal d;
    vreal e;
    vreal rest_m; /* 1 - m */
    vreal rest_d;
    vreal bias1; /* 1 - m^t */
    vreal bias2; /* 1 - d^t */
    vreal decay; /* r decay */
    vreal zero;  /* 0, which the compiler does not know */
    int inside;
} scalars;

/* The step of a rule from gradient G; V holds the vectors, old and new. */
typedef vreal (*rule)(const scalars *s, vreal g, vreal *v);

CPU_INLINE void update_some(const cpu_update *u, const scalars *s, int vectors,
                            rule step, int64_t i, int64_t n)
{
    CPU_REAL *w = (CPU_REAL *)u->w + i;
    const CPU_REAL *g = (const CPU_REAL *)u->g + i;
    vreal v[3] = {{0}, {0}, {0}};
    vreal old = n < LANES ? load_some(w, n) : load(w);
    vreal moved;
    int k;

    for (k = 0; k < vectors; ++k) {
        const CPU_REAL *from = (const CPU_REAL *)u->vectors[k] + i;

        v[k] = n < LANES ? load_some(from, n) : load(from);
    }
    moved = old + step(s, n < LANES ? load_some(g, n) : load(g), v);
    if (u->decay != 0)
        moved -= s->decay * old;
    if (n < LANES)
        store_some(w, moved, n);
    else
        store(w, moved);
    for (k = 0; k < vectors; ++k) {
        CPU_REAL *to = (CPU_REAL *)u->vectors[k] + i;

        if (n < LANES)
            store_some(to, v[k], n);
        else
            store(to, v[k]);
    }
}

CPU_INLINE void update(const cpu_update *u, int vectors, rule step)
{
    scalars s = {
        .r = all((CPU_REAL)u->rate),
        .m = all((CPU_REAL)u->momentum),
        .d = all((CPU_REAL)u->rho),
        .e = all((CPU_REAL)u->epsilon),
        .rest_m = all((CPU_REAL)(1 - u->momentum)),
        .rest_d = all((CPU_REAL)(1 - u->rho)),
        .bias1 = all((CPU_REAL)u->correction1),
        .bias2 = all((CPU_REAL)u->correction2),
        .decay = all((CPU_REAL)(u->rate * u->decay)),
        .zero = all((CPU_REAL)(u->rate - u->rate)),
        .inside = u->inside,
    };
    int64_t i;

    for (i = 0; i + LANES <= u->n; i += LANES)
        update_some(u, &s, vectors, step, i, LANES);
    if (i < u->n)
        update_some(u, &s, vectors, step, i, u->n - i);
}

/* Defines the kernel NAME of a rule with a number of vectors. */
#define UPDATE(name, vectors)                                                  \
    static void name(const cpu_update *u)                                      \
    {                                                                          \
        update(u, vectors, name##_step);                                       \
    }

/* The product is rounded before w is added, and not fused with it: so sgd is
 * momentum with m = 0 to the bit. */
CPU_INLINE vreal sgd_step(const scalars *s, vreal g, vreal *v)
{
    (void)v;
    return s->zero - s->r * g;
}
UPDATE(sgd, 0)

CPU_INLINE vreal momentum_step(const scalars *s, vreal g, vreal *v)
{
    v[0] = s->m * v[0] - s->r * g;
    return v[0];
}
UPDATE(momentum, 1)

CPU_INLINE vreal nesterov_step(const scalars *s, vreal g, vreal *v)
{
    v[0] = s->m * v[0] - s->r * g;
    return s->m * v[0] - s->r * g;
}
UPDATE(nesterov, 1)

CPU_INLINE vreal adam_step(const scalars *s, vreal g, vreal *v)
{
    v[0] = s->m * v[0] + s->rest_m * g;
    v[1] = s->d * v[1] + s->rest_d * (g * g);
    return -(s->r * (v[0] / s->bias1) / (root(v[1] / s->bias2) + s->e));
}
UPDATE(adam, 2)

CPU_INLINE vreal adamax_step(const scalars *s, vreal g, vreal *v)
{
    vreal old = s->d * v[1];
    vreal size = magnitude(g);

    v[0] = s->m * v[0] + s->rest_m * g;
    v[1] = choose((old > size) | (old != old), old, size);
    return -(s->r * (v[0] / s->bias1) / (v[1] + s->e));
}
UPDATE(adamax, 2)

CPU_INLINE vreal amsgrad_step(const scalars *s, vreal g, vreal *v)
{
    v[0] = s->m * v[0] + s->rest_m * g;
    v[1] = s->d * v[1] + s->rest_d * (g * g);
    v[2] = choose((v[2] > v[1]) | (v[2] != v[2]), v[2], v[1]);
    return -(s->r * (v[0] / s->bias1) / (root(v[2] / s->bias2) + s->e));
}
UPDATE(amsgrad, 3)

/* g / (sqrt(q) + e), or g / sqrt(q + e). */
CPU_INLINE vreal scaled(const scalars *s, vreal g, vreal q)
{
    return g / (s->inside ? root(q + s->e) : root(q) + s->e);
}

CPU_INLINE vreal rmsprop_step(const scalars *s, vreal g, vreal *v)
{
    v[0] = s->d * v[0] + s->rest_d * (g * g);
    return -(s->r * scaled(s, g, v[0]));
}
UPDATE(rmsprop, 1)

CPU_INLINE vreal adagrad_step(const scalars *s, vreal g, vreal *v)
{
    v[0] += g * g;
    return choose(g == 0, all(0), -(s->r * scaled(s, g, v[0])));
}
UPDATE(adagrad, 1)

CPU_INLINE vreal adadelta_step(const scalars *s, vreal g, vreal *v)
{
    vreal step;

    v[0] = s->d * v[0] + s->rest_d * (g * g);
    step = g * root(v[1] + s->e) / root(v[0] + s->e);
    v[1] = s->d * v[1] + s->rest_d * (step * step);
    return -(s->r * step);
}
UPDATE(adadelta, 2)

#endif
