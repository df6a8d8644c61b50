# SPDX-License-Identifier: MIT

# What several of these share, static inline.
EXTRA_DIST += \
	%D%/criterion.h \
	%D%/line.h \
	%D%/monitor.h

nn_plugins += plugins/hook-progress.la
plugins_hook_progress_la_SOURCES = %D%/progress.c
plugins_hook_progress_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-monitor_scores.la
plugins_hook_monitor_scores_la_SOURCES = %D%/monitor_scores.c
plugins_hook_monitor_scores_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-monitor_loss.la
plugins_hook_monitor_loss_la_SOURCES = %D%/monitor_loss.c
plugins_hook_monitor_loss_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-save_best.la
plugins_hook_save_best_la_SOURCES = %D%/save_best.c
plugins_hook_save_best_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-checkpoint.la
plugins_hook_checkpoint_la_SOURCES = %D%/checkpoint.c
plugins_hook_checkpoint_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-early_stopping.la
plugins_hook_early_stopping_la_SOURCES = %D%/early_stopping.c
plugins_hook_early_stopping_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-stop_on_nan.la
plugins_hook_stop_on_nan_la_SOURCES = %D%/stop_on_nan.c
plugins_hook_stop_on_nan_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/hook-save_log.la
plugins_hook_save_log_la_SOURCES = %D%/save_log.c
plugins_hook_save_log_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
