/* handed_out.h: labs/handed-out.tsv, beside the labs' folders, has the hash of each lab's file as
 * it was handed out: FOLDER/PROGRAM.cu, a tab, 16 digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The name of the lab's file in the table, a part of `lab`; in `table`, of `size` bytes, the
 * table's path. */
const char *handed_out_name(const char *lab, char *table, size_t size);

/* Writes the row of a file of that name with this text, and a newline, into `row` of `size`
 * bytes. */
void handed_out_row(const char *name, const char *text, char *row, size_t size);

/* Is the text what the table has of the lab's file? Not if there is no table. */
bool is_handed_out(const char *lab, const char *text);
