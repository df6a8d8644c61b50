# SPDX-License-Identifier: MIT
# The manual.
EXTRA_DIST += \
	%D%/ABI.md \
	%D%/DESIGN.md \
	%D%/REQUIREMENTS.md \
	%D%/STYLE.md \
	%D%/checkpoint.md \
	%D%/config.md \
	%D%/conformance.md \
	%D%/conventions.md \
	%D%/core/README.md \
	%D%/core/config.md \
	%D%/core/graph.md \
	%D%/core/memory.md \
	%D%/core/model.md \
	%D%/core/network.md \
	%D%/core/reference.md \
	%D%/core/registry.md \
	%D%/core/store.md \
	%D%/core/training.md \
	%D%/core/util.md \
	%D%/debug.md \
	%D%/nn-conformance.md \
	%D%/nn.md \
	%D%/performance.md \
	%D%/plugins.md
