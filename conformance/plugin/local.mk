# SPDX-License-Identifier: MIT
tools_nn_conformance_SOURCES += \
	%D%/checks.c \
	%D%/checks.h \
	%D%/elf.c \
	%D%/elf.h \
	%D%/entry.c \
	%D%/entry.h \
	%D%/exercise.c \
	%D%/exercise.h \
	%D%/file.c \
	%D%/fpu.c \
	%D%/fpu.h \
	%D%/generate.c \
	%D%/generate.h \
	%D%/iso.c \
	%D%/meta.c \
	%D%/negotiate.c \
	%D%/process.c \
	%D%/process.h \
	%D%/schema.c \
	%D%/structs.c \
	%D%/utf8.h
