# SPDX-License-Identifier: MIT

# What several of these share, static inline.
EXTRA_DIST += \
	%D%/batches.h \
	%D%/inner.h \
	%D%/number.h \
	%D%/source.h \
	%D%/source_files.h

nn_plugins += plugins/iterator-undivided.la
plugins_iterator_undivided_la_SOURCES = %D%/undivided.c
plugins_iterator_undivided_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/iterator-minibatches.la
plugins_iterator_minibatches_la_SOURCES = %D%/minibatches.c
plugins_iterator_minibatches_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/iterator-scale.la
plugins_iterator_scale_la_SOURCES = %D%/scale.c
plugins_iterator_scale_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/iterator-standardize.la
plugins_iterator_standardize_la_SOURCES = \
	%D%/standardize.c \
	%D%/standardize_pass.c \
	%D%/standardize_pass.h
plugins_iterator_standardize_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)

nn_plugins += plugins/iterator-idx.la
plugins_iterator_idx_la_SOURCES = \
	%D%/idx.c \
	%D%/idx_parse.c \
	%D%/idx_parse.h \
	%D%/idx_stream.c \
	%D%/idx_stream.h
plugins_iterator_idx_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
plugins_iterator_idx_la_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
plugins_iterator_idx_la_LIBADD = $(ZLIB_LIBS)

nn_plugins += plugins/iterator-npy.la
plugins_iterator_npy_la_SOURCES = \
	%D%/npy.c \
	%D%/npy_input.c \
	%D%/npy_input.h \
	%D%/npy_parse.c \
	%D%/npy_parse.h
plugins_iterator_npy_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
plugins_iterator_npy_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBZIP_CFLAGS) $(ZLIB_CFLAGS)
plugins_iterator_npy_la_LIBADD = $(LIBZIP_LIBS) $(ZLIB_LIBS)

nn_plugins += plugins/iterator-csv.la
plugins_iterator_csv_la_SOURCES = \
	%D%/csv.c \
	%D%/csv_parse.c \
	%D%/csv_parse.h \
	%D%/csv_reader.c \
	%D%/csv_reader.h
plugins_iterator_csv_la_LDFLAGS = $(NN_PLUGIN_LDFLAGS)
