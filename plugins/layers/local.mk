# SPDX-License-Identifier: MIT

nn_plugins += plugins/layer-input.la
plugins_layer_input_la_SOURCES = %D%/input.c
plugins_layer_input_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-fully_connected.la
plugins_layer_fully_connected_la_SOURCES = %D%/fully_connected.c
plugins_layer_fully_connected_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-activation.la
plugins_layer_activation_la_SOURCES = %D%/activation.c
plugins_layer_activation_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-dropout.la
plugins_layer_dropout_la_SOURCES = %D%/dropout.c
plugins_layer_dropout_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-concat.la
plugins_layer_concat_la_SOURCES = %D%/concat.c
plugins_layer_concat_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-mask.la
plugins_layer_mask_la_SOURCES = %D%/mask.c
plugins_layer_mask_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-softmax.la
plugins_layer_softmax_la_SOURCES = %D%/softmax.c
plugins_layer_softmax_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-softmax_ce.la
plugins_layer_softmax_ce_la_SOURCES = %D%/softmax_ce.c
plugins_layer_softmax_ce_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-sigmoid_ce.la
plugins_layer_sigmoid_ce_la_SOURCES = %D%/sigmoid_ce.c
plugins_layer_sigmoid_ce_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-squared_error.la
plugins_layer_squared_error_la_SOURCES = %D%/squared_error.c
plugins_layer_squared_error_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/layer-loss.la
plugins_layer_loss_la_SOURCES = %D%/loss.c
plugins_layer_loss_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
