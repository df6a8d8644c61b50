# SPDX-License-Identifier: MIT
# Targets for clang's libFuzzer, one a reader of untrusted bytes.  Those of
# iterators have the plugin's own sources in them.
nn_fuzzers =
if FUZZERS
noinst_PROGRAMS += $(nn_fuzzers)
endif

# Without clang the same code replays the inputs of corpus/NAME.
check_PROGRAMS += $(nn_replays)
TESTS += %D%/replay.sh
nn_replays =

nn_fuzzers += %D%/fuzz_checkpoint
%C%_fuzz_checkpoint_CPPFLAGS = $(CORE_CPPFLAGS)
%C%_fuzz_checkpoint_LDFLAGS = $(AM_LDFLAGS) $(NN_FUZZ_LDFLAGS)
%C%_fuzz_checkpoint_LDADD = libnervenet-core.la
nn_replays += %D%/replay_checkpoint
%C%_replay_checkpoint_SOURCES = %D%/fuzz_checkpoint.c
%C%_replay_checkpoint_CPPFLAGS = $(CORE_CPPFLAGS) -DNN_REPLAY=1
%C%_replay_checkpoint_LDADD = libnervenet-core.la

nn_fuzzers += %D%/fuzz_config
%C%_fuzz_config_CPPFLAGS = $(CORE_CPPFLAGS)
%C%_fuzz_config_LDFLAGS = $(AM_LDFLAGS) $(NN_FUZZ_LDFLAGS)
%C%_fuzz_config_LDADD = libnervenet-core.la
nn_replays += %D%/replay_config
%C%_replay_config_SOURCES = %D%/fuzz_config.c
%C%_replay_config_CPPFLAGS = $(CORE_CPPFLAGS) -DNN_REPLAY=1
%C%_replay_config_LDADD = libnervenet-core.la

nn_fuzz_iterator_flags = $(SDK_CPPFLAGS) -I$(top_srcdir) \
	-DNN_STATIC_PLUGIN=1 $(LIBZIP_CFLAGS) $(ZLIB_CFLAGS)

nn_fuzzers += %D%/fuzz_csv
%C%_fuzz_csv_SOURCES = \
	%D%/fuzz_csv.c \
	tests/plugins/iterators/fake.c \
	plugins/iterators/csv.c \
	plugins/iterators/csv_parse.c \
	plugins/iterators/csv_reader.c
%C%_fuzz_csv_CPPFLAGS = $(nn_fuzz_iterator_flags)
%C%_fuzz_csv_LDFLAGS = $(AM_LDFLAGS) $(NN_FUZZ_LDFLAGS)
%C%_fuzz_csv_LDADD = -lm
nn_replays += %D%/replay_csv
%C%_replay_csv_SOURCES = $(%C%_fuzz_csv_SOURCES)
%C%_replay_csv_CPPFLAGS = $(nn_fuzz_iterator_flags) -DNN_REPLAY=1
%C%_replay_csv_LDADD = -lm

nn_fuzzers += %D%/fuzz_idx
%C%_fuzz_idx_SOURCES = \
	%D%/fuzz_idx.c \
	tests/plugins/iterators/fake.c \
	plugins/iterators/idx.c \
	plugins/iterators/idx_parse.c \
	plugins/iterators/idx_stream.c
%C%_fuzz_idx_CPPFLAGS = $(nn_fuzz_iterator_flags)
%C%_fuzz_idx_LDFLAGS = $(AM_LDFLAGS) $(NN_FUZZ_LDFLAGS)
%C%_fuzz_idx_LDADD = $(ZLIB_LIBS) -lm
nn_replays += %D%/replay_idx
%C%_replay_idx_SOURCES = $(%C%_fuzz_idx_SOURCES)
%C%_replay_idx_CPPFLAGS = $(nn_fuzz_iterator_flags) -DNN_REPLAY=1
%C%_replay_idx_LDADD = $(ZLIB_LIBS) -lm

nn_fuzzers += %D%/fuzz_npy
%C%_fuzz_npy_SOURCES = \
	%D%/fuzz_npy.c \
	tests/plugins/iterators/fake.c \
	plugins/iterators/npy.c \
	plugins/iterators/npy_input.c \
	plugins/iterators/npy_parse.c
%C%_fuzz_npy_CPPFLAGS = $(nn_fuzz_iterator_flags)
%C%_fuzz_npy_LDFLAGS = $(AM_LDFLAGS) $(NN_FUZZ_LDFLAGS)
%C%_fuzz_npy_LDADD = $(LIBZIP_LIBS) $(ZLIB_LIBS) -lm
nn_replays += %D%/replay_npy
%C%_replay_npy_SOURCES = $(%C%_fuzz_npy_SOURCES)
%C%_replay_npy_CPPFLAGS = $(nn_fuzz_iterator_flags) -DNN_REPLAY=1
%C%_replay_npy_LDADD = $(LIBZIP_LIBS) $(ZLIB_LIBS) -lm

nn_fuzzers += %D%/fuzz_npz
%C%_fuzz_npz_SOURCES = \
	%D%/fuzz_npz.c \
	tests/plugins/iterators/fake.c \
	plugins/iterators/npy.c \
	plugins/iterators/npy_input.c \
	plugins/iterators/npy_parse.c
%C%_fuzz_npz_CPPFLAGS = $(nn_fuzz_iterator_flags)
%C%_fuzz_npz_LDFLAGS = $(AM_LDFLAGS) $(NN_FUZZ_LDFLAGS)
%C%_fuzz_npz_LDADD = $(LIBZIP_LIBS) $(ZLIB_LIBS) -lm
nn_replays += %D%/replay_npz
%C%_replay_npz_SOURCES = $(%C%_fuzz_npz_SOURCES)
%C%_replay_npz_CPPFLAGS = $(nn_fuzz_iterator_flags) -DNN_REPLAY=1
%C%_replay_npz_LDADD = $(LIBZIP_LIBS) $(ZLIB_LIBS) -lm

EXTRA_DIST += \
	%D%/corpus \
	%D%/make_checkpoints.c \
	%D%/make_corpus.py \
	%D%/replay.sh
