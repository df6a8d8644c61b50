# SPDX-License-Identifier: MIT
# The plugin interface against what was promised: sdk/abi.
nn_abi_tests = \
	%D%/comments.sh \
	%D%/layout.sh \
	%D%/symbols.sh
TESTS += $(nn_abi_tests)
EXTRA_DIST += \
	%D%/comments.sh \
	%D%/layout.sh \
	%D%/symbols.sh \
	sdk/abi/comments.awk \
	sdk/abi/compare.awk \
	sdk/abi/layout-1.0.txt \
	sdk/abi/layout.awk \
	sdk/abi/layout.sh \
	sdk/abi/rules.awk \
	sdk/abi/symbols.txt

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_truncated_host
TESTS += %D%/test_truncated_host
endif
%C%_test_truncated_host_CPPFLAGS = $(SDK_CPPFLAGS) $(CMOCKA_CFLAGS)
%C%_test_truncated_host_LDADD = $(CMOCKA_LIBS)
