/* SPDX-License-Identifier: MIT */
/* base.h - codes, kinds and small macros that every other header uses.
 *
 * Every constant is a #define of an unsigned 32-bit value and is only ever
 * appended to.  A reader that meets a value it does not know tolerates or
 * refuses it, and never assumes one.
 *
 * Tags in the comments of functions say when they may be called:
 *   [setup]    by one thread, while the instance computes nothing;
 *   [compute]  by one thread at a time for one instance; different instances
 *              may run at once;
 *   [any]      by any thread at any time.
 * "Absent" is the zero of a member: NULL, 0, or a size that ends before it. */
#ifndef NN_BASE_H
#define NN_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define NN_BEGIN_DECLS extern "C" {
#define NN_END_DECLS }
#else
#define NN_BEGIN_DECLS
#define NN_END_DECLS
#endif

/* Minor version of the plugin interface described by these headers.  The major
 * is part of the entry's name, nn_plugin_v1. */
#define NN_ABI_MAJOR 1u
#define NN_ABI_MINOR 0u

/* Result codes.  0 is success; a positive value, where a function documents
 * one, is an ordinary outcome.  The text goes through nn_host.set_error at the
 * place where the failure is found; the first one wins. */
#define NN_OK 0
#define NN_END 1                 /* an iterator has no further batch */
#define NN_INVALID_ARGUMENT (-1) /* a value outside its documented range */
#define NN_SHAPE (-2)            /* shapes that do not fit each other */
#define NN_UNSUPPORTED (-3)      /* legal, but not offered here */
#define NN_NO_MEMORY (-4)        /* host or device memory is exhausted */
#define NN_DEVICE (-5)           /* the device failed; permanent */
#define NN_IO (-6)               /* a file could not be read or written */
#define NN_STATE (-7)            /* called at the wrong time */
#define NN_INTERNAL (-8)         /* a defect of the callee */
#define NN_FORMAT (-9)           /* a file's contents are malformed */
#define NN_NOT_FOUND (-10)       /* no such component, buffer or name */
#define NN_NOT_FINITE (-11)      /* NaN or infinity where none may be */

/* Kinds of component. */
#define NN_KIND_LAYER 1u
#define NN_KIND_HANDLER 2u
#define NN_KIND_HOOK 3u
#define NN_KIND_ITERATOR 4u
#define NN_KIND_STEPPER 5u
#define NN_KIND_INITIALIZER 6u
#define NN_KIND_SCORER 7u
#define NN_KIND_MODIFIER 8u
#define NN_KIND_SCHEDULE 9u
#define NN_KIND_COMMUNICATOR 10u

/* Element types.  NN_REAL stands in declarations for the network's own real
 * type and never occurs in an array. */
#define NN_REAL 0u
#define NN_FLOAT32 1u
#define NN_FLOAT64 2u
#define NN_INT32 3u
#define NN_UINT8 4u
#define NN_FLOAT16 5u  /* reserved */
#define NN_BFLOAT16 6u /* reserved */

/* Sizes that a declaration leaves open. */
#define NN_T (-1) /* number of time steps of the batch */
#define NN_B (-2) /* number of samples of the batch */

/* Levels of nn_host.log. */
#define NN_LOG_ERROR 0u
#define NN_LOG_WARNING 1u
#define NN_LOG_INFO 2u
#define NN_LOG_DEBUG 3u

/* True if the struct that POINTER points to is large enough, by its own `size`
 * member, to hold MEMBER. */
#define NN_HAS(pointer, member)                                                \
    ((pointer)->size >=                                                        \
     offsetof(__typeof__(*(pointer)), member) + sizeof((pointer)->member))

/* The size that a struct of the interface states: up to and with its last
 * member LAST, never sizeof, which padding can round up. */
#define NN_SIZEOF(type, last)                                                  \
    ((uint32_t)(offsetof(type, last) + sizeof(((type *)0)->last)))

/* Bytes of one element of DTYPE, 0 for NN_REAL and unknown codes.  [any] */
static inline int64_t nn_dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
    case NN_FLOAT64:
        return 8;
    case NN_FLOAT32:
    case NN_INT32:
        return 4;
    case NN_FLOAT16:
    case NN_BFLOAT16:
        return 2;
    case NN_UINT8:
        return 1;
    default:
        return 0;
    }
}

#endif
