/* utf8.h: names of files are bytes; tables and JSON hold UTF-8. */
#ifndef GRADE_UTF8_H
#define GRADE_UTF8_H

/* The text with each byte that belongs to no UTF-8 character as %E9, so that different texts stay different to the eye.
 * To be freed; ends the program where there is no memory. */
char *utf8_valid(const char *text);

#endif
