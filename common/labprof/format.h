/* format.h: numbers as nvprof writes them. */
#ifndef LABPROF_FORMAT_H
#define LABPROF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that any formatted value fits in. */
#define FORMAT_SIZE 40

/* The units of time of -u; automatic picks one for each value, or in CSV for each column. */
enum time_unit { TIME_S, TIME_MS, TIME_US, TIME_NS, TIME_AUTO };

/* The word for a unit ("ms"), and nanoseconds in it. */
const char *time_unit_name(enum time_unit unit);
double time_unit_ns(enum time_unit unit);

/* The largest unit in which the time is at least 1. */
enum time_unit time_unit_for(double ns);

/* A value of metrics.tsv's unit: 83.33%, 61.836GB/s, Low (1), 361.656250, 12; in CSV with six decimals where there are
 * decimals. Not available is NA. GB and its kin are powers of 1024, as nvprof has them: it prints 504608 bytes and 960
 * bytes of one kernel as 118.92GB/s and 231.66MB/s. */
void format_value(double value, const char *unit, bool csv, char text[FORMAT_SIZE]);

/* A time: 12.948ms, 640ns, 1.11524s. */
void format_time(double ns, enum time_unit unit, char text[FORMAT_SIZE]);

/* A size in bytes: 0B, 4.0000KB. */
void format_bytes(double bytes, char text[FORMAT_SIZE]);

/* Reads back what nvprof's CSV has: 100.00%, 61.836GB/s, "Low (1)", 12. NaN for anything else. */
double parse_value(const char *text);

#endif
