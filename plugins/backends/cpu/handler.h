/* SPDX-License-Identifier: MIT */
/* handler.h - one CPU handler, and what the files of its operations share.
 *
 * Memory is the host's, so operations work on plain pointers.  They end before
 * they return; the caller and the workers of the pool share the work. */
#ifndef CPU_HANDLER_H
#define CPU_HANDLER_H

#include <nn/handler.h>

#include "kernels.h"
#include "pool.h"

/* Elements of one task of an operation that is bound by memory: large enough to
 * hide the cost of taking a task. */
#define CPU_GRAIN 8192

struct nn_memory {
    char *bytes;
    int64_t size;
};

struct nn_handler {
    const nn_host *host;
    const cpu_set *set; /* NULL: the host's reference computes */
    const struct nn_reference *reference;
    cpu_pool *pool;
    void *scratch; /* of base operations, which have no workspace */
    int64_t scratch_bytes;
    int32_t code; /* the kept error, 0 if none */
    char id[64];
    char text[512];
    char device[128];
};

/* A base operation.  Its output is wanted and no error is kept. */
typedef void (*cpu_operation_fn)(nn_handler *handler, uint32_t operation,
                                 const nn_array *const *operands,
                                 const nn_attributes *with);

void cpu_copy(nn_handler *, uint32_t, const nn_array *const *,
              const nn_attributes *);
void cpu_cast(nn_handler *, uint32_t, const nn_array *const *,
              const nn_attributes *);
void cpu_fill(nn_handler *, uint32_t, const nn_array *const *,
              const nn_attributes *);
void cpu_transpose(nn_handler *, uint32_t, const nn_array *const *,
                   const nn_attributes *);
void cpu_element_wise(nn_handler *, uint32_t, const nn_array *const *,
                      const nn_attributes *);
void cpu_matrix_vector(nn_handler *, uint32_t, const nn_array *const *,
                       const nn_attributes *);
void cpu_power(nn_handler *, uint32_t, const nn_array *const *,
               const nn_attributes *);
void cpu_activation(nn_handler *, uint32_t, const nn_array *const *,
                    const nn_attributes *);
void cpu_activation_backward(nn_handler *, uint32_t, const nn_array *const *,
                             const nn_attributes *);
void cpu_dot(nn_handler *, uint32_t, const nn_array *const *,
             const nn_attributes *);
void cpu_reduce(nn_handler *, uint32_t, const nn_array *const *,
                const nn_attributes *);
void cpu_argmax(nn_handler *, uint32_t, const nn_array *const *,
                const nn_attributes *);
void cpu_softmax(nn_handler *, uint32_t, const nn_array *const *,
                 const nn_attributes *);
void cpu_gather(nn_handler *, uint32_t, const nn_array *const *,
                const nn_attributes *);
void cpu_scatter_rows(nn_handler *, uint32_t, const nn_array *const *,
                      const nn_attributes *);
void cpu_index(nn_handler *, uint32_t, const nn_array *const *,
               const nn_attributes *);
void cpu_scatter(nn_handler *, uint32_t, const nn_array *const *,
                 const nn_attributes *);
void cpu_one_hot(nn_handler *, uint32_t, const nn_array *const *,
                 const nn_attributes *);
void cpu_random(nn_handler *, uint32_t, const nn_array *const *,
                const nn_attributes *);

extern const nn_extension cpu_linear;
extern const nn_extension cpu_optimizer;

/* Keeps the first error.  [compute] */
void cpu_fail(nn_handler *handler, int32_t code, const char *id,
              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* BYTES of 64-byte aligned memory until the next call, NULL after failing.
 * It grows at the first use of a size and stays.  [compute] */
void *cpu_scratch(nn_handler *handler, int64_t bytes);

/* The kernels for DTYPE, a real type.  [any] */
const cpu_kernels *cpu_kernels_for(const nn_handler *handler, uint32_t dtype);

/* The first element of ARRAY.  [any] */
static inline void *cpu_data(const nn_array *array)
{
    return array->memory->bytes + array->offset;
}

/* Bytes from one row of ARRAY to the next.  [any] */
static inline int64_t cpu_pitch_bytes(const nn_array *array)
{
    return array->pitch * nn_dtype_bytes(array->dtype);
}

/* Place of logical element INDEX of ARRAY, in elements.  [any] */
static inline int64_t cpu_place(const nn_array *array, int64_t index)
{
    int64_t columns = nn_columns(array);

    return index / columns * array->pitch + index % columns;
}

/* An element-wise kernel over rows of arrays.  Pointers of `row` are those of
 * the first row; pitches are in bytes. */
typedef struct cpu_map {
    cpu_row_fn run;
    cpu_row row;
    int64_t bytes; /* of an element */
    int64_t rows;
    int64_t columns;
    int64_t x_pitch;
    int64_t z_pitch; /* 0: each row of y takes the same z */
    int64_t c_pitch;
    int64_t y_pitch;
} cpu_map;

/* Sets the operands of MAP; X, Z and C may be NULL.  [any] */
void cpu_map_init(cpu_map *map, cpu_row_fn run, const nn_array *x,
                  const nn_array *z, const nn_array *c, const nn_array *y);

/* Runs MAP on all threads.  [compute] */
void cpu_map_run(nn_handler *handler, const cpu_map *map);

/* Runs rows BEGIN to END - 1 of MAP on this thread.  [any] */
void cpu_map_rows(const cpu_map *map, int64_t begin, int64_t end);

/* Computes PRODUCT of elements of REAL.  WORKSPACE has cpu_product_workspace
 * bytes.  [compute] */
void cpu_product_run(nn_handler *handler, uint32_t real,
                     const cpu_gemm *product, void *workspace);
int64_t cpu_product_workspace(const nn_handler *handler, uint32_t real,
                              int64_t m, int64_t k);

#endif
