# SPDX-License-Identifier: MIT
# libnervenet.  libnervenet-core holds everything, and its symbols are visible
# to what links it: the unit tests and nn-scan.  libnervenet exports nn_ names
# that nervenet.h marks with NN_API, and is what everybody else links.
noinst_LTLIBRARIES += libnervenet-core.la
lib_LTLIBRARIES += libnervenet.la

libnervenet_core_la_CPPFLAGS = $(CORE_CPPFLAGS)
libnervenet_core_la_LIBADD = \
	$(LTDL_LIBS) $(YAML_LIBS) $(MSGPACK_LIBS) $(ZLIB_LIBS) -lpthread
libnervenet_core_la_SOURCES = \
	%D%/config/child.h \
	%D%/config/description.h \
	%D%/config/file.c \
	%D%/config/node.c \
	%D%/config/node.h \
	%D%/config/path.c \
	%D%/config/read.c \
	%D%/config/render.c \
	%D%/config/schema.c \
	%D%/config/schema.h \
	%D%/config/scope.h \
	%D%/config/select.c \
	%D%/config/value.c \
	%D%/config/write.c \
	%D%/graph/child.c \
	%D%/graph/graph.c \
	%D%/graph/graph.h \
	%D%/graph/layer.c \
	%D%/graph/link.c \
	%D%/graph/link.h \
	%D%/graph/names.c \
	%D%/graph/setup.c \
	%D%/memory/alias.c \
	%D%/memory/assign.c \
	%D%/memory/flow.c \
	%D%/memory/flow.h \
	%D%/memory/layout.c \
	%D%/memory/layout.h \
	%D%/memory/lifetime.c \
	%D%/memory/modes.c \
	%D%/model/arrays.c \
	%D%/model/configuration.c \
	%D%/model/configuration.h \
	%D%/model/data.c \
	%D%/model/data.h \
	%D%/model/inner.c \
	%D%/model/inner.h \
	%D%/model/library.c \
	%D%/model/lookup.c \
	%D%/model/lookup.h \
	%D%/model/model.c \
	%D%/model/model.h \
	%D%/model/part.c \
	%D%/model/plugins.c \
	%D%/model/predict.c \
	%D%/model/render.c \
	%D%/model/score.c \
	%D%/model/sections.c \
	%D%/model/sections.h \
	%D%/model/summary.c \
	%D%/network/access.c \
	%D%/network/alone.c \
	%D%/network/binding.c \
	%D%/network/child.c \
	%D%/network/initialize.c \
	%D%/network/network.c \
	%D%/network/network.h \
	%D%/network/pass.c \
	%D%/network/plan.c \
	%D%/network/track.c \
	%D%/reference/activation.c \
	%D%/reference/call.h \
	%D%/reference/check.c \
	%D%/reference/complete.c \
	%D%/reference/complete.h \
	%D%/reference/compose.c \
	%D%/reference/compose.h \
	%D%/reference/elementwise.c \
	%D%/reference/index.c \
	%D%/reference/linear.c \
	%D%/reference/matrix.c \
	%D%/reference/move.c \
	%D%/reference/on_host.c \
	%D%/reference/optimizer.c \
	%D%/reference/random.c \
	%D%/reference/reduce.c \
	%D%/reference/reference.c \
	%D%/reference/reference.h \
	%D%/reference/report.c \
	%D%/reference/report.h \
	%D%/reference/rows.c \
	%D%/reference/signature.c \
	%D%/reference/signature.h \
	%D%/reference/softmax.c \
	%D%/reference/view.c \
	%D%/reference/view.h \
	%D%/registry/cpu.c \
	%D%/registry/cpu.h \
	%D%/registry/description.c \
	%D%/registry/description.h \
	%D%/registry/elf.c \
	%D%/registry/elf.h \
	%D%/registry/entry.c \
	%D%/registry/entry.h \
	%D%/registry/entry_open.c \
	%D%/registry/examine.c \
	%D%/registry/host.c \
	%D%/registry/host.h \
	%D%/registry/index.c \
	%D%/registry/index.h \
	%D%/registry/interface.c \
	%D%/registry/interface.h \
	%D%/registry/loaded.c \
	%D%/registry/loaded.h \
	%D%/registry/loader.c \
	%D%/registry/loader.h \
	%D%/registry/lookup.c \
	%D%/registry/owner.c \
	%D%/registry/owner.h \
	%D%/registry/registry.c \
	%D%/registry/registry.h \
	%D%/registry/registry_internal.h \
	%D%/registry/scan.c \
	%D%/registry/scan.h \
	%D%/registry/search.c \
	%D%/registry/search.h \
	%D%/registry/static.h \
	%D%/store/checkpoint.c \
	%D%/store/checkpoint.h \
	%D%/store/contents.c \
	%D%/store/contents.h \
	%D%/store/file.c \
	%D%/store/file.h \
	%D%/store/folder.c \
	%D%/store/folder.h \
	%D%/store/format.h \
	%D%/store/header.c \
	%D%/store/read.c \
	%D%/store/read.h \
	%D%/store/write.c \
	%D%/training/appended.c \
	%D%/training/appended.h \
	%D%/training/evaluate.c \
	%D%/training/hook_context.c \
	%D%/training/hooking.c \
	%D%/training/logs.c \
	%D%/training/logs.h \
	%D%/training/loop.c \
	%D%/training/modifying.c \
	%D%/training/modifying.h \
	%D%/training/resume.c \
	%D%/training/runs.c \
	%D%/training/runs.h \
	%D%/training/stepping.c \
	%D%/training/stepping.h \
	%D%/training/trainer.c \
	%D%/training/trainer.h \
	%D%/training/tuning.c \
	%D%/training/tuning.h \
	%D%/util/arena.c \
	%D%/util/arena.h \
	%D%/util/checked.h \
	%D%/util/diagnostics.c \
	%D%/util/diagnostics.h \
	%D%/util/error.c \
	%D%/util/error.h \
	%D%/util/number.c \
	%D%/util/number.h \
	%D%/util/pack.c \
	%D%/util/pack.h \
	%D%/util/source.c \
	%D%/util/source.h \
	%D%/util/suggest.c \
	%D%/util/suggest.h \
	%D%/util/text.c \
	%D%/util/text.h

# The table of the plugins that are part of the library.
if STATIC_PLUGINS
nodist_libnervenet_core_la_SOURCES = static-plugins.c
libnervenet_core_la_LIBADD += $(nn_plugins)
else
libnervenet_core_la_SOURCES += %D%/registry/static_none.c
endif
CLEANFILES += static-plugins.c

static-plugins.c: Makefile $(srcdir)/build-aux/static-plugins.sh
	$(AM_V_GEN)$(SHELL) $(srcdir)/build-aux/static-plugins.sh \
	  $(nn_plugins) > $@-t && mv $@-t $@

libnervenet_la_SOURCES =
libnervenet_la_LIBADD = libnervenet-core.la
libnervenet_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	$(NN_ZDEFS)
if HAVE_VSCRIPT
libnervenet_la_LDFLAGS += $(VSCRIPT_LDFLAGS),$(srcdir)/%D%/libnervenet.map
endif
EXTRA_libnervenet_la_DEPENDENCIES = %D%/libnervenet.map
EXTRA_DIST += %D%/libnervenet.map

# Opens plugins in a process of its own and prints what they describe.
scan_PROGRAMS += %D%/nn-scan
core_nn_scan_CPPFLAGS = $(CORE_CPPFLAGS)
core_nn_scan_LDADD = libnervenet-core.la
core_nn_scan_SOURCES = %D%/registry/scan_main.c
