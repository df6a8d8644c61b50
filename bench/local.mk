# SPDX-License-Identifier: MIT
# What is measured, against whom, and how to run it again.
EXTRA_PROGRAMS += %D%/mlp %D%/peak
bench_mlp_SOURCES = %D%/mlp.c
bench_mlp_LDADD = libnervenet.la
bench_peak_SOURCES = %D%/peak.c
bench_peak_LDADD = -lpthread
CLEANFILES += %D%/mlp$(EXEEXT) %D%/peak$(EXEEXT)
EXTRA_DIST += \
	%D%/mlp.py \
	%D%/mlp.sh

bench-mlp: all %D%/mlp$(EXEEXT) %D%/peak$(EXEEXT)
	BENCH='$(abs_top_builddir)/bench' \
	  NN_BUILD_PLUGINS='$(abs_top_builddir)/plugins/.libs' \
	  NN_BUILD_SCAN='$(abs_top_builddir)/core/nn-scan' \
	  $(SHELL) '$(srcdir)/bench/mlp.sh'

.PHONY: bench-mlp
