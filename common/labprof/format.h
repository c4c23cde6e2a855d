/* format.h: numbers as nvprof writes them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes that hold any formatted value, with its NUL. */
#define FORMAT_SIZE 40

/* The units of time of -u. TIME_AUTO picks a unit for each value, in CSV for each column. */
enum time_unit { TIME_S, TIME_MS, TIME_US, TIME_NS, TIME_AUTO };

/* The unit's name ("ms"), and its length in nanoseconds. Both treat TIME_AUTO as TIME_NS. */
const char *time_unit_name(enum time_unit unit);
double time_unit_ns(enum time_unit unit);

/* The largest unit in which the time is at least 1; TIME_NS for less than 1 ns. */
enum time_unit time_unit_for(double ns);

/* Formats a number as nvprof does, with a fixed count of digits wherever the point is: 1.2345,
 * 12.345, 123.45, and 0.12345. */
void fixed_digits(double value, int digits, char text[FORMAT_SIZE]);

/* Formats a value in a unit of metrics.tsv: 83.33%, 61.836GB/s, Low (1), 361.656250, 12. CSV has
 * six decimals for percentages and rates. NaN becomes NA. KB, MB and GB are powers of 1024, as in
 * nvprof: it prints 504608 bytes and 960 bytes of one kernel as 118.92GB/s and 231.66MB/s. */
void format_value(double value, const char *unit, bool csv, char text[FORMAT_SIZE]);

/* Formats a time given in nanoseconds: 12.948ms, 640ns, 1.11524s. NaN becomes NA. */
void format_time(double ns, enum time_unit unit, char text[FORMAT_SIZE]);

/* Formats a size in bytes: 0B, 4.0000KB. NaN becomes NA. */
void format_bytes(double bytes, char text[FORMAT_SIZE]);

/* Parses a value of nvprof's CSV: 100.00% gives 100, 61.836GB/s gives bytes a second, "Low (1)"
 * gives 1, 12 gives 12. Returns NaN for anything else. */
double parse_value(const char *text);
