/* SPDX-License-Identifier: MIT */
/* checks.h - the checks that checks.c lists. */
#ifndef NN_CONFORMANCE_LAYER_CHECKS_H
#define NN_CONFORMANCE_LAYER_CHECKS_H

#include "conformance/check.h"

extern const check layer_shape_infer;
extern const check layer_shape_invalid;
extern const check layer_grad_taylor;
extern const check layer_grad_element;
extern const check layer_grad_limits;
extern const check layer_grad_multi_out;
extern const check layer_grad_accumulate;
extern const check layer_grad_modes;
extern const check layer_grad_linear;
extern const check layer_grad_flags;
extern const check layer_grad_discarded_output;
extern const check layer_mem_bounds;
extern const check layer_mem_const;
extern const check layer_mem_full_write;
extern const check layer_mem_uninit;
extern const check layer_mem_noalloc;
extern const check layer_mem_state;
extern const check layer_det_repeat;
extern const check layer_det_order;
extern const check layer_inplace;
extern const check layer_mode_train_eval;
extern const check layer_mask;
extern const check layer_rnn_context;

#endif
