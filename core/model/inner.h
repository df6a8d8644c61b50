/* SPDX-License-Identifier: MIT */
/* inner.h - components that other components drive: inner iterators and inner
 * handlers.
 *
 * A parent makes its child through the host's table for the kind; what was made
 * is kept in the nn_child, and the core destroys it after the parent. */
#ifndef NN_CORE_MODEL_INNER_H
#define NN_CORE_MODEL_INNER_H

#include <nn/handler.h>
#include <nn/iterator.h>

/* The tables "nn.iterators/1" and "nn.handlers/1", given to the host by
 * nn_library_start. */
extern const nn_iterators nn_iterators_table;
extern const nn_handlers nn_handlers_table;

/* Destroys what was made of the children in PARAMS, parents before their
 * children; they can then be made again.  [setup] */
void nn_inner_destroy(const nn_params *params);

/* The functions of COMPONENT, a handler, at this host's size.  [any] */
nn_handler_interface nn_handler_functions(const nn_component *component);

/* Makes COMPONENT with PARAMS.  A failure has a message that names the
 * component.  [setup] */
int32_t nn_handler_make(const nn_component *component, const nn_params *params,
                        const nn_host *host, const nn_handler_request *request,
                        nn_handler **handler);

#endif
