# SPDX-License-Identifier: MIT
# The contract: what a plugin may include, and the API of programs.
nninclude_HEADERS += \
	%D%/include/nn/activation.h \
	%D%/include/nn/array.h \
	%D%/include/nn/base.h \
	%D%/include/nn/describe.h \
	%D%/include/nn/extension.h \
	%D%/include/nn/handler.h \
	%D%/include/nn/hook.h \
	%D%/include/nn/host.h \
	%D%/include/nn/host_memory.h \
	%D%/include/nn/iterator.h \
	%D%/include/nn/layer.h \
	%D%/include/nn/linear.h \
	%D%/include/nn/loss.h \
	%D%/include/nn/operations.h \
	%D%/include/nn/optimizer.h \
	%D%/include/nn/params.h \
	%D%/include/nn/plugin.h \
	%D%/include/nn/random.h \
	%D%/include/nn/reference.h \
	%D%/include/nn/rows.h \
	%D%/include/nn/shape.h \
	%D%/include/nn/stepper.h \
	%D%/include/nn/text.h \
	%D%/include/nn/track.h \
	%D%/include/nn/training.h
include_HEADERS += %D%/include/nervenet.h
EXTRA_DIST += \
	%D%/abi \
	%D%/template/Makefile \
	%D%/template/hook.c \
	%D%/template/iterator.c \
	%D%/template/layer.c
