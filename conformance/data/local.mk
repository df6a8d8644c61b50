# SPDX-License-Identifier: MIT
tools_nn_conformance_SOURCES += \
	%D%/access.c \
	%D%/care.c \
	%D%/checks.c \
	%D%/checks.h \
	%D%/describe.c \
	%D%/files.c \
	%D%/files.h \
	%D%/host.c \
	%D%/host.h \
	%D%/order.c \
	%D%/request.c \
	%D%/stream.c \
	%D%/stream.h \
	%D%/texts.c \
	%D%/texts.h \
	%D%/threads.c
