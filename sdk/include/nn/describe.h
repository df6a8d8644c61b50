/* SPDX-License-Identifier: MIT */
/* describe.h - short forms for the description of parameters.
 *
 *     static const nn_param factor = NN_REAL_PARAM(
 *         "factor", NN_PARAM_MAIN | NN_PARAM_RANGED, "0.1", 0, INFINITY,
 *         "strength of the decay");
 *
 * Each expands to the initializer of an nn_param.  PRESET is the default as a
 * config would write it, or NULL.  LOW and HIGH hold with NN_PARAM_RANGED. */
#ifndef NN_DESCRIBE_H
#define NN_DESCRIBE_H

#include <math.h>

#include <nn/params.h>

NN_BEGIN_DECLS

#define NN_REAL_PARAM(name, flags, preset, low, high, doc)                     \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_REAL, (flags), 0, (name), (doc), \
            (preset), (low), (high), NULL, NULL, NULL                          \
    }

#define NN_INT_PARAM(name, flags, preset, low, high, doc)                      \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_INT, (flags), 0, (name), (doc),  \
            (preset), (low), (high), NULL, NULL, NULL                          \
    }

#define NN_BOOL_PARAM(name, flags, preset, doc)                                \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_BOOL, (flags), 0, (name), (doc), \
            (preset), 0, 0, NULL, NULL, NULL                                   \
    }

#define NN_STRING_PARAM(name, flags, preset, doc)                              \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_STRING, (flags), 0, (name),      \
            (doc), (preset), 0, 0, NULL, NULL, NULL                            \
    }

/* CHOICES is NULL-terminated; the value is the index of the chosen one. */
#define NN_CHOICE_PARAM(name, flags, preset, choices, doc)                     \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_CHOICE, (flags), 0, (name),      \
            (doc), (preset), 0, 0, (choices), NULL, NULL                       \
    }

/* A child of KIND. */
#define NN_COMPONENT_PARAM(name, flags, kind, doc)                             \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_COMPONENT, (flags), (kind),      \
            (name), (doc), NULL, 0, 0, NULL, NULL, NULL                        \
    }

/* A list; ELEMENT points to the description of one entry. */
#define NN_LIST_PARAM(name, flags, element, doc)                               \
    {                                                                          \
        NN_SIZEOF(nn_param, fields), NN_PARAM_LIST, (flags), 0, (name), (doc), \
            NULL, 0, 0, NULL, (element), NULL                                  \
    }

NN_END_DECLS

#endif
