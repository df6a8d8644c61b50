# SPDX-License-Identifier: MIT
# The case bank: programs that link libnervenet as a user's would, and scripts
# that run nn.
CASES_CPPFLAGS = $(SDK_CPPFLAGS) $(CMOCKA_CFLAGS)
CASES_LDADD = libnervenet.la $(CMOCKA_LIBS) -lm

nn_cases =
if HAVE_CMOCKA
check_PROGRAMS += $(nn_cases)
TESTS += $(nn_cases)
endif

nn_cases += %D%/test_data
%C%_test_data_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_data_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_dropout
%C%_test_dropout_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_dropout_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_files
%C%_test_files_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_files_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_losses
%C%_test_losses_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_losses_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_memory
%C%_test_memory_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_memory_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_numerics
%C%_test_numerics_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_numerics_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_optimizers
%C%_test_optimizers_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_optimizers_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_schedules
%C%_test_schedules_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_schedules_LDADD = $(CASES_LDADD)

nn_cases += %D%/test_two_trainings
%C%_test_two_trainings_CPPFLAGS = $(CASES_CPPFLAGS)
%C%_test_two_trainings_LDADD = $(CASES_LDADD) -lpthread

# A plugin of the tests, built as a stranger's would be.
check_LTLIBRARIES += %D%/scripted.la
%C%_scripted_la_SOURCES = %D%/scripted.c
%C%_scripted_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_scripted_la_LDFLAGS = $(FIXTURE_FLAGS)

nn_case_scripts = \
	%D%/config.sh \
	%D%/plugins.sh \
	%D%/runs.sh
TESTS += $(nn_case_scripts)
EXTRA_DIST += \
	$(nn_case_scripts) \
	%D%/README.md \
	%D%/cases.h \
	%D%/cases.sh
