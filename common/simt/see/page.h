/* see/page.h: a page that the build puts beside the library, with data in the place of its mark. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes the page to target. put writes the data, JSON. False: why not is in failure. */
bool page_write(const char *page, const char *target, void (*put)(FILE *out, void *context),
                void *context);
/* Writes a source file as JSON: {"file", "text"}. One that is not there, or too long, has no text.
 */
void page_put_source(FILE *out, const char *file);
