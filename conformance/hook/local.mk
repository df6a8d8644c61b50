# SPDX-License-Identifier: MIT
tools_nn_conformance_SOURCES += \
	%D%/calls.c \
	%D%/checks.c \
	%D%/checks.h \
	%D%/context.c \
	%D%/context.h \
	%D%/keeping.c \
	%D%/manners.c \
	%D%/run.c \
	%D%/run.h
