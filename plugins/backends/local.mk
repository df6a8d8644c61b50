# SPDX-License-Identifier: MIT

nn_plugins += plugins/handler-reference.la
plugins_handler_reference_la_SOURCES = %D%/reference/reference.c
plugins_handler_reference_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

if WITH_OPENBLAS
nn_plugins += plugins/handler-cpu.la
endif
plugins_handler_cpu_la_SOURCES = \
	%D%/cpu/cpu.c \
	%D%/cpu/dot.c \
	%D%/cpu/gemm.c \
	%D%/cpu/gemm.h \
	%D%/cpu/gemm_avx2.c \
	%D%/cpu/gemm_avx512.c \
	%D%/cpu/gemm_blas.c \
	%D%/cpu/handler.h \
	%D%/cpu/index.c \
	%D%/cpu/kernels.h \
	%D%/cpu/kernels_avx2_f32.c \
	%D%/cpu/kernels_avx2_f64.c \
	%D%/cpu/kernels_avx512_f32.c \
	%D%/cpu/kernels_avx512_f64.c \
	%D%/cpu/kernels_body.h \
	%D%/cpu/kernels_plain_f32.c \
	%D%/cpu/kernels_plain_f64.c \
	%D%/cpu/linear.c \
	%D%/cpu/map.c \
	%D%/cpu/move.c \
	%D%/cpu/optimizer.c \
	%D%/cpu/optimizer_body.h \
	%D%/cpu/pool.c \
	%D%/cpu/pool.h \
	%D%/cpu/random.c \
	%D%/cpu/random_body.h \
	%D%/cpu/reduce.c \
	%D%/cpu/sets.c \
	%D%/cpu/vector.h
plugins_handler_cpu_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
plugins_handler_cpu_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS)
plugins_handler_cpu_la_LIBADD = $(OPENBLAS_LIBS) -lpthread
