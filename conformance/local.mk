# SPDX-License-Identifier: MIT
# nn-conformance uses libnervenet as any program does: nervenet.h, <nn/...>.
bin_PROGRAMS += tools/nn-conformance
tools_nn_conformance_CPPFLAGS = $(SDK_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir)
tools_nn_conformance_LDADD = libnervenet.la -ldl -lm -lpthread
tools_nn_conformance_SOURCES = \
	%D%/check.h

include %D%/plugin/local.mk
include %D%/layer/local.mk
include %D%/handler/local.mk
include %D%/data/local.mk
include %D%/hook/local.mk
include %D%/training/local.mk
