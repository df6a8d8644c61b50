# SPDX-License-Identifier: MIT
# Every plugin is one module of three lines in its kind's local.mk: its name,
# KIND-NAME, so that two kinds may have a component of the same name; its
# sources; and the flags.  What needs a library adds LIBADD and CPPFLAGS.
#
# A source says NN_PLUGIN_ENTRY(KIND_NAME), which is what the table of a static
# build refers to.
nn_plugins =
NN_PLUGIN_LDFLAGS = $(NN_LDFLAGS) -module

if STATIC_PLUGINS
noinst_LTLIBRARIES += $(nn_plugins)
AM_CPPFLAGS += -DNN_STATIC_PLUGIN=1
else
plugin_LTLIBRARIES = $(nn_plugins)
NN_PLUGIN_LDFLAGS += -avoid-version -no-undefined \
	-export-symbols-regex '^nn_plugin_v1$$' $(NN_ZDEFS) $(NN_PLUGIN_ZFLAGS)
endif

include %D%/layers/local.mk
include %D%/backends/local.mk
include %D%/hooks/local.mk
include %D%/iterators/local.mk
include %D%/steppers/local.mk
include %D%/initializers/local.mk
include %D%/scorers/local.mk
include %D%/modifiers/local.mk
include %D%/schedules/local.mk
