/* json.c: texts in JSON. */
#include "json.h"

#include <stdint.h>
#include <string.h>

/* U+2028 and U+2029 end a line in a script, but not in JSON: bytes from 0x80 on pass as they are.
 */
void json_put_text(FILE *out, const char *text, size_t length) {
    putc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == '<' || c == '>' || c == '&' || c == 0x7F)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

void json_put_string(FILE *out, const char *text) {
    json_put_text(out, text, strlen(text));
}

void json_base64(const void *bytes, size_t size, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)byte[i] << 16;
        if (i + 1 < size) three |= (uint32_t)byte[i + 1] << 8;
        if (i + 2 < size) three |= byte[i + 2];
        for (int k = 0; k < 4; k++)
            *text++ = i + (size_t)k > size ? '=' : digits[three >> (18 - 6 * k) & 63];
    }
    *text = '\0';
}
