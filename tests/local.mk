# SPDX-License-Identifier: MIT
# Tests are cmocka programs and scripts; a script prints "ok NAME",
# "not ok NAME" or "skip NAME REASON" for each thing that it shows.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(LOG_COMPILER) $(SHELL)
if HAVE_TIMEOUT
LOG_COMPILER = $(TIMEOUT) -k 10 600
else
LOG_COMPILER =
endif

# The plugins of this build, and no file of the user's home.
AM_TESTS_ENVIRONMENT = \
	NN_BUILD_PLUGINS='$(abs_top_builddir)/plugins/.libs'; \
	NN_BUILD_SCAN='$(abs_top_builddir)/core/nn-scan'; \
	XDG_DATA_HOME='$(abs_top_builddir)/tests/home/data'; \
	XDG_CACHE_HOME='$(abs_top_builddir)/tests/home/cache'; \
	NN='$(abs_top_builddir)/nn'; \
	srcdir='$(srcdir)'; \
	abs_top_srcdir='$(abs_top_srcdir)'; \
	abs_top_builddir='$(abs_top_builddir)'; \
	plugindir='$(plugindir)'; \
	nn_plugins='$(nn_plugins)'; nn_replays='$(nn_replays)'; \
	CC='$(CC)'; CXX='$(CXX)'; NM='$(NM)'; MAKE='$(MAKE)'; \
	export NN NN_BUILD_PLUGINS NN_BUILD_SCAN XDG_DATA_HOME XDG_CACHE_HOME; \
	export srcdir abs_top_srcdir abs_top_builddir plugindir nn_plugins \
	  nn_replays; \
	export CC CXX NM MAKE; \
	unset NN_PLUGIN_PATH MAKEFLAGS MAKELEVEL MFLAGS;

include %D%/unit/local.mk
include %D%/plugins/local.mk
include %D%/plugins_src/local.mk
include %D%/cases/local.mk
include %D%/integration/local.mk
include %D%/conformance/local.mk
include %D%/zoo/local.mk
include %D%/lint/local.mk
include %D%/fuzz/local.mk
include %D%/abi/local.mk
include %D%/docs/local.mk

# The line that sums the last run; COUNT_FLAGS is --failed if make failed.
count-tests:
	@$(SHELL) '$(srcdir)/build-aux/count-tests.sh' $(COUNT_FLAGS) $(TEST_LOGS)

check-valgrind: all
	test '$(VALGRIND)' != no || { echo 'valgrind is missing' >&2; exit 1; }
	OPENBLAS_NUM_THREADS=1 $(MAKE) check TESTS='$(nn_unit_tests)' \
	  LOG_COMPILER='$(LIBTOOL) --mode=execute $(VALGRIND)' \
	  AM_LOG_FLAGS='-q --leak-check=full \
	    --errors-for-leak-kinds=definite --error-exitcode=9'

clean-local: tests-clean-local
tests-clean-local:
	rm -rf tests/home tests/scratch

.PHONY: check-valgrind count-tests tests-clean-local
