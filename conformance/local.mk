# SPDX-License-Identifier: MIT
# nn-conformance uses libnervenet as any program does: nervenet.h, <nn/...>.
#
# It defines functions of the C library, which plugins then find first
# (watch.h): its visible symbols are in the dynamic table.  A check is called
# `check` and its trial `trial`, as their types are.
bin_PROGRAMS += tools/nn-conformance
nn_wrappers += nn-conformance
tools_nn_conformance_CPPFLAGS = $(SDK_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir)
tools_nn_conformance_CFLAGS = $(AM_CFLAGS) -Wno-shadow
tools_nn_conformance_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic
tools_nn_conformance_LDADD = libnervenet.la -ldl -lm -lpthread
tools_nn_conformance_SOURCES = \
	%D%/catalogue.c \
	%D%/catalogue.h \
	%D%/channel.c \
	%D%/channel.h \
	%D%/check.h \
	%D%/child.c \
	%D%/child.h \
	%D%/crash.c \
	%D%/crash.h \
	%D%/escape.c \
	%D%/escape.h \
	%D%/folder.c \
	%D%/folder.h \
	%D%/known.c \
	%D%/known.h \
	%D%/main.c \
	%D%/memory.c \
	%D%/memory.h \
	%D%/options.c \
	%D%/options.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/report.h \
	%D%/report_human.c \
	%D%/report_json.c \
	%D%/report_junit.c \
	%D%/report_tap.c \
	%D%/result.c \
	%D%/result.h \
	%D%/run.c \
	%D%/run.h \
	%D%/trial.c \
	%D%/trial.h \
	%D%/watch.c \
	%D%/watch.h \
	%D%/watch_calls.c \
	%D%/watch_memory.c \
	%D%/watch_note.h

include %D%/plugin/local.mk
include %D%/layer/local.mk
include %D%/handler/local.mk
include %D%/data/local.mk
include %D%/hook/local.mk
include %D%/training/local.mk
