/* utf8.h: makes and cuts UTF-8 for tables, JSON and pages from bytes such as file names. */
#pragma once

#include <stddef.h>

/* Copies the text, and writes each byte outside UTF-8 as %E9, so that different names look
 * different. The caller frees the copy. Ends the program if memory runs out. */
char *utf8_valid(const char *text);

/* Replaces each control character in the text by a ?, so that a terminal shows it and does nothing
 * else. */
void utf8_tame(char *text);

/* The length of the text's beginning that has at most so many bytes, and no character cut through.
 */
size_t utf8_fit(const char *valid, size_t bytes);
