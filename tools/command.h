/* SPDX-License-Identifier: MIT */
/* command.h - what a command of nn is, and what the commands share.
 *
 * A command is one file.  Its constant description is all that main.c knows of
 * it; --help is printed from that description. */
#ifndef NN_TOOLS_COMMAND_H
#define NN_TOOLS_COMMAND_H

#include <nervenet.h>

#include "options.h"

/* Exit statuses; docs/nn.md lists them. */
#define STATUS_OK 0
#define STATUS_FAILED 1     /* the run failed, or a difference was found */
#define STATUS_USAGE 2      /* usage or config */
#define STATUS_PLUGIN 3     /* a plugin could not be loaded */
#define STATUS_DATA 4       /* data are missing or do not fit */
#define STATUS_CHECKPOINT 5 /* a checkpoint is missing or corrupt */
#define STATUS_SIGNAL 128   /* plus the number of the signal */

struct command {
    const char *name;
    const char *operands; /* as the usage line shows them; "" for none */
    const char *summary;  /* one line, without a full stop */
    const char *detail;   /* paragraphs of --help */
    const struct option *options;
    uint32_t least; /* number of operands */
    uint32_t most;
    size_t size; /* of the struct that `options` fill; begins with a common */
    int (*run)(const void *values, const struct operands *operands);
};

extern const struct command command_train;
extern const struct command command_eval;
extern const struct command command_predict;
extern const struct command command_check;
extern const struct command command_render;
extern const struct command command_summary;
extern const struct command command_plugins;
extern const struct command command_dump;
extern const struct command command_new;

/* What several commands understand; each takes the rows that it wants. */
struct common {
    struct option_list set;
    struct option_list plugins;
    const char *handler;
    struct option_count threads;
    int32_t json;
    int32_t quiet;
};

#define OPTION_SET                                                             \
    {                                                                          \
        "set", "KEY=VALUE",                                                    \
            "Change the config: a dotted path and what stands there "          \
            "(repeatable). A path steps into a component by its name: "        \
            "data.train.minibatches.limit=1280.",                              \
            offsetof(struct common, set), OPTION_LIST, 's', 0                  \
    }
#define OPTION_PLUGIN                                                          \
    {                                                                          \
        "plugin", "FILE",                                                      \
            "Load this plugin file before all others; it must be sound "       \
            "(repeatable).",                                                   \
            offsetof(struct common, plugins), OPTION_LIST, 'p', 0              \
    }
#define OPTION_HANDLER                                                         \
    {                                                                          \
        "handler", "NAME",                                                     \
            "Compute with this handler instead of the config's.",              \
            offsetof(struct common, handler), OPTION_TEXT, 0, 0                \
    }
#define OPTION_THREADS                                                         \
    {                                                                          \
        "threads", "N", "Keep at most N threads busy.",                        \
            offsetof(struct common, threads), OPTION_COUNT, 't', 1             \
    }
#define OPTION_JSON                                                            \
    {                                                                          \
        "json", NULL, "Print JSON.", offsetof(struct common, json),            \
            OPTION_FLAG, 0, 0                                                  \
    }
#define OPTION_QUIET                                                           \
    {                                                                          \
        "quiet", NULL, "Say nothing but warnings and errors.",                 \
            offsetof(struct common, quiet), OPTION_FLAG, 'q', 0                \
    }
#define OPTION_END                                                             \
    {                                                                          \
        NULL, NULL, NULL, 0, 0, 0, 0                                           \
    }

#endif
