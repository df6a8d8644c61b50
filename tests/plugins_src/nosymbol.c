/* SPDX-License-Identifier: MIT */
/* nosymbol.c - a shared object that is no plugin.  Exports all it has. */
extern __attribute__((visibility("default"))) const int nothing;

const int nothing = 0;
