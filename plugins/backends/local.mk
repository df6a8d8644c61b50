# SPDX-License-Identifier: MIT

nn_plugins += plugins/handler-reference.la
plugins_handler_reference_la_SOURCES = %D%/reference/reference.c
plugins_handler_reference_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/handler-debug.la
plugins_handler_debug_la_SOURCES = \
	%D%/debug/debug.c \
	%D%/debug/debug.h \
	%D%/debug/examine.c \
	%D%/debug/extension.c \
	%D%/debug/findings.c \
	%D%/debug/memory.c \
	%D%/debug/operation.c
plugins_handler_debug_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

if WITH_OPENBLAS
nn_plugins += plugins/handler-cpu.la
endif
nn_cpu_sources = \
	plugins/backends/cpu/cpu.c \
	plugins/backends/cpu/dot.c \
	plugins/backends/cpu/gemm.c \
	plugins/backends/cpu/gemm.h \
	plugins/backends/cpu/gemm_avx2.c \
	plugins/backends/cpu/gemm_avx512.c \
	plugins/backends/cpu/gemm_blas.c \
	plugins/backends/cpu/handler.h \
	plugins/backends/cpu/index.c \
	plugins/backends/cpu/kernels.h \
	plugins/backends/cpu/kernels_avx2_f32.c \
	plugins/backends/cpu/kernels_avx2_f64.c \
	plugins/backends/cpu/kernels_avx512_f32.c \
	plugins/backends/cpu/kernels_avx512_f64.c \
	plugins/backends/cpu/kernels_body.h \
	plugins/backends/cpu/kernels_plain_f32.c \
	plugins/backends/cpu/kernels_plain_f64.c \
	plugins/backends/cpu/linear.c \
	plugins/backends/cpu/map.c \
	plugins/backends/cpu/move.c \
	plugins/backends/cpu/optimizer.c \
	plugins/backends/cpu/optimizer_body.h \
	plugins/backends/cpu/pool.c \
	plugins/backends/cpu/pool.h \
	plugins/backends/cpu/random.c \
	plugins/backends/cpu/random_body.h \
	plugins/backends/cpu/reduce.c \
	plugins/backends/cpu/sets.c \
	plugins/backends/cpu/vector.h

plugins_handler_cpu_la_SOURCES = $(nn_cpu_sources)
plugins_handler_cpu_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
plugins_handler_cpu_la_CPPFLAGS = $(AM_CPPFLAGS) $(OPENBLAS_CFLAGS)
plugins_handler_cpu_la_LIBADD = $(OPENBLAS_LIBS) -lpthread
