/* json.c: texts in JSON. */
#include "json.h"

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
