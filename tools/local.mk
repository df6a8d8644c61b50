# SPDX-License-Identifier: MIT
# nn and its kin use libnervenet as any program does: nervenet.h, <nn/...>.
# NAME in the build folder runs the tool with the plugins of this build; what
# is installed lies in tools/.
TOOLS_CPPFLAGS = $(SDK_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) $(LIBMD_CFLAGS)

bin_PROGRAMS += %D%/nn
tools_nn_CPPFLAGS = $(TOOLS_CPPFLAGS) -DNN_TEMPLATE_DIR='"$(templatedir)"'
tools_nn_LDADD = libnervenet.la $(LIBMD_LIBS)
tools_nn_SOURCES = \
	%D%/check.c \
	%D%/command.h \
	%D%/describe.c \
	%D%/dump.c \
	%D%/dump.h \
	%D%/dump_compare.c \
	%D%/eval.c \
	%D%/json.c \
	%D%/json.h \
	%D%/main.c \
	%D%/new.c \
	%D%/new_files.c \
	%D%/new_files.h \
	%D%/npy.c \
	%D%/npy.h \
	%D%/open.c \
	%D%/open.h \
	%D%/options.c \
	%D%/options.h \
	%D%/plugins.c \
	%D%/plugins.h \
	%D%/plugins_json.c \
	%D%/predict.c \
	%D%/progress.c \
	%D%/progress.h \
	%D%/render.c \
	%D%/run_folder.c \
	%D%/run_folder.h \
	%D%/scores.c \
	%D%/scores.h \
	%D%/summary.c \
	%D%/table.c \
	%D%/table.h \
	%D%/talk.c \
	%D%/talk.h \
	%D%/train.c \
	%D%/writer.c \
	%D%/writer.h

noinst_SCRIPTS += $(nn_wrappers)
CLEANFILES += $(nn_wrappers)
EXTRA_DIST += %D%/uninstalled.in
nn_wrappers = nn

$(nn_wrappers): Makefile $(srcdir)/%D%/uninstalled.in
	$(AM_V_GEN)$(SED) -e 's,[@]program[@],$@,g' \
	  -e 's,[@]abs_top_builddir[@],$(abs_top_builddir),g' \
	  -e 's,[@]abs_top_srcdir[@],$(abs_top_srcdir),g' \
	  '$(srcdir)/%D%/uninstalled.in' > $@-t && chmod +x $@-t && mv $@-t $@
