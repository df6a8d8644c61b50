/* SPDX-License-Identifier: MIT */
/* params.h - what a component can be given in a config, and what it was given.
 *
 * A component describes its parameters as constant data (nn_param); the core
 * checks the config against them, fills in defaults and hands the component
 * the values (nn_params) in the order of the description: a component reads
 * them by index and never looks at names.  The same data make `nn plugins
 * NAME`, the manual's pages and the conformance suite's cases. */
#ifndef NN_PARAMS_H
#define NN_PARAMS_H

#include <nn/base.h>

NN_BEGIN_DECLS

/* Types of a parameter. */
#define NN_PARAM_INT 1u       /* int64 */
#define NN_PARAM_REAL 2u      /* finite double; `1/255` is allowed in text */
#define NN_PARAM_BOOL 3u      /* true or false */
#define NN_PARAM_STRING 4u    /* UTF-8 text */
#define NN_PARAM_CHOICE 5u    /* one of `choices`; the value is its index */
#define NN_PARAM_FILE 6u      /* path of a file, relative to the config's */
#define NN_PARAM_LIST 7u      /* list of `element` */
#define NN_PARAM_MAP 8u       /* names to `element`, in the config's order */
#define NN_PARAM_COMPONENT 9u /* a component of kind `kind`: a child */
#define NN_PARAM_NETWORK 10u  /* a list of layers: a child network */
#define NN_PARAM_SCALAR 11u   /* text as written; the component parses it */
#define NN_PARAM_RECORD 12u   /* fixed names: `fields`; a value that is not a
                                 map sets the field with NN_PARAM_MAIN */

/* nn_param.flags. */
#define NN_PARAM_REQUIRED 1u      /* has no default; must be given */
#define NN_PARAM_NULLABLE 2u      /* may be `none`: nn_value.type is 0 */
#define NN_PARAM_ABOVE_MINIMUM 4u /* minimum itself is excluded */
#define NN_PARAM_BELOW_MAXIMUM 8u /* maximum itself is excluded */
#define NN_PARAM_TUNABLE 16u      /* real; may change between updates, by a
                                     hook or a schedule: the config accepts a
                                     component of kind schedule as well */
#define NN_PARAM_MAIN 32u         /* `{name: value}` sets this one */
#define NN_PARAM_RANGED 64u       /* minimum and maximum hold */
#define NN_PARAM_REST 128u        /* MAP: takes all keys of the component that
                                     are not names of other parameters, beside
                                     those; at most one a component */

/* The description of one parameter, constant data. */
typedef struct nn_param {
    uint32_t size;  /* NN_SIZEOF(nn_param, fields) or older */
    uint32_t type;  /* NN_PARAM_... */
    uint32_t flags; /* NN_PARAM_REQUIRED ... */
    uint32_t kind;  /* NN_KIND_... of a COMPONENT */
    const char *name; /* [a-z][a-z0-9_]*, unique in the component */
    const char *doc;  /* one sentence: meaning, unit */
    const char *default_text;       /* the default as a config would write it;
                                       NULL: none (nn_value.type is 0) */
    double minimum;                 /* INT and REAL, also of list elements */
    double maximum;                 /* the same; INFINITY for no limit */
    const char *const *choices;     /* CHOICE: NULL-terminated */
    const struct nn_param *element; /* LIST and MAP */
    const struct nn_param *const *fields; /* RECORD: NULL-terminated */
} nn_param;

/* A child: a component or network that this component owns.  Opaque; driven
 * through the host. */
typedef struct nn_child nn_child;

/* One value.  Lives as long as the component. */
typedef struct nn_value {
    uint32_t size;   /* NN_SIZEOF(nn_value, child) or newer */
    uint32_t type;   /* NN_PARAM_... of what it holds; 0: none */
    uint32_t given;  /* 1 if the config gave it, 0 if it is the default */
    uint32_t count;  /* of items: LIST, MAP, RECORD */
    int64_t integer; /* INT, BOOL (0 or 1), CHOICE (index) */
    double real;     /* REAL and INT */
    const char *text; /* STRING, FILE (resolved), SCALAR, CHOICE (its name),
                         COMPONENT (its name) */
    const char *const *keys; /* MAP: `count` names */
    const struct nn_value *const *items; /* LIST, MAP; RECORD: in the order of
                                            the fields */
    nn_child *child;                     /* COMPONENT, NETWORK */
} nn_value;

/* All values of a component, in the order of its description. */
typedef struct nn_params {
    uint32_t size;                 /* NN_SIZEOF(nn_params, values) or newer */
    uint32_t count;                /* entries of `values` */
    const nn_value *const *values; /* by index of the description */
} nn_params;

/* The value of parameter INDEX, never NULL for an index of the description.
 * [any] */
static inline const nn_value *nn_param_value(const nn_params *params,
                                             uint32_t index)
{
    return params->values[index];
}

/* INT, BOOL and CHOICE values.  [any] */
static inline int64_t nn_param_int(const nn_params *params, uint32_t index)
{
    return params->values[index]->integer;
}

/* REAL and INT values; of a TUNABLE one the value of this moment.  [any] */
static inline double nn_param_real(const nn_params *params, uint32_t index)
{
    return params->values[index]->real;
}

/* STRING, FILE, SCALAR and CHOICE values; NULL for none.  [any] */
static inline const char *nn_param_text(const nn_params *params,
                                        uint32_t index)
{
    return params->values[index]->text;
}

/* COMPONENT and NETWORK values; NULL for none.  [any] */
static inline nn_child *nn_param_child(const nn_params *params, uint32_t index)
{
    return params->values[index]->child;
}

NN_END_DECLS

#endif
