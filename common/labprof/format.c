/* format.c: numbers as nvprof writes them. */
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const binary_prefixes[] = {"", "K", "M", "G", "T", "P"};
enum { PREFIXES = sizeof binary_prefixes / sizeof *binary_prefixes };

const char *time_unit_name(enum time_unit unit) {
    static const char *const names[] = {"s", "ms", "us", "ns", "ns"};
    return names[unit];
}

double time_unit_ns(enum time_unit unit) {
    static const double ns[] = {1e9, 1e6, 1e3, 1, 1};
    return ns[unit];
}

enum time_unit time_unit_for(double ns) {
    enum time_unit unit = TIME_S;
    while (unit < TIME_NS && ns < time_unit_ns(unit)) unit++;
    return unit;
}

void fixed_digits(double value, int digits, char text[FORMAT_SIZE]) {
    int before = 0;
    for (double rest = value; rest >= 1 && before < digits; rest /= 10) before++;
    snprintf(text, FORMAT_SIZE, "%.*f", digits - before, value);
}

/* Divides by 1024 until the number is below 1024. Returns the index of the prefix. */
static int scale(double *value) {
    int prefix = 0;
    for (; *value >= 1024 && prefix < PREFIXES - 1; prefix++) *value /= 1024;
    return prefix;
}

static void format_rate(double value, bool csv, char text[FORMAT_SIZE]) {
    char number[FORMAT_SIZE];
    int prefix = scale(&value);
    if (csv)
        snprintf(number, sizeof number, "%.6f", value);
    else
        fixed_digits(value, 5, number);
    snprintf(text, FORMAT_SIZE, "%.30s%sB/s", number, binary_prefixes[prefix]);
}

/* nvprof's words for a level from 0 to 10. */
static void format_level(double value, char text[FORMAT_SIZE]) {
    int level = value >= 10 ? 10 : (int)(value + 0.5);
    const char *word = level == 0   ? "Idle"
                       : level <= 3 ? "Low"
                       : level <= 6 ? "Mid"
                       : level <= 9 ? "High"
                                    : "Max";
    snprintf(text, FORMAT_SIZE, "%s (%d)", word, level);
}

void format_value(double value, const char *unit, bool csv, char text[FORMAT_SIZE]) {
    if (isnan(value))
        strcpy(text, "NA");
    else if (strcmp(unit, "%") == 0)
        snprintf(text, FORMAT_SIZE, csv ? "%.6f%%" : "%.2f%%", value);
    else if (strcmp(unit, "B/s") == 0)
        format_rate(value, csv, text);
    else if (strcmp(unit, "0-10") == 0)
        format_level(value, text);
    else if (strcmp(unit, "0-1") == 0 || strchr(unit, '/'))
        snprintf(text, FORMAT_SIZE, "%.6f", value);
    else
        snprintf(text, FORMAT_SIZE, "%.0f", value);
}

void format_time(double ns, enum time_unit unit, char text[FORMAT_SIZE]) {
    char number[FORMAT_SIZE];
    if (isnan(ns)) {
        strcpy(text, "NA");
        return;
    }
    if (unit == TIME_AUTO) unit = time_unit_for(ns);
    if (unit == TIME_NS)
        snprintf(number, sizeof number, "%.0f", ns);
    else
        fixed_digits(ns / time_unit_ns(unit), unit == TIME_S ? 6 : 5, number);
    snprintf(text, FORMAT_SIZE, "%.30s%s", number, time_unit_name(unit));
}

void format_bytes(double bytes, char text[FORMAT_SIZE]) {
    char number[FORMAT_SIZE];
    if (isnan(bytes)) {
        strcpy(text, "NA");
        return;
    }
    int prefix = scale(&bytes);
    if (prefix == 0)
        snprintf(number, sizeof number, "%.0f", bytes);
    else
        fixed_digits(bytes, 5, number);
    snprintf(text, FORMAT_SIZE, "%.30s%sB", number, binary_prefixes[prefix]);
}

double parse_value(const char *text) {
    const char *bracket = strchr(text, '(');
    char *end;
    if (bracket) return strtod(bracket + 1, &end);
    double value = strtod(text, &end);
    if (end == text) return NAN;
    if (*end == '\0' || strcmp(end, "%") == 0) return value;
    double factor = 1;
    for (int i = 0; i < PREFIXES; i++, factor *= 1024) {
        size_t length = strlen(binary_prefixes[i]);
        if (strncmp(end, binary_prefixes[i], length) == 0 && strcmp(end + length, "B/s") == 0)
            return value * factor;
    }
    return NAN;
}
