# SPDX-License-Identifier: MIT
tools_nn_conformance_SOURCES += \
	%D%/behaviour.c \
	%D%/bench.c \
	%D%/bench.h \
	%D%/bounds.c \
	%D%/cases.c \
	%D%/cases.h \
	%D%/checks.c \
	%D%/checks.h \
	%D%/compare.c \
	%D%/compare.h \
	%D%/context.c \
	%D%/draw.c \
	%D%/edge.c \
	%D%/element.c \
	%D%/env.c \
	%D%/equiv.c \
	%D%/guard.c \
	%D%/guard.h \
	%D%/life.c \
	%D%/linear.c \
	%D%/memory.c \
	%D%/modes.c \
	%D%/more.c \
	%D%/more.h \
	%D%/ops.c \
	%D%/ops_wrap.c \
	%D%/ops_wrap.h \
	%D%/params.c \
	%D%/params.h \
	%D%/repeat.c \
	%D%/shape.c \
	%D%/taylor.c \
	%D%/taylor.h \
	%D%/thread.c \
	%D%/values.c \
	%D%/values.h
