# SPDX-License-Identifier: MIT
# Scripts that check the sources and what is built from them.
nn_lint_tests = \
	%D%/calls.sh \
	%D%/headers.sh \
	%D%/includes.sh \
	%D%/install.sh \
	%D%/length.sh \
	%D%/listed.sh \
	%D%/names.sh \
	%D%/symbols.sh \
	%D%/text.sh
TESTS += $(nn_lint_tests)
EXTRA_DIST += \
	%D%/calls.sh \
	%D%/headers.sh \
	%D%/includes.sh \
	%D%/install.sh \
	%D%/length.sh \
	%D%/listed.sh \
	%D%/names.sh \
	%D%/symbols.sh \
	%D%/text.sh \
	%D%/length.txt \
	%D%/lint.sh \
	%D%/names.txt

# Only these, on the tree as it is built.
lint: all
	$(MAKE) check TESTS='$(nn_lint_tests)'

.PHONY: lint
