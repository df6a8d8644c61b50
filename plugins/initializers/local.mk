# SPDX-License-Identifier: MIT

nn_plugins += plugins/initializer-constant.la
plugins_initializer_constant_la_SOURCES = %D%/constant.c
plugins_initializer_constant_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/initializer-gaussian.la
plugins_initializer_gaussian_la_SOURCES = %D%/gaussian.c
plugins_initializer_gaussian_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/initializer-uniform.la
plugins_initializer_uniform_la_SOURCES = %D%/uniform.c
plugins_initializer_uniform_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/initializer-glorot.la
plugins_initializer_glorot_la_SOURCES = %D%/glorot.c
plugins_initializer_glorot_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/initializer-he.la
plugins_initializer_he_la_SOURCES = %D%/he.c
plugins_initializer_he_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/initializer-orthogonal.la
plugins_initializer_orthogonal_la_SOURCES = %D%/orthogonal.c
plugins_initializer_orthogonal_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/initializer-sparse.la
plugins_initializer_sparse_la_SOURCES = %D%/sparse.c
plugins_initializer_sparse_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
