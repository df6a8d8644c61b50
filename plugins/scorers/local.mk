# SPDX-License-Identifier: MIT

nn_plugins += plugins/scorer-accuracy.la
plugins_scorer_accuracy_la_SOURCES = %D%/accuracy.c
plugins_scorer_accuracy_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/scorer-hamming.la
plugins_scorer_hamming_la_SOURCES = %D%/hamming.c
plugins_scorer_hamming_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/scorer-mean_squared_error.la
plugins_scorer_mean_squared_error_la_SOURCES = %D%/mean_squared_error.c
plugins_scorer_mean_squared_error_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
