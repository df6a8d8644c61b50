/* SPDX-License-Identifier: MIT */
/* npy.h - reads an array of NumPy for an input of a network. */
#ifndef NN_TOOLS_NPY_H
#define NN_TOOLS_NPY_H

#include <nervenet.h>

/* Reads PATH for the input that INPUT describes, (T, B, features...), any T
 * and B.  The file's axes are (samples, features...) or (samples, time,
 * features...); its numbers are converted to the input's type, into which they
 * must fit.  OUT->data is freed by the caller; OUT->name is not set.  Returns
 * an exit status. */
int npy_read(const char *path, const nn_array *input, nn_host_array *out);

#endif
