/* SPDX-License-Identifier: MIT */
/* open.c - see open.h. */
#define _GNU_SOURCE
#include "open.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "talk.h"

int is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *text_format(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return text;
}

char *path_in_run(const char *run, const char *name)
{
    const char *slash = strrchr(run, '/');

    if (is_folder(run))
        return text_format("%s/%s", run, name);
    if (!slash)
        return text_format("%s", name);
    return text_format("%.*s/%s", (int)(slash - run), run, name);
}

static nn_config_options config_options(const struct common *common)
{
    nn_config_options options;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.plugins = common->plugins.items;
    options.n_plugins = common->plugins.count;
    options.set = common->set.items;
    options.n_set = common->set.count;
    options.handler = common->handler;
    return options;
}

/* Tells what was found in CONFIG; CODE is what reading it returned. */
static int judge_config(int32_t code, nn_config **config)
{
    int status;

    if (!*config)
        return talk_failure(STATUS_USAGE);
    talk_messages(nn_config_messages(*config));
    if (!code)
        return STATUS_OK;
    status = talk_status(STATUS_USAGE);
    nn_config_destroy(*config);
    *config = NULL;
    return status;
}

int open_config(const struct common *common, const char *path,
                const char *extra, nn_config **out)
{
    nn_config_options options = config_options(common);
    uint32_t n = options.n_set;
    const char **set = calloc(n + 1, sizeof *set);
    int32_t code;

    *out = NULL;
    if (!set)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    if (n)
        memcpy(set, options.set, n * sizeof *set);
    if (extra)
        set[n++] = extra;
    options.set = set;
    options.n_set = n;
    code = nn_config_load(path, &options, out);
    free(set);
    return judge_config(code, out);
}

int open_checkpoint(const char *path, nn_checkpoint **out)
{
    if (nn_checkpoint_open(path, out))
        return talk_failure(STATUS_CHECKPOINT);
    return STATUS_OK;
}

int check_checkpoint(const char *path)
{
    nn_checkpoint *checkpoint = NULL;
    int status = open_checkpoint(path, &checkpoint);

    if (!status)
        talk_note("%s", nn_checkpoint_path(checkpoint));
    nn_checkpoint_close(checkpoint);
    return status;
}

static int parse_stored(const struct common *common, const char *text,
                        const char *name, nn_config **out)
{
    nn_config_options options = config_options(common);

    return judge_config(nn_config_parse(text, name, &options, out), out);
}

/* A folder, or a name that ends as those of checkpoints do. */
static int is_run(const char *path)
{
    size_t length = strlen(path);

    return is_folder(path) || (length > 3 && !strcmp(path + length - 3, ".nn"));
}

int open_any_config(const struct common *common, const char *path,
                    nn_config **out, char **from)
{
    nn_checkpoint *checkpoint = NULL;
    int status;

    *out = NULL;
    *from = NULL;
    if (!is_run(path)) {
        *from = strdup(path);
        return open_config(common, path, NULL, out);
    }
    status = open_checkpoint(path, &checkpoint);
    if (status)
        return status;
    *from = strdup(nn_checkpoint_path(checkpoint));
    status = parse_stored(common, nn_checkpoint_config(checkpoint),
                          nn_checkpoint_path(checkpoint), out);
    nn_checkpoint_close(checkpoint);
    return status;
}

/* All of the file at PATH as a text, or NULL with errno. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = -1;

    if (file) {
        length = getdelim(&text, &room, '\0', file);
        if (length < 0 && !ferror(file)) {
            errno = ENODATA;
        }
        fclose(file);
    }
    if (length >= 0)
        return text;
    free(text);
    return NULL;
}

int open_run_config(const struct common *common, const char *run,
                    const char *config, nn_config **out)
{
    char *path;
    char *text;
    int status;

    *out = NULL;
    if (config)
        return open_config(common, config, NULL, out);
    path = path_in_run(run, "config.resolved.yaml");
    text = path ? read_text(path) : NULL;
    if (text)
        status = parse_stored(common, text, path, out);
    else
        status = talk_error(STATUS_USAGE,
                            "%s: %s; name the config that has the data with "
                            "--config",
                            path ? path : run, strerror(errno));
    free(text);
    free(path);
    return status;
}

int open_data(nn_config *config, const char *name, nn_data **out)
{
    if (!nn_data_create(config, name, out))
        return STATUS_OK;
    return talk_failure(STATUS_DATA);
}

int open_model(const struct common *common, const char *run, int64_t T,
               int64_t B, const char *keep, nn_model **out)
{
    nn_model_options options;

    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.T = T;
    options.B = B;
    options.handler = common->handler;
    options.keep = keep ? &keep : NULL;
    options.n_keep = keep != NULL;
    options.plugins = common->plugins.items;
    options.n_plugins = common->plugins.count;
    if (nn_model_load(run, &options, out))
        return talk_failure(STATUS_CHECKPOINT);
    return STATUS_OK;
}
