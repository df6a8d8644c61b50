/* SPDX-License-Identifier: MIT */
/* dump.h - what the files of `nn dump` share. */
#ifndef NN_TOOLS_DUMP_H
#define NN_TOOLS_DUMP_H

#include <nervenet.h>

/* Number INDEX of the parameters in CHECKPOINT; 0 past the end. */
int parameter_at(const nn_checkpoint *checkpoint, uint32_t index,
                 nn_tensor *out);

/* Element INDEX of TENSOR. */
double tensor_element(const nn_tensor *tensor, int64_t index);

/* Elements of TENSOR. */
int64_t tensor_elements(const nn_tensor *tensor);

/* Prints the SHA-256 of the parameters of the run at PATH.  Returns an exit
 * status. */
int dump_hash(const char *path);

/* Prints the largest difference of each parameter of A and B.  Returns
 * STATUS_FAILED if one is larger than TOLERANCE, or a parameter has no
 * counterpart. */
int dump_difference(const char *a, const char *b, double tolerance);

#endif
