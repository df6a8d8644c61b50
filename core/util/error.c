/* SPDX-License-Identifier: MIT */
/* error.c - see error.h. */
#include "core/util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread int32_t kept_code;
static __thread const char *kept_id;
static __thread char kept_text[NN_ERROR_TEXT];

int32_t nn_error_set(int32_t code, const char *id, const char *format, ...)
{
    va_list arguments;

    if (kept_code)
        return code;
    kept_code = code;
    kept_id = id;
    va_start(arguments, format);
    vsnprintf(kept_text, sizeof kept_text, format, arguments);
    va_end(arguments);
    return code;
}

int32_t nn_error_prefix(int32_t code, const char *format, ...)
{
    char text[NN_ERROR_TEXT];
    va_list arguments;
    size_t length;

    if (!kept_code)
        return code;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s", kept_text);
    memcpy(kept_text, text, sizeof kept_text);
    return code;
}

int32_t nn_error_no_memory(const char *what, uint64_t bytes)
{
    return nn_error_set(NN_NO_MEMORY, "memory.exhausted",
                        "out of memory: %s wants %llu bytes", what,
                        (unsigned long long)bytes);
}

int32_t nn_error_code(void)
{
    return kept_code;
}

const char *nn_error_id(void)
{
    return kept_code ? kept_id : "";
}

const char *nn_error_text(void)
{
    return kept_code ? kept_text : "";
}

void nn_error_clear(void)
{
    kept_code = 0;
    kept_text[0] = '\0';
}

void nn_error_keep(nn_kept_error *kept)
{
    kept->code = kept_code;
    kept->id = kept_id;
    memcpy(kept->text, kept_text, sizeof kept_text);
}

int32_t nn_error_restore(const nn_kept_error *kept)
{
    kept_code = kept->code;
    kept_id = kept->id;
    memcpy(kept_text, kept->text, sizeof kept_text);
    return kept_code;
}
