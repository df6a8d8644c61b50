/* SPDX-License-Identifier: MIT */
/* fpu.h - the settings of floating-point arithmetic of this thread. */
#ifndef NN_CONFORMANCE_PLUGIN_FPU_H
#define NN_CONFORMANCE_PLUGIN_FPU_H

#include "conformance/check.h"

typedef struct fpu_state {
    int rounding; /* mode */
    int traps;    /* exceptions that stop the program */
    int flushes;  /* 1: denormal results become 0 */
} fpu_state;

fpu_state fpu_look(void);

/* Fails under WHERE if the settings are not WANTED, and puts those back. */
void fpu_judge(trial *t, const char *where, fpu_state wanted);

/* Makes denormals flush (1) or not (0); 0 if this machine cannot. */
int fpu_flush(int on);

#endif
