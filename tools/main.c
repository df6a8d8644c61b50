/* SPDX-License-Identifier: MIT */
/* main.c - nn: the table of its commands, and what comes before one runs.
 *
 * Everything is done through nervenet.h.  The locale is never set, so numbers
 * are read and written with a point everywhere. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "talk.h"

static const struct command *const commands[] = {
    &command_train,   &command_eval,   &command_predict,
    &command_check,   &command_render, &command_summary,
    &command_plugins, &command_dump,   &command_new,
    NULL};

static const char statuses[] =
    "Exit status: 0 done; 1 the run failed, or a difference was found; 2 "
    "usage or config error; 3 a plugin could not be loaded; 4 data error; 5 "
    "checkpoint missing or corrupt; 130, 143 ended by SIGINT, SIGTERM after a "
    "checkpoint was written.";

/* ---- help -------------------------------------------------------------- */

static void print_usage(FILE *to)
{
    const struct command *const *one;

    fputs("Usage: nn COMMAND [OPTIONS] ...\n"
          "       nn COMMAND --help\n"
          "       nn --version\n\n"
          "Neural networks from configs.\n\n",
          to);
    for (one = commands; *one; ++one)
        fprintf(to, "  %-10s%s\n", (*one)->name, (*one)->summary);
    fputc('\n', to);
    print_wrapped(to, statuses, 0, 0);
}

static void print_help(const struct command *command)
{
    printf("Usage: nn %s [OPTIONS]%s%s\n\n", command->name,
           *command->operands ? " " : "", command->operands);
    print_wrapped(stdout, command->detail, 0, 0);
    printf("\nOptions:\n");
    options_help(stdout, command->options);
    printf("\n");
    print_wrapped(stdout, statuses, 0, 0);
}

/* ---- version ----------------------------------------------------------- */

/* One line a handler: what it computes with, in the words of its plugin. */
static void print_handler(const nn_plugin_component *found)
{
    const char *const *library = found->plugin->libraries;

    printf("handler %s: %s", found->component->name, found->component->summary);
    for (; library && *library; ++library)
        printf("%s%s", library == found->plugin->libraries ? "; uses " : ", ",
               *library);
    if (found->state != NN_STATE_OK)
        printf("; not usable: %s", found->reason);
    printf("\n");
}

static int print_version(void)
{
    nn_plugins *plugins = NULL;
    nn_plugin_component found;
    uint32_t i;

    printf("nn %s\n", nn_version());
    printf("plugin ABI %u.%u\n", NN_ABI_MAJOR, NN_ABI_MINOR);
#ifdef NN_OPENBLAS_VERSION
    printf("BLAS OpenBLAS %s\n", NN_OPENBLAS_VERSION);
#endif
    printf("threads %u\n", nn_thread_budget());
    nn_log_to(NULL, NULL); /* `nn plugins` tells of those not used */
    if (nn_plugins_create(NULL, &plugins))
        return talk_failure(STATUS_PLUGIN);
    for (i = 0; nn_plugins_component(plugins, i, &found); ++i)
        if (found.component->kind == NN_KIND_HANDLER)
            print_handler(&found);
    nn_plugins_destroy(plugins);
    return STATUS_OK;
}

/* ---- running a command ------------------------------------------------- */

static int check_operands(const struct command *command, uint32_t count)
{
    if (count < command->least)
        return talk_usage("it wants: %s", command->operands);
    if (count > command->most && command->most == 0)
        return talk_usage("it takes no operands");
    if (count > command->most)
        return talk_usage("too many operands; it wants: %s", command->operands);
    return STATUS_OK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct operands operands = {NULL, 0};
    struct common *common = calloc(1, command->size);
    char name[64];
    int status;

    snprintf(name, sizeof name, "nn %s", command->name);
    talk_begin(name);
    if (!common)
        return talk_error(STATUS_FAILED, "memory is exhausted");
    status = options_parse(command->options, argc, argv, common, &operands);
    if (status == OPTIONS_HELP) {
        print_help(command);
        status = STATUS_OK;
    } else if (status == OPTIONS_PARSED) {
        talk_quiet(common->quiet);
        nn_set_threads((uint32_t)common->threads.value);
        status = check_operands(command, operands.count);
        if (!status)
            status = command->run(common, &operands);
    }
    options_finish(command->options, common, &operands);
    free(common);
    talk_begin("nn");
    return status;
}

static int unknown_command(const char *name)
{
    struct nearest nearest = nearest_to(name);
    const struct command *const *one;

    nearest_offer(&nearest, "help");
    for (one = commands; *one; ++one)
        nearest_offer(&nearest, (*one)->name);
    if (nearest.best)
        return talk_usage("unknown command '%s'; did you mean '%s'?", name,
                          nearest.best);
    return talk_usage("unknown command '%s'", name);
}

static int find_and_run(const char *name, int argc, char **argv)
{
    const struct command *const *one;

    for (one = commands; *one; ++one)
        if (!strcmp((*one)->name, name))
            return run_command(*one, argc, argv);
    return unknown_command(name);
}

static int dispatch(int argc, char **argv)
{
    static char help[] = "--help";
    char *help_word[] = {help, NULL};

    if (argc < 2) {
        print_usage(stderr);
        return STATUS_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
        return print_version();
    if (!strcmp(argv[1], "help") && argc > 2)
        return find_and_run(argv[2], 1, help_word);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return STATUS_OK;
    }
    if (argv[1][0] == '-')
        return talk_usage("unknown option '%s'", argv[1]);
    return find_and_run(argv[1], argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    int status;

    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of write */
    nn_log_to(talk_log, NULL);
    status = dispatch(argc, argv);
    if (fflush(stdout) || ferror(stdout))
        status = talk_error(status ? status : STATUS_FAILED,
                            "stdout cannot be written: %s", strerror(errno));
    return status;
}
