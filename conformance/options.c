/* SPDX-License-Identifier: MIT */
/* options.c - see options.h. */
#define _GNU_SOURCE
#include "conformance/options.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/catalogue.h"
#include "conformance/memory.h"

enum {
    OPTION_COMPONENT = 256,
    OPTION_LIST,
    OPTION_LIST_ALL,
    OPTION_INCLUDE,
    OPTION_EXCLUDE,
    OPTION_LEVEL,
    OPTION_SECONDS,
    OPTION_SEED,
    OPTION_HANDLER,
    OPTION_REPRODUCE,
    OPTION_IN_PROCESS,
    OPTION_JSON,
    OPTION_TAP,
    OPTION_JUNIT,
    OPTION_KNOWN,
    OPTION_EXPLAIN,
    OPTION_VERSION
};

static const struct option words[] = {
    {"component", required_argument, NULL, OPTION_COMPONENT},
    {"exclude", required_argument, NULL, OPTION_EXCLUDE},
    {"explain", required_argument, NULL, OPTION_EXPLAIN},
    {"handler", required_argument, NULL, OPTION_HANDLER},
    {"help", no_argument, NULL, 'h'},
    {"in-process", no_argument, NULL, OPTION_IN_PROCESS},
    {"include", required_argument, NULL, OPTION_INCLUDE},
    {"jobs", required_argument, NULL, 'j'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"junit", no_argument, NULL, OPTION_JUNIT},
    {"known-failures", required_argument, NULL, OPTION_KNOWN},
    {"level", required_argument, NULL, OPTION_LEVEL},
    {"list", no_argument, NULL, OPTION_LIST},
    {"list-all", no_argument, NULL, OPTION_LIST_ALL},
    {"reproduce", required_argument, NULL, OPTION_REPRODUCE},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"tap", no_argument, NULL, OPTION_TAP},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

void options_help(void)
{
    fputs(
        "Usage: nn-conformance [OPTIONS] FILE.so ...\n"
        "       nn-conformance --list-all | --explain ID\n\n"
        "Says whether the plugins in FILE.so are right, and shows where they "
        "are wrong.\nEvery check runs in a process of its own.\n\n"
        "  --level LEVEL        load, basic, standard, strict or soak; each "
        "contains\n"
        "                       those before it; standard if not given\n"
        "  --component NAME     only components that match `kind:name` or "
        "`name`;\n"
        "                       * and ? are wild; repeatable\n"
        "  --include GLOB       only checks whose id matches; repeatable\n"
        "  --exclude GLOB       no checks whose id matches; repeatable\n"
        "  --handler TEXT       computes with it, as a config names it: cpu, "
        "reference,\n"
        "                       'debug(cpu)'; cpu if there is one, else "
        "reference\n"
        "  --seed N             of all random numbers; 1 if not given\n"
        "  --list               prints the checks that would run\n"
        "  --list-all           prints all checks: id, level, kind\n"
        "  --explain ID         prints what a check is for\n"
        "  --reproduce ID:SEED  runs this check alone with this seed\n"
        "  --in-process         runs checks in this process, for a debugger\n"
        "  --json, --tap, --junit\n"
        "                       prints that instead of text\n"
        "  --seconds N          a check may take N at most\n"
        "  --known-failures FILE\n"
        "                       lines `ID COMPONENT REASON` of what may fail\n"
        "  -j, --jobs N         checks at once; as many as CPUs if not given\n"
        "  -v, --verbose        shows all failures, notes and seeds\n"
        "  -h, --help, --version\n\n"
        "Exit status: 0 all passed; 1 a check failed, or none could be "
        "applied; 2 usage\nerror; 3 a file cannot be loaded; 4 "
        "nn-conformance itself failed; 77 there is\nnothing to check.\n",
        stdout);
}

/* ---- values ------------------------------------------------------------- */

static int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int wrong(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("nn-conformance: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 2;
}

static void add(patterns *patterns, const char *item)
{
    patterns->items = retake(patterns->items, patterns->count + 1,
                             sizeof *patterns->items);
    patterns->items[patterns->count++] = item;
}

int patterns_match(const patterns *patterns, const char *text)
{
    uint32_t i;

    for (i = 0; i < patterns->count; ++i)
        if (!fnmatch(patterns->items[i], text, 0))
            return 1;
    return 0;
}

/* TEXT as a number of at most MOST; 0 on success. */
static int read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return -1;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return errno || *end || *number > most ? -1 : 0;
}

/* "ID:SEED" or "COMPONENT/ID:SEED". */
static int read_reproduce(options *options, const char *text)
{
    const char *colon = strrchr(text, ':');
    char *slash;

    if (!colon || read_number(colon + 1, UINT64_MAX, &options->reproduce_seed))
        return wrong("--reproduce '%s': it should be ID:SEED, as in "
                     "layer.grad.taylor:12345",
                     text);
    free(options->reproduce);
    free(options->reproduce_component);
    options->reproduce_component = NULL;
    options->reproduce = text_of("%.*s", (int)(colon - text), text);
    slash = strrchr(options->reproduce, '/');
    if (slash) {
        options->reproduce_component = options->reproduce;
        options->reproduce = text_of("%s", slash + 1);
        *slash = '\0';
    }
    if (!catalogue_find(options->reproduce))
        return wrong("--reproduce: there is no check '%s'; --list-all prints "
                     "all",
                     options->reproduce);
    return 0;
}

/* ---- one option --------------------------------------------------------- */

static int take_value(options *options, int which, const char *value)
{
    uint64_t number;

    switch (which) {
    case OPTION_LEVEL:
        if (!level_find(value, &options->level))
            return wrong("--level '%s': it should be load, basic, standard, "
                         "strict or soak",
                         value);
        return 0;
    case OPTION_SEED:
        if (read_number(value, UINT64_MAX, &options->seed))
            return wrong("--seed '%s': it should be a number from 0", value);
        return 0;
    case 'j':
        if (read_number(value, 1024, &number) || !number)
            return wrong("--jobs '%s': it should be a number from 1 to 1024",
                         value);
        options->jobs = (uint32_t)number;
        return 0;
    case OPTION_SECONDS:
        if (read_number(value, 1000000, &number) || !number)
            return wrong("--seconds '%s': it should be a number from 1", value);
        options->seconds = (uint32_t)number;
        return 0;
    case OPTION_REPRODUCE:
        return read_reproduce(options, value);
    case OPTION_EXPLAIN:
        options->action = ACTION_EXPLAIN;
        options->explain = value;
        if (!catalogue_find(value))
            return wrong("--explain: there is no check '%s'; --list-all "
                         "prints all",
                         value);
        return 0;
    case OPTION_COMPONENT:
        add(&options->components, value);
        return 0;
    case OPTION_INCLUDE:
        add(&options->include, value);
        return 0;
    case OPTION_EXCLUDE:
        add(&options->exclude, value);
        return 0;
    case OPTION_HANDLER:
        options->handler = value;
        return *value ? 0 : wrong("--handler is empty");
    default:
        options->known = value;
        return 0;
    }
}

static int take_flag(options *options, int which)
{
    switch (which) {
    case OPTION_LIST:
        options->action = ACTION_LIST;
        break;
    case OPTION_LIST_ALL:
        options->action = ACTION_LIST_ALL;
        break;
    case OPTION_IN_PROCESS:
        options->in_process = 1;
        break;
    case OPTION_JSON:
    case OPTION_TAP:
    case OPTION_JUNIT:
        if (options->format != FORMAT_HUMAN)
            return wrong("only one of --json, --tap and --junit can be "
                         "printed");
        options->format = which == OPTION_JSON  ? FORMAT_JSON
                          : which == OPTION_TAP ? FORMAT_TAP
                                                : FORMAT_JUNIT;
        break;
    case OPTION_VERSION:
        options->action = ACTION_VERSION;
        break;
    case 'h':
        options->action = ACTION_HELP;
        break;
    default:
        options->verbose = 1;
        break;
    }
    return 0;
}

/* ---- all ---------------------------------------------------------------- */

static uint32_t cpus(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

/* What the options say together. */
static int check_all(const options *options)
{
    int files = options->action == ACTION_RUN || options->action == ACTION_LIST;

    if (files && !options->files.count)
        return wrong("no FILE.so is named; --help tells more");
    if (options->reproduce && options->known)
        return wrong("--reproduce and --known-failures exclude each other");
    return 0;
}

int options_read(options *options, int argc, char **argv)
{
    int which;
    int status = 0;

    memset(options, 0, sizeof *options);
    options->level = LEVEL_STANDARD;
    options->seed = 1;
    options->jobs = cpus();
    opterr = 0;
    while (!status &&
           (which = getopt_long(argc, argv, ":hj:v", words, NULL)) != -1) {
        if (which == ':')
            status = wrong("%s wants a value", argv[optind - 1]);
        else if (which == '?')
            status = wrong("there is no option '%s'; --help lists them",
                           argv[optind - 1]);
        else
            status = optarg ? take_value(options, which, optarg)
                            : take_flag(options, which);
    }
    for (; !status && optind < argc; ++optind)
        add(&options->files, argv[optind]);
    if (options->reproduce)
        options->verbose = 1;
    return status ? status : check_all(options);
}

void options_finish(options *options)
{
    free(options->files.items);
    free(options->components.items);
    free(options->include.items);
    free(options->exclude.items);
    free(options->reproduce);
    free(options->reproduce_component);
}
