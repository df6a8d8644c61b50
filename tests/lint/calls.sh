#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls that the library and its plugins never make.
. "${abs_top_srcdir:-$(dirname "$0")/../..}/tests/lint/lint.sh"

# calls REGEX FOLDER...: FILE:LINE: of each call, comments and texts aside.  nn-scan is a
# program of its own: it prints and exits.
calls ()
{
    regex="(^|[^A-Za-z0-9_.>])($1)[[:space:]]*\\("
    shift
    sources '*.[ch]' "$@" | grep -v '^core/registry/scan_main\.c$' | while read -r file
    do
        code "$file" | sed 's/"[^"]*"/""/g' | grep -nE "$regex" | sed "s,^,$file:,"
    done
}

verdict "no calls that overrun or hide errors" "$(
    calls 'strcpy|sprintf|vsprintf|strcat|gets|atof|atoi|atol|strtok' \
        core plugins tools sdk
)"
# core/util/number.c is the one place that knows of locales.
verdict "no numbers that depend on the locale" "$(
    calls 'setlocale|uselocale|strtod|strtof|strtold' plugins core |
        grep -v '^core/util/number\.c:'
)"
verdict "no shell, signals or process state" "$(
    calls 'system|popen|signal|sigaction|chdir|umask|longjmp|setenv|putenv' \
        core plugins
)"
verdict "no printing" "$(
    calls 'printf|puts|putchar|perror' core plugins
    calls '(vf|f)printf[[:space:]]*\([[:space:]]*std(out|err).*|fputs' \
        core plugins | grep -E 'std(out|err)'
)"
verdict "no ending of the program" "$(
    calls 'exit|_exit|_Exit|quick_exit|abort' core plugins
)"
exit $status
