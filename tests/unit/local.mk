# SPDX-License-Identifier: MIT
# One cmocka program a file.  They link the core's hidden library and, being
# named after their sources, need no list of their own.
UNIT_CPPFLAGS = $(CORE_CPPFLAGS) $(CMOCKA_CFLAGS)
LDADD = libnervenet-core.la $(CMOCKA_LIBS)

nn_unit_tests =
if HAVE_CMOCKA
check_PROGRAMS += $(nn_unit_tests)
TESTS += $(nn_unit_tests)
endif

nn_unit_tests += %D%/config/test_path
%C%_config_test_path_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/config/test_read
%C%_config_test_read_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/config/test_schema
%C%_config_test_schema_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/config/test_write
%C%_config_test_write_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/graph/test_graph
%C%_graph_test_graph_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_graph_test_graph_SOURCES = \
	%D%/graph/test_graph.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/memory/test_layout
%C%_memory_test_layout_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_memory_test_layout_SOURCES = \
	%D%/memory/test_layout.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/model/test_data
%C%_model_test_data_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/model/test_model
%C%_model_test_model_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/model/test_summary
%C%_model_test_summary_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/network/test_access
%C%_network_test_access_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_access_SOURCES = \
	%D%/network/test_access.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_children
%C%_network_test_children_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_children_SOURCES = \
	%D%/network/test_children.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_context
%C%_network_test_context_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_context_SOURCES = \
	%D%/network/test_context.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_deltas
%C%_network_test_deltas_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_deltas_SOURCES = \
	%D%/network/test_deltas.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_errors
%C%_network_test_errors_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_errors_SOURCES = \
	%D%/network/test_errors.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_gradients
%C%_network_test_gradients_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_gradients_SOURCES = \
	%D%/network/test_gradients.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_initialize
%C%_network_test_initialize_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_initialize_SOURCES = \
	%D%/network/test_initialize.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_layer_alone
%C%_network_test_layer_alone_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_layer_alone_SOURCES = \
	%D%/network/test_layer_alone.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_passes
%C%_network_test_passes_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_passes_SOURCES = \
	%D%/network/test_passes.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_plans
%C%_network_test_plans_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_plans_SOURCES = \
	%D%/network/test_plans.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_references
%C%_network_test_references_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_references_SOURCES = \
	%D%/network/test_references.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_threads
%C%_network_test_threads_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_threads_SOURCES = \
	%D%/network/test_threads.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/network/test_track
%C%_network_test_track_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_network_test_track_SOURCES = \
	%D%/network/test_track.c \
	%D%/network/random_net.c \
	%D%/network/support.c \
	%D%/network/support.h

nn_unit_tests += %D%/reference/test_check
%C%_reference_test_check_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_check_SOURCES = \
	%D%/reference/test_check.c \
	%D%/reference/examples.c \
	%D%/reference/examples.h \
	%D%/reference/rows.c \
	%D%/reference/rows.h \
	%D%/reference/support.c \
	%D%/reference/support.h

nn_unit_tests += %D%/reference/test_complete
%C%_reference_test_complete_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_complete_SOURCES = \
	%D%/reference/test_complete.c \
	%D%/reference/examples.c \
	%D%/reference/examples.h \
	%D%/reference/rows.c \
	%D%/reference/rows.h \
	%D%/reference/support.c \
	%D%/reference/support.h

nn_unit_tests += %D%/reference/test_linear
%C%_reference_test_linear_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_linear_SOURCES = \
	%D%/reference/test_linear.c \
	%D%/reference/examples.c \
	%D%/reference/examples.h \
	%D%/reference/rows.c \
	%D%/reference/rows.h \
	%D%/reference/support.c \
	%D%/reference/support.h

nn_unit_tests += %D%/reference/test_operations
%C%_reference_test_operations_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_operations_SOURCES = \
	%D%/reference/test_operations.c \
	%D%/reference/examples.c \
	%D%/reference/examples.h \
	%D%/reference/rows.c \
	%D%/reference/rows.h \
	%D%/reference/support.c \
	%D%/reference/support.h

nn_unit_tests += %D%/reference/test_optimizer
%C%_reference_test_optimizer_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_optimizer_SOURCES = \
	%D%/reference/test_optimizer.c \
	%D%/reference/examples.c \
	%D%/reference/examples.h \
	%D%/reference/rows.c \
	%D%/reference/rows.h \
	%D%/reference/support.c \
	%D%/reference/support.h

nn_unit_tests += %D%/reference/test_random
%C%_reference_test_random_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_random_SOURCES = \
	%D%/reference/test_random.c \
	%D%/reference/examples.c \
	%D%/reference/examples.h \
	%D%/reference/rows.c \
	%D%/reference/rows.h \
	%D%/reference/support.c \
	%D%/reference/support.h

nn_unit_tests += %D%/reference/test_reference_handler
%C%_reference_test_reference_handler_CPPFLAGS = $(UNIT_CPPFLAGS)
%C%_reference_test_reference_handler_SOURCES = \
	%D%/reference/test_reference_handler.c \
	plugins/backends/reference/reference.c

nn_unit_tests += %D%/registry/test_elf
%C%_registry_test_elf_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_entry
%C%_registry_test_entry_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_host
%C%_registry_test_host_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_index
%C%_registry_test_index_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_loaded
%C%_registry_test_loaded_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_loader
%C%_registry_test_loader_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_owner
%C%_registry_test_owner_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_registry
%C%_registry_test_registry_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/registry/test_scan
%C%_registry_test_scan_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/store/test_atomic
%C%_store_test_atomic_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/store/test_checkpoint
%C%_store_test_checkpoint_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/store/test_damage
%C%_store_test_damage_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/store/test_folder
%C%_store_test_folder_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/training/test_allocations
%C%_training_test_allocations_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/training/test_carry
%C%_training_test_carry_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/training/test_hooks
%C%_training_test_hooks_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/training/test_refusals
%C%_training_test_refusals_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/training/test_resume
%C%_training_test_resume_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/training/test_updates
%C%_training_test_updates_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/util/test_diagnostics
%C%_util_test_diagnostics_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/util/test_number
%C%_util_test_number_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/util/test_pack
%C%_util_test_pack_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/util/test_suggest
%C%_util_test_suggest_CPPFLAGS = $(UNIT_CPPFLAGS)

nn_unit_tests += %D%/util/test_text
%C%_util_test_text_CPPFLAGS = $(UNIT_CPPFLAGS)

EXTRA_DIST += \
	%D%/config/catalog.h \
	%D%/config/yaml.h \
	%D%/network/own.h \
	%D%/registry/scratch.h \
	%D%/store/build.h \
	%D%/store/files.h \
	%D%/training/training.h
