# SPDX-License-Identifier: MIT

nn_plugins += plugins/modifier-l2.la
plugins_modifier_l2_la_SOURCES = %D%/l2.c
plugins_modifier_l2_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/modifier-clip_gradient_norm.la
plugins_modifier_clip_gradient_norm_la_SOURCES = %D%/clip_gradient_norm.c
plugins_modifier_clip_gradient_norm_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
