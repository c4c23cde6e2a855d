#include "utf8.h"

#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character that begins here; 0: none. The second byte's bounds exclude overlong
 * forms, surrogates and code points above U+10FFFF (Unicode 15, table 3-7). */
static size_t character_length(const unsigned char *p) {
    unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    size_t length = p[0] < 0x80   ? 1
                    : p[0] < 0xC2 ? 0
                    : p[0] < 0xE0 ? 2
                    : p[0] < 0xF0 ? 3
                    : p[0] < 0xF5 ? 4
                                  : 0;
    if (length > 1 && (p[1] < low || p[1] > high)) return 0;
    for (size_t i = 2; i < length; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    return length;
}

char *utf8_valid(const char *text) {
    char *valid = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&valid, &size));
    if (out == NULL) abort();
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        size_t length = character_length(p);
        if (length == 0)
            fprintf(out, "%%%02X", *p++);
        else
            p += fwrite(p, 1, length, out);
    }
    if (fclose(out) != 0) abort();
    return valid;
}

size_t utf8_fit(const char *valid, size_t bytes) {
    size_t end = strnlen(valid, bytes);
    while (end > 0 && ((unsigned char)valid[end] & 0xC0) == 0x80) end--;
    return end;
}

void utf8_tame(char *text) {
    for (unsigned char *p = (unsigned char *)text; *p != '\0'; p++) {
        const bool second = *p == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0; /* U+0080 to U+009F */
        if (*p < ' ' || *p == 0x7F || second) *p = '?';
        if (second) p[1] = '?';
    }
}
