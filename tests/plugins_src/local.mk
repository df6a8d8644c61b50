# SPDX-License-Identifier: MIT
# Plugins for tests of the registry, most of them wrong in one way.  They are
# linked as a stranger's would be, and even what is undefined may stay so.
FIXTURE_FLAGS = $(NN_LDFLAGS) -module -avoid-version -rpath /nowhere
FIXTURE_CFLAGS = $(AM_CFLAGS) -Wno-error
EXTRA_DIST += %D%/fixture.h

check_LTLIBRARIES += $(nn_fixtures)
nn_fixtures =

nn_fixtures += %D%/counter_a.la
%C%_counter_a_la_SOURCES = %D%/counter_a.c
%C%_counter_a_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_counter_a_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_counter_a_la_CFLAGS = $(FIXTURE_CFLAGS) -fvisibility=default

nn_fixtures += %D%/counter_b.la
%C%_counter_b_la_SOURCES = %D%/counter_b.c
%C%_counter_b_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_counter_b_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_counter_b_la_CFLAGS = $(FIXTURE_CFLAGS) -fvisibility=default

nn_fixtures += %D%/crashes.la
%C%_crashes_la_SOURCES = %D%/crashes.c
%C%_crashes_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_crashes_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_crashes_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/declines.la
%C%_declines_la_SOURCES = %D%/declines.c
%C%_declines_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_declines_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_declines_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/exits.la
%C%_exits_la_SOURCES = %D%/exits.c
%C%_exits_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_exits_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_exits_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/feature.la
%C%_feature_la_SOURCES = %D%/feature.c
%C%_feature_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_feature_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_feature_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/future.la
%C%_future_la_SOURCES = %D%/future.c
%C%_future_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_future_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_future_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/good.la
%C%_good_la_SOURCES = %D%/good.c
%C%_good_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_good_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_good_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/hangs.la
%C%_hangs_la_SOURCES = %D%/hangs.c
%C%_hangs_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_hangs_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_hangs_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/hollow.la
%C%_hollow_la_SOURCES = %D%/hollow.c
%C%_hollow_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_hollow_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_hollow_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/lingers.la
%C%_lingers_la_SOURCES = %D%/lingers.c
%C%_lingers_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_lingers_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_lingers_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/magic.la
%C%_magic_la_SOURCES = %D%/magic.c
%C%_magic_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_magic_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_magic_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/newer.la
%C%_newer_la_SOURCES = %D%/newer.c
%C%_newer_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_newer_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_newer_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/nosymbol.la
%C%_nosymbol_la_SOURCES = %D%/nosymbol.c
%C%_nosymbol_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_nosymbol_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_nosymbol_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/nullname.la
%C%_nullname_la_SOURCES = %D%/nullname.c
%C%_nullname_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_nullname_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_nullname_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/opened.la
%C%_opened_la_SOURCES = %D%/opened.c
%C%_opened_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_opened_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_opened_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/openmp.la
%C%_openmp_la_SOURCES = %D%/openmp.c
%C%_openmp_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_openmp_la_LDFLAGS = $(FIXTURE_FLAGS) $(OPENMP_CFLAGS)
%C%_openmp_la_CFLAGS = $(FIXTURE_CFLAGS) $(OPENMP_CFLAGS)

nn_fixtures += %D%/prints.la
%C%_prints_la_SOURCES = %D%/prints.c
%C%_prints_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_prints_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_prints_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/tls.la
%C%_tls_la_SOURCES = %D%/tls.c
%C%_tls_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_tls_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_tls_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/twin.la
%C%_twin_la_SOURCES = %D%/twin.c
%C%_twin_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_twin_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_twin_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/undefined.la
%C%_undefined_la_SOURCES = %D%/undefined.c
%C%_undefined_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_undefined_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_undefined_la_CFLAGS = $(FIXTURE_CFLAGS)

nn_fixtures += %D%/wild.la
%C%_wild_la_SOURCES = %D%/wild.c
%C%_wild_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_wild_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_wild_la_CFLAGS = $(FIXTURE_CFLAGS)

# Layers that prove what later ones need.

nn_fixtures += %D%/layer_chain.la
%C%_layer_chain_la_SOURCES = %D%/layers/chain.c
%C%_layer_chain_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_chain_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_chain_la_LIBADD = -lm

nn_fixtures += %D%/layer_counter.la
%C%_layer_counter_la_SOURCES = %D%/layers/counter.c
%C%_layer_counter_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_counter_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_counter_la_LIBADD = -lm

nn_fixtures += %D%/layer_frames.la
%C%_layer_frames_la_SOURCES = %D%/layers/frames.c
%C%_layer_frames_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_frames_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_frames_la_LIBADD = -lm

nn_fixtures += %D%/layer_grouped.la
%C%_layer_grouped_la_SOURCES = %D%/layers/grouped.c
%C%_layer_grouped_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_grouped_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_grouped_la_LIBADD = -lm

nn_fixtures += %D%/layer_lists.la
%C%_layer_lists_la_SOURCES = %D%/layers/lists.c
%C%_layer_lists_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_lists_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_lists_la_LIBADD = -lm

nn_fixtures += %D%/layer_optional.la
%C%_layer_optional_la_SOURCES = %D%/layers/optional.c
%C%_layer_optional_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_optional_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_optional_la_LIBADD = -lm

nn_fixtures += %D%/layer_pair.la
%C%_layer_pair_la_SOURCES = %D%/layers/pair.c
%C%_layer_pair_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_pair_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_pair_la_LIBADD = -lm

nn_fixtures += %D%/layer_reserve.la
%C%_layer_reserve_la_SOURCES = %D%/layers/reserve.c
%C%_layer_reserve_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_reserve_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_reserve_la_LIBADD = -lm

nn_fixtures += %D%/layer_tied.la
%C%_layer_tied_la_SOURCES = %D%/layers/tied.c
%C%_layer_tied_la_CPPFLAGS = $(SDK_CPPFLAGS)
%C%_layer_tied_la_LDFLAGS = $(FIXTURE_FLAGS)
%C%_layer_tied_la_LIBADD = -lm
