/* SPDX-License-Identifier: MIT */
/* interface.h - which functions an interface of each kind cannot do without. */
#ifndef NN_CORE_REGISTRY_INTERFACE_H
#define NN_CORE_REGISTRY_INTERFACE_H

#include <nervenet.h>
#include <nn/base.h>

#include "core/util/text.h"

/* Is every mandatory member of INTERFACE, a component's of KIND, within its
 * size and not NULL?  Returns 0, or NN_FORMAT with what is missing appended to
 * REASON.  Nothing of it is called.  A kind that is not known passes if it has
 * an interface.  [any] */
int32_t nn_interface_check(uint32_t kind, const void *interface,
                           nn_text *reason);

/* nn_kind_name is public: <nervenet.h>. */

#endif
