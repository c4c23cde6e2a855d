/* format.h: numbers and tables as ncu prints them. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { NUMBER_SIZE = 64, UNIT_SIZE = 48 };

/* Formats a number as the details page has it: 525,629 and 20.50; "n/a" for NaN. decimals: two of
 * them even for a whole number. */
void format_number(double value, bool decimals, char text[NUMBER_SIZE]);
/* As the raw page has a number with a unit: 16.000000, or 16 where whole. */
void format_raw(double value, bool whole, char text[NUMBER_SIZE]);

/* The factor that scales a value of the unit to a fitting magnitude, 0.001 for 8192 byte/block, and
 * the unit then: Kbyte/block. 1 where ncu does not scale. */
double scale_unit(double value, const char *unit, char scaled[UNIT_SIZE]);

/* One row of a table; columns that are empty strings print as blanks. */
enum { MOST_COLUMNS = 5 };
struct table_row {
    char cells[MOST_COLUMNS][256];
};

/* Prints a table: its header between lines, the rows, a line. The first column is left-aligned. */
void print_table(FILE *out, const char *const *header, int columns, const struct table_row *rows,
                 int count);
