# SPDX-License-Identifier: MIT

nn_plugins += plugins/schedule-standard.la
plugins_schedule_standard_la_SOURCES = %D%/schedules.c
plugins_schedule_standard_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
