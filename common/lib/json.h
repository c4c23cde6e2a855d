/* json.h: texts in JSON. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Writes length bytes of UTF-8 as a string, with its quotes. Control characters are escaped, and so
 * are <, > and &: the string may stand in a script of a page, whatever the text is. */
void json_put_text(FILE *out, const char *text, size_t length);
/* The same for a whole text. */
void json_put_string(FILE *out, const char *text);
/* Writes the bytes in base64 to text, which has room for 4 characters for each 3 bytes that begin,
 * and a NUL. */
void json_base64(const void *bytes, size_t size, char *text);
