# SPDX-License-Identifier: MIT
# nn-conformance itself, and what it says of the plugins of this build.
nn_conformance_tests = \
	%D%/in_tree.sh \
	%D%/tool.sh
TESTS += $(nn_conformance_tests)
EXTRA_DIST += \
	%D%/in_tree.sh \
	%D%/json.awk \
	%D%/subject.c \
	%D%/tool.sh \
	%D%/xml.awk

# A library to be watched, and a program that watches as nn-conformance does.
if HAVE_CMOCKA
check_LTLIBRARIES += %D%/caller.la
check_PROGRAMS += %D%/test_trial %D%/test_watch
TESTS += %D%/test_trial %D%/test_watch
endif
%C%_caller_la_SOURCES = %D%/caller.c
%C%_caller_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_test_trial_CPPFLAGS = $(SDK_CPPFLAGS) -I$(top_srcdir) $(CMOCKA_CFLAGS)
%C%_test_trial_CFLAGS = $(AM_CFLAGS) -Wno-shadow
%C%_test_trial_LDADD = libnervenet.la $(CMOCKA_LIBS) -ldl -lm -lpthread
%C%_test_trial_SOURCES = \
	%D%/test_trial.c \
	conformance/channel.c \
	conformance/channel.h \
	conformance/check.h \
	conformance/memory.c \
	conformance/memory.h \
	conformance/result.c \
	conformance/result.h \
	conformance/trial.c \
	conformance/trial.h \
	conformance/watch.c \
	conformance/watch.h \
	conformance/watch_note.h
%C%_test_watch_CPPFLAGS = $(SDK_CPPFLAGS) -I$(top_srcdir) $(CMOCKA_CFLAGS)
%C%_test_watch_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic
%C%_test_watch_LDADD = $(CMOCKA_LIBS) -ldl -lpthread
%C%_test_watch_SOURCES = \
	%D%/test_watch.c \
	conformance/channel.c \
	conformance/channel.h \
	conformance/watch.c \
	conformance/watch.h \
	conformance/watch_calls.c \
	conformance/watch_memory.c \
	conformance/watch_note.h
