# SPDX-License-Identifier: MIT
tools_nn_conformance_SOURCES += \
	%D%/checks.c
