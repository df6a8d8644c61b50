/* SPDX-License-Identifier: MIT */
/* plugin.h - the one symbol of a plugin, and the description of components.
 *
 * A plugin is a shared object that exports the constant data object
 * nn_plugin_v1 and nothing else.  It is data, so that a host judges it before
 * any of the plugin's code runs.  NN_PLUGIN_ENTRY defines it:
 *
 *     NN_PLUGIN_ENTRY(square) = {
 *         NN_PLUGIN_HEAD,
 *         .id = "org.example.square",
 *         .name = "square",
 *         .version = "1.0",
 *         .license = "MIT",
 *         .summary = "Squares its input",
 *         .n_components = 1,
 *         .components = components,
 *     };
 *
 * A host accepts a plugin if its own minor is at least `min_host_minor`; a
 * plugin built with newer headers is accepted if it needs nothing newer. */
#ifndef NN_PLUGIN_H
#define NN_PLUGIN_H

#include <nn/host.h>
#include <nn/params.h>

NN_BEGIN_DECLS

/* The first eight bytes of an entry. */
#define NN_PLUGIN_MAGIC "NNPLUGIN"

/* nn_component.flags, for layers. */
#define NN_LAYER_INPUT 1u         /* its outputs are the network's inputs */
#define NN_LAYER_CONCATENATION 2u /* outputs[0] is its inputs side by side on
                                     the last axis: may be laid out as one */
#define NN_LAYER_RANDOM 4u        /* draws random numbers in TRAIN passes */
/* For all kinds. */
#define NN_COMPONENT_THREADS 256u /* starts threads within the host's budget */

/* Flags of a port. */
#define NN_PORT_OPTIONAL 1u  /* may be absent: ndim 0 */
#define NN_PORT_VARIADIC 2u  /* the last one only: any number, at least one */
#define NN_PORT_DENSE 4u     /* if it has several feature axes, (T, B, F, G...),
                                no gaps lie between its rows, so that they can
                                be flattened */
#define NN_PORT_IN_PLACE 8u  /* output: may share the memory of input 0 */
#define NN_PORT_MAY_CONSUME_DELTA 16u /* output: backward may overwrite the
                                         output's delta */
#define NN_PORT_NO_DELTA 32u /* has no derivative: labels, masks */
#define NN_PORT_LOSS 64u     /* output: losses; what no layer reads is summed
                                over all elements, divided by the number of
                                rows (all axes but the last) and added to the
                                network's loss */
#define NN_PORT_WEIGHT 128u  /* output: weight (1) of the layer's loss when
                                losses of several batches are averaged */

/* What an input holds, so that tests can make suitable ones. */
#define NN_CONTENT_ANY 0u         /* any finite numbers */
#define NN_CONTENT_LABELS 1u      /* integers from 0 to below the columns of
                                     input 0 */
#define NN_CONTENT_MASK 2u        /* 0 or 1 */
#define NN_CONTENT_PROBABILITY 3u /* from 0 to 1 */

/* One input or output of a layer, constant data. */
typedef struct nn_port {
    uint32_t size;    /* NN_SIZEOF(nn_port, doc) or older */
    uint32_t flags;   /* NN_PORT_... */
    uint32_t dtypes;  /* mask (1 << dtype) of what it accepts; NN_REAL stands
                         for the network's type */
    uint32_t content; /* NN_CONTENT_... */
    const char *name; /* "default" for the one that needs no name */
    const char *doc;  /* what it holds, with its shape */
} nn_port;

/* A configuration that works: an example for readers, and a case for
 * nn-conformance, which otherwise makes its own from parameters and ports.
 * Constant data. */
typedef struct nn_case {
    uint32_t size;     /* NN_SIZEOF(nn_case, inputs) */
    uint32_t reserved; /* zero */
    const char *params;  /* as a config would write them: "{units: 3}" */
    const char *const *inputs; /* layers: feature axes of each input in the order
                                  of the ports, "5" or "4, 3, 2", "" for an
                                  absent one; NULL-terminated; NULL: any */
} nn_case;

/* The description of one component, constant data. */
typedef struct nn_component {
    uint32_t size;       /* NN_SIZEOF(nn_component, cases) or older */
    uint32_t kind;       /* NN_KIND_... */
    uint32_t flags;      /* NN_LAYER_..., NN_COMPONENT_... */
    uint32_t n_params;   /* entries of `params` */
    const char *name;    /* [a-z][a-z0-9_]*, unique in its kind and plugin */
    const char *summary; /* one line, without a full stop */
    const char *doc;     /* formulas with every letter defined, source */
    const nn_param *const *params; /* what a config may give it */
    const void *interface; /* nn_layer_interface, nn_handler_interface, ... by
                              kind; sized */
    uint32_t n_inputs;     /* layers: entries of `inputs` */
    uint32_t n_outputs;    /* layers: entries of `outputs` */
    const nn_port *const *inputs;  /* layers: in the order of its arrays */
    const nn_port *const *outputs; /* layers: the same */
    const nn_case *const *cases;   /* NULL-terminated; NULL: none, as for a
                                      component that needs none */
} nn_component;

/* The entry.  Its head, up to `flags`, never changes. */
typedef struct nn_plugin {
    char magic[8];           /* NN_PLUGIN_MAGIC without its NUL */
    uint32_t size;           /* NN_SIZEOF(nn_plugin, deinit) or older */
    uint32_t abi_minor;      /* that it was built with */
    uint32_t min_host_minor; /* that it needs */
    uint32_t flags;          /* zero */
    const char *id;          /* reverse DNS: "org.example.square" */
    const char *name;    /* for people */
    const char *version; /* its own: "1.0.2" */
    const char *license; /* SPDX expression */
    const char *author;  /* a person or project; NULL: not said */
    const char *summary; /* one line */
    const char *url;     /* its home; NULL: none */
    const char *const *libraries; /* that it opens at run time, for
                                    people; NULL-terminated or NULL */
    const char *const *cpu_features; /* that all of it needs: "avx2", ...;
                                        NULL-terminated or NULL */
    uint32_t n_components; /* entries of `components` */
    uint32_t reserved;     /* zero */
    const nn_component *const *components; /* what a config may name */

    /* Called once, before the first instance is made; absent: nothing to do.
     * HOST lives as long as the program.  Returns 0 or a code with the message
     * set, which switches the plugin off with that reason.  [setup] */
    int32_t (*init)(const nn_host *host);

    /* Called once at the orderly end of the program; what the plugin returned
     * as const lives until here.  [setup] */
    void (*deinit)(void);
} nn_plugin;

/* The members that every entry of these headers has the same. */
#define NN_PLUGIN_HEAD                                                         \
    {'N', 'N', 'P', 'L', 'U', 'G', 'I', 'N'}, NN_SIZEOF(nn_plugin, deinit),    \
        NN_ABI_MINOR, 0, 0

#ifdef __GNUC__
#define NN_EXPORT __attribute__((visibility("default")))
#else
#define NN_EXPORT
#endif

/* Starts the definition of the entry.  In a program that holds its plugins
 * (NN_STATIC_PLUGIN) the name makes the symbol unique. */
#ifdef __cplusplus
#define NN_ENTRY_LINKAGE extern "C"
#else
#define NN_ENTRY_LINKAGE extern
#endif
#ifdef NN_STATIC_PLUGIN
#define NN_PLUGIN_ENTRY(name)                                                  \
    NN_ENTRY_LINKAGE const nn_plugin name##_LTX_nn_plugin_v1;                  \
    const nn_plugin name##_LTX_nn_plugin_v1
#else
#define NN_PLUGIN_ENTRY(name)                                                  \
    NN_ENTRY_LINKAGE NN_EXPORT const nn_plugin nn_plugin_v1;                   \
    const nn_plugin nn_plugin_v1
#endif

NN_END_DECLS

#endif
