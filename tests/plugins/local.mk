# SPDX-License-Identifier: MIT
# One cmocka program a file, each with the plugins that it names compiled in.
PLUGIN_TEST_CPPFLAGS = $(UNIT_CPPFLAGS) -DNN_STATIC_PLUGIN=1

nn_unit_tests += %D%/hooks/test_hooks
%C%_hooks_test_hooks_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_hooks_test_hooks_SOURCES = \
	%D%/hooks/test_hooks.c \
	plugins/hooks/progress.c \
	plugins/hooks/monitor_scores.c \
	plugins/hooks/monitor_loss.c \
	plugins/hooks/save_best.c \
	plugins/hooks/checkpoint.c \
	plugins/hooks/early_stopping.c \
	plugins/hooks/stop_on_nan.c \
	plugins/hooks/save_log.c \
	sdk/template/hook/hook.c

nn_unit_tests += %D%/initializers/test_initializers
%C%_initializers_test_initializers_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_initializers_test_initializers_SOURCES = \
	%D%/initializers/test_initializers.c \
	plugins/initializers/constant.c \
	plugins/initializers/gaussian.c \
	plugins/initializers/uniform.c \
	plugins/initializers/glorot.c \
	plugins/initializers/he.c \
	plugins/initializers/orthogonal.c \
	plugins/initializers/sparse.c

nn_unit_tests += %D%/iterators/test_batches
%C%_iterators_test_batches_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_iterators_test_batches_SOURCES = \
	%D%/iterators/test_batches.c \
	%D%/iterators/fake.c \
	%D%/iterators/fake.h \
	%D%/iterators/files.h \
	%D%/iterators/fuzz.h \
	%D%/iterators/make.h \
	%D%/iterators/make_zip.h \
	plugins/iterators/undivided.c \
	plugins/iterators/minibatches.c \
	plugins/iterators/scale.c \
	plugins/iterators/standardize.c \
	plugins/iterators/standardize_pass.c \
	plugins/iterators/standardize_pass.h \
	sdk/template/iterator/iterator.c

nn_unit_tests += %D%/iterators/test_csv
%C%_iterators_test_csv_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_iterators_test_csv_SOURCES = \
	%D%/iterators/test_csv.c \
	%D%/iterators/fake.c \
	%D%/iterators/fake.h \
	%D%/iterators/files.h \
	%D%/iterators/fuzz.h \
	%D%/iterators/make.h \
	%D%/iterators/make_zip.h \
	plugins/iterators/csv.c \
	plugins/iterators/csv_parse.c \
	plugins/iterators/csv_parse.h \
	plugins/iterators/csv_reader.c \
	plugins/iterators/csv_reader.h

nn_unit_tests += %D%/iterators/test_hostile
%C%_iterators_test_hostile_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(ZLIB_CFLAGS) $(LIBZIP_CFLAGS)
%C%_iterators_test_hostile_SOURCES = \
	%D%/iterators/test_hostile.c \
	%D%/iterators/fake.c \
	%D%/iterators/fake.h \
	%D%/iterators/files.h \
	%D%/iterators/fuzz.h \
	%D%/iterators/make.h \
	%D%/iterators/make_zip.h \
	plugins/iterators/idx.c \
	plugins/iterators/idx_parse.c \
	plugins/iterators/idx_parse.h \
	plugins/iterators/idx_stream.c \
	plugins/iterators/idx_stream.h \
	plugins/iterators/npy.c \
	plugins/iterators/npy_input.c \
	plugins/iterators/npy_input.h \
	plugins/iterators/npy_parse.c \
	plugins/iterators/npy_parse.h \
	plugins/iterators/csv.c \
	plugins/iterators/csv_parse.c \
	plugins/iterators/csv_parse.h \
	plugins/iterators/csv_reader.c \
	plugins/iterators/csv_reader.h
%C%_iterators_test_hostile_LDADD = $(LDADD) $(ZLIB_LIBS) $(LIBZIP_LIBS)

nn_unit_tests += %D%/iterators/test_idx
%C%_iterators_test_idx_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(ZLIB_CFLAGS)
%C%_iterators_test_idx_SOURCES = \
	%D%/iterators/test_idx.c \
	%D%/iterators/fake.c \
	%D%/iterators/fake.h \
	%D%/iterators/files.h \
	%D%/iterators/fuzz.h \
	%D%/iterators/make.h \
	%D%/iterators/make_zip.h \
	plugins/iterators/idx.c \
	plugins/iterators/idx_parse.c \
	plugins/iterators/idx_parse.h \
	plugins/iterators/idx_stream.c \
	plugins/iterators/idx_stream.h
%C%_iterators_test_idx_LDADD = $(LDADD) $(ZLIB_LIBS)

nn_unit_tests += %D%/iterators/test_npy
%C%_iterators_test_npy_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(LIBZIP_CFLAGS) $(ZLIB_CFLAGS)
%C%_iterators_test_npy_SOURCES = \
	%D%/iterators/test_npy.c \
	%D%/iterators/fake.c \
	%D%/iterators/fake.h \
	%D%/iterators/files.h \
	%D%/iterators/fuzz.h \
	%D%/iterators/make.h \
	%D%/iterators/make_zip.h \
	plugins/iterators/npy.c \
	plugins/iterators/npy_input.c \
	plugins/iterators/npy_input.h \
	plugins/iterators/npy_parse.c \
	plugins/iterators/npy_parse.h
%C%_iterators_test_npy_LDADD = $(LDADD) $(LIBZIP_LIBS) $(ZLIB_LIBS)

nn_unit_tests += %D%/layers/test_layers
%C%_layers_test_layers_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_layers_test_layers_SOURCES = \
	%D%/layers/test_layers.c \
	%D%/layers/alone.c \
	%D%/layers/alone.h \
	%D%/layers/gradients.c \
	%D%/layers/machine.c \
	%D%/layers/passes.c \
	%D%/layers/values.c \
	plugins/layers/input.c \
	plugins/layers/fully_connected.c \
	plugins/layers/activation.c \
	plugins/layers/dropout.c \
	plugins/layers/concat.c \
	plugins/layers/mask.c \
	plugins/layers/softmax.c \
	sdk/template/layer/layer.c

nn_unit_tests += %D%/layers/test_losses
%C%_layers_test_losses_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_layers_test_losses_SOURCES = \
	%D%/layers/test_losses.c \
	%D%/layers/alone.c \
	%D%/layers/alone.h \
	%D%/layers/gradients.c \
	%D%/layers/machine.c \
	%D%/layers/passes.c \
	%D%/layers/values.c \
	plugins/layers/softmax_ce.c \
	plugins/layers/sigmoid_ce.c \
	plugins/layers/squared_error.c \
	plugins/layers/loss.c

nn_unit_tests += %D%/layers/test_mechanisms
%C%_layers_test_mechanisms_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_layers_test_mechanisms_SOURCES = \
	%D%/layers/test_mechanisms.c \
	%D%/layers/alone.c \
	%D%/layers/alone.h \
	%D%/layers/gradients.c \
	%D%/layers/machine.c \
	%D%/layers/passes.c \
	%D%/layers/values.c \
	plugins/layers/fully_connected.c \
	tests/plugins_src/layers/chain.c \
	tests/plugins_src/layers/counter.c \
	tests/plugins_src/layers/frames.c \
	tests/plugins_src/layers/grouped.c \
	tests/plugins_src/layers/lists.c \
	tests/plugins_src/layers/optional.c \
	tests/plugins_src/layers/pair.c \
	tests/plugins_src/layers/reserve.c \
	tests/plugins_src/layers/tied.c

nn_unit_tests += %D%/modifiers/test_modifiers
%C%_modifiers_test_modifiers_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_modifiers_test_modifiers_SOURCES = \
	%D%/modifiers/test_modifiers.c \
	plugins/modifiers/l2.c \
	plugins/modifiers/clip_gradient_norm.c

nn_unit_tests += %D%/schedules/test_schedules
%C%_schedules_test_schedules_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_schedules_test_schedules_SOURCES = \
	%D%/schedules/test_schedules.c \
	plugins/schedules/schedules.c

nn_unit_tests += %D%/scorers/test_scorers
%C%_scorers_test_scorers_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_scorers_test_scorers_SOURCES = \
	%D%/scorers/test_scorers.c \
	plugins/scorers/accuracy.c \
	plugins/scorers/hamming.c \
	plugins/scorers/mean_squared_error.c

nn_unit_tests += %D%/steppers/test_steppers
%C%_steppers_test_steppers_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
%C%_steppers_test_steppers_SOURCES = \
	%D%/steppers/test_steppers.c \
	plugins/steppers/sgd.c \
	plugins/steppers/momentum.c \
	plugins/steppers/nesterov.c \
	plugins/steppers/adam.c \
	plugins/steppers/rmsprop.c \
	plugins/steppers/adagrad.c \
	plugins/steppers/adadelta.c \
	plugins/steppers/adamax.c \
	plugins/steppers/amsgrad.c

if WITH_OPENBLAS
nn_unit_tests += \
	%D%/test_cpu_handler \
	%D%/test_cpu_kernels
endif
%C%_test_cpu_handler_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(OPENBLAS_CFLAGS)
%C%_test_cpu_handler_SOURCES = \
	%D%/test_cpu_handler.c \
	$(nn_cpu_sources)
%C%_test_cpu_handler_LDADD = $(LDADD) $(OPENBLAS_LIBS) -lpthread
%C%_test_cpu_kernels_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(OPENBLAS_CFLAGS)
%C%_test_cpu_kernels_SOURCES = \
	%D%/test_cpu_kernels.c \
	$(nn_cpu_sources)
%C%_test_cpu_kernels_LDADD = $(LDADD) $(OPENBLAS_LIBS) -lpthread

EXTRA_DIST += \
	%D%/fake_host.h \
	%D%/hooks/fake_run.h \
	%D%/host_device.h \
	%D%/test_cpu_support.h

# The handler debug, as a program uses it: it links what users link.
if HAVE_CMOCKA
check_PROGRAMS += %D%/handlers/test_debug
TESTS += %D%/handlers/test_debug
endif
%C%_handlers_test_debug_CPPFLAGS = $(SDK_CPPFLAGS) $(CMOCKA_CFLAGS)
%C%_handlers_test_debug_LDADD = libnervenet.la $(CMOCKA_LIBS) -lm

TESTS += %D%/handlers/debug.sh
EXTRA_DIST += %D%/handlers/debug.sh
