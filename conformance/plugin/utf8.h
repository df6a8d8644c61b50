/* SPDX-License-Identifier: MIT */
/* utf8.h - whether a text is UTF-8. */
#ifndef NN_CONFORMANCE_PLUGIN_UTF8_H
#define NN_CONFORMANCE_PLUGIN_UTF8_H

/* 1 if TEXT is UTF-8 in its shortest form, without surrogates. */
static inline int utf8_is_valid(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    while (*s) {
        unsigned int first = *s++;
        int more = first < 0x80   ? 0
                   : first < 0xC2 ? -1
                   : first < 0xE0 ? 1
                   : first < 0xF0 ? 2
                   : first < 0xF5 ? 3
                                  : -1;

        if (more < 0 || (first == 0xE0 && *s < 0xA0) ||
            (first == 0xED && *s > 0x9F) || (first == 0xF0 && *s < 0x90) ||
            (first == 0xF4 && *s > 0x8F))
            return 0;
        for (; more > 0; --more)
            if ((*s++ & 0xC0) != 0x80)
                return 0;
    }
    return 1;
}

#endif
