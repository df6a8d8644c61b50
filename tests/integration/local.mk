# SPDX-License-Identifier: MIT
# Scripts that run the programs as a user would.
nn_integration_tests = \
	%D%/cli.sh
TESTS += $(nn_integration_tests)
EXTRA_DIST += \
	%D%/cli.sh

# A program that runs nn many times.
if HAVE_CMOCKA
check_PROGRAMS += %D%/test_mutations
TESTS += %D%/test_mutations
endif
%C%_test_mutations_CPPFLAGS = $(SDK_CPPFLAGS) $(CMOCKA_CFLAGS) \
	$(LIBZIP_CFLAGS) $(ZLIB_CFLAGS)
%C%_test_mutations_LDADD = \
	$(CMOCKA_LIBS) $(LIBZIP_LIBS) $(ZLIB_LIBS) -lm
