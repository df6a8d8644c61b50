# SPDX-License-Identifier: MIT
# The contract: what a plugin may include, and the API of programs.
nninclude_HEADERS += \
	%D%/include/nn/activation.h \
	%D%/include/nn/array.h \
	%D%/include/nn/base.h \
	%D%/include/nn/describe.h \
	%D%/include/nn/extension.h \
	%D%/include/nn/handler.h \
	%D%/include/nn/hook.h \
	%D%/include/nn/host.h \
	%D%/include/nn/host_memory.h \
	%D%/include/nn/iterator.h \
	%D%/include/nn/layer.h \
	%D%/include/nn/linear.h \
	%D%/include/nn/loss.h \
	%D%/include/nn/operations.h \
	%D%/include/nn/optimizer.h \
	%D%/include/nn/params.h \
	%D%/include/nn/plugin.h \
	%D%/include/nn/random.h \
	%D%/include/nn/reference.h \
	%D%/include/nn/rows.h \
	%D%/include/nn/shape.h \
	%D%/include/nn/stepper.h \
	%D%/include/nn/text.h \
	%D%/include/nn/track.h \
	%D%/include/nn/training.h
include_HEADERS += %D%/include/nervenet.h

# A folder a kind, to be copied; `nn new` copies them too.
templatedir = $(datadir)/nervenet/template
NN_TEMPLATES = layer layer_cxx handler hook iterator
EXTRA_DIST += %D%/abi %D%/template

install-data-local: install-templates
install-templates:
	for kind in $(NN_TEMPLATES); do \
	  $(MKDIR_P) "$(DESTDIR)$(templatedir)/$$kind" && \
	  $(INSTALL_DATA) '$(srcdir)/%D%/template'/$$kind/* \
	    "$(DESTDIR)$(templatedir)/$$kind" || exit 1; \
	done

uninstall-local: uninstall-templates
uninstall-templates:
	for kind in $(NN_TEMPLATES); do \
	  rm -rf "$(DESTDIR)$(templatedir)/$$kind"; \
	done
	-rmdir "$(DESTDIR)$(templatedir)" "$(DESTDIR)$(datadir)/nervenet"

.PHONY: install-templates uninstall-templates
