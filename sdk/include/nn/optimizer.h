/* SPDX-License-Identifier: MIT */
/* optimizer.h - the extension "nn.optimizer/1": one pass over the parameters.
 *
 * Every row takes flat arrays of one real type and equal length: in-out w
 * (parameters), in g (gradient), then the row's vectors, all in-out, which
 * start as zero.  Letters: r learning rate, e epsilon, t number of this update
 * from 1.  Operations between arrays are element by element.
 *
 * NN_OPTIMIZER_SGD       w -= r g
 * NN_OPTIMIZER_MOMENTUM  v = m v - r g;  w += v
 *     (Polyak, "Some methods of speeding up the convergence of iteration
 *     methods", 1964); vectors: v
 * NN_OPTIMIZER_NESTEROV  v = m v - r g;  w += m v - r g
 *     (Nesterov 1983 in the form of Bengio, Boulanger-Lewandowski, Pascanu,
 *     "Advances in Optimizing Recurrent Networks", 2012); vectors: v
 * NN_OPTIMIZER_ADAM      p = b1 p + (1-b1) g;  q = b2 q + (1-b2) g g;
 *     w -= r (p / (1-b1^t)) / (sqrt(q / (1-b2^t)) + e)
 *     (Kingma, Ba, "Adam", 2015, algorithm 1); vectors: p, q
 * NN_OPTIMIZER_ADAMAX    p as adam;  u = max(b2 u, |g|);
 *     w -= r / (1-b1^t) p / (u + e)     (the same, algorithm 2; e guards a
 *     zero gradient); vectors: p, u
 * NN_OPTIMIZER_AMSGRAD   as adam with s = max(s, q) and
 *     sqrt(s / (1-b2^t)) in place of sqrt(q / (1-b2^t))
 *     (Reddi, Kale, Kumar, "On the Convergence of Adam and Beyond", 2018, with
 *     adam's bias correction); vectors: p, q, s
 * NN_OPTIMIZER_RMSPROP   q = d q + (1-d) g g;  w -= r g / (sqrt(q) + e), or
 *     w -= r g / sqrt(q + e) with NN_OPTIMIZER_EPSILON_INSIDE
 *     (Tieleman, Hinton, "Lecture 6.5", 2012); vectors: q
 * NN_OPTIMIZER_ADAGRAD   q += g g;  w -= r g / (sqrt(q) + e), inside as above;
 *     nothing moves where g is 0  (Duchi, Hazan, Singer, "Adaptive Subgradient
 *     Methods", 2011); vectors: q
 * NN_OPTIMIZER_ADADELTA  q = d q + (1-d) g g;
 *     u = g sqrt(s + e) / sqrt(q + e);  w -= r u;  s = d s + (1-d) u u
 *     (Zeiler, "ADADELTA", 2012, which has r = 1); vectors: q, s
 *
 * `decay` is decoupled weight decay in all rows: w -= r decay w, computed from
 * the old w, beside the rule (Loshchilov, Hutter, "Decoupled Weight Decay
 * Regularization", 2019). */
#ifndef NN_OPTIMIZER_H
#define NN_OPTIMIZER_H

#include <nn/extension.h>

NN_BEGIN_DECLS

#define NN_OPTIMIZER "nn.optimizer/1"

/* Rows. */
#define NN_OPTIMIZER_SGD 0u
#define NN_OPTIMIZER_MOMENTUM 1u
#define NN_OPTIMIZER_NESTEROV 2u
#define NN_OPTIMIZER_ADAM 3u
#define NN_OPTIMIZER_ADAMAX 4u
#define NN_OPTIMIZER_AMSGRAD 5u
#define NN_OPTIMIZER_RMSPROP 6u
#define NN_OPTIMIZER_ADAGRAD 7u
#define NN_OPTIMIZER_ADADELTA 8u
#define NN_OPTIMIZER_ROWS 9u

/* Operands: w, g, then the vectors. */
#define NN_OPTIMIZER_W 0u
#define NN_OPTIMIZER_G 1u
#define NN_OPTIMIZER_VECTOR 2u /* the first vector */
#define NN_OPTIMIZER_MAX_OPERANDS 5u

/* nn_optimizer_attributes.flags. */
#define NN_OPTIMIZER_EPSILON_INSIDE 1u /* epsilon inside the root */

/* Attributes of every row; a row uses those that its formula names. */
typedef struct nn_optimizer_attributes {
    uint32_t size;        /* NN_SIZEOF(nn_optimizer_attributes, decay) */
    uint32_t flags;       /* NN_OPTIMIZER_EPSILON_INSIDE */
    double learning_rate; /* r */
    double momentum;      /* m; b1 of the adam family */
    double rho;           /* d; b2 of the adam family */
    double epsilon;       /* e */
    int64_t update;       /* t, from 1 */
    double decay;         /* decoupled weight decay, 0 for none */
} nn_optimizer_attributes;

NN_END_DECLS

#endif
