# SPDX-License-Identifier: MIT
tools_nn_conformance_SOURCES += \
	%D%/checks.c \
	%D%/checks.h \
	%D%/desk.c \
	%D%/desk.h \
	%D%/initializer.c \
	%D%/modifier.c \
	%D%/schedule.c \
	%D%/scorer.c \
	%D%/scoring.c \
	%D%/scoring.h \
	%D%/stepper.c \
	%D%/stepper_run.c \
	%D%/stepping.c \
	%D%/stepping.h
