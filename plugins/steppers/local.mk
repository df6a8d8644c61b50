# SPDX-License-Identifier: MIT

nn_plugins += plugins/stepper-sgd.la
plugins_stepper_sgd_la_SOURCES = %D%/sgd.c
plugins_stepper_sgd_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-momentum.la
plugins_stepper_momentum_la_SOURCES = %D%/momentum.c
plugins_stepper_momentum_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-nesterov.la
plugins_stepper_nesterov_la_SOURCES = %D%/nesterov.c
plugins_stepper_nesterov_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-adam.la
plugins_stepper_adam_la_SOURCES = %D%/adam.c
plugins_stepper_adam_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-rmsprop.la
plugins_stepper_rmsprop_la_SOURCES = %D%/rmsprop.c
plugins_stepper_rmsprop_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-adagrad.la
plugins_stepper_adagrad_la_SOURCES = %D%/adagrad.c
plugins_stepper_adagrad_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-adadelta.la
plugins_stepper_adadelta_la_SOURCES = %D%/adadelta.c
plugins_stepper_adadelta_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-adamax.la
plugins_stepper_adamax_la_SOURCES = %D%/adamax.c
plugins_stepper_adamax_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/stepper-amsgrad.la
plugins_stepper_amsgrad_la_SOURCES = %D%/amsgrad.c
plugins_stepper_amsgrad_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
