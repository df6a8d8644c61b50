/* SPDX-License-Identifier: MIT */
/* checks.c - the checks of this folder, in the order in which they run. */
#include "conformance/layer/checks.h"

const check *const layer_checks[] = {
    &layer_shape_infer,
    &layer_shape_invalid,
    &layer_grad_taylor,
    &layer_grad_element,
    &layer_grad_limits,
    &layer_grad_multi_out,
    &layer_grad_accumulate,
    &layer_grad_modes,
    &layer_grad_linear,
    &layer_grad_flags,
    &layer_grad_discarded_output,
    &layer_mem_bounds,
    &layer_mem_const,
    &layer_mem_full_write,
    &layer_mem_uninit,
    &layer_mem_noalloc,
    &layer_mem_state,
    &layer_det_repeat,
    &layer_det_order,
    &layer_inplace,
    &layer_mode_train_eval,
    &layer_mask,
    &layer_rnn_context,
    NULL,
};
