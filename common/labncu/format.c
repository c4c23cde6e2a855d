#include "format.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void format_number(double value, bool decimals, char text[NUMBER_SIZE]) {
    char digits[NUMBER_SIZE];
    if (isnan(value)) {
        strcpy(text, "n/a");
        return;
    }
    bool whole = value == floor(value) && fabs(value) < 1e15 && !decimals;
    snprintf(digits, sizeof digits, "%.*f", whole ? 0 : 2, value);
    size_t length = strcspn(digits, "."), n = 0;
    for (size_t i = 0; digits[i] && n + 2 < NUMBER_SIZE; i++) {
        bool comma = i > 0 && i < length && (length - i) % 3 == 0 && isdigit(digits[i - 1]);
        if (comma) text[n++] = ',';
        text[n++] = digits[i];
    }
    text[n] = '\0';
}

void format_raw(double value, bool whole, char text[NUMBER_SIZE]) {
    if (isnan(value))
        strcpy(text, "n/a");
    else
        snprintf(text, NUMBER_SIZE, "%.*f", whole || value == 0 ? 0 : 6, value);
}

double scale_unit(double value, const char *unit, char scaled[UNIT_SIZE]) {
    static const struct {
        const char *unit;
        double step;
        const char *names[5];
    } units[] = {{"ns", 1e3, {"ns", "us", "ms", "s"}},
                 {"byte", 1e3, {"byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte"}},
                 {"hz", 1e3, {"hz", "Khz", "Mhz", "Ghz"}}};
    size_t length = strcspn(unit, "/");
    snprintf(scaled, UNIT_SIZE, "%s", unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].unit) != length || strncmp(unit, units[i].unit, length) != 0) continue;
        double factor = 1;
        int k = 0;
        if (strcmp(unit, "byte/sector") == 0) return 1;
        for (; k < 4 && units[i].names[k + 1] && fabs(value * factor) >= units[i].step; k++)
            factor /= units[i].step;
        snprintf(scaled, UNIT_SIZE, "%s%s", units[i].names[k], unit + length);
        return factor;
    }
    return 1;
}

/* ---- Tables ---- */

static void put_line(FILE *out, const int *widths, int columns) {
    fputs("    ", out);
    for (int c = 0; c < columns; c++) {
        if (c) putc(' ', out);
        for (int i = 0; i < widths[c]; i++) putc('-', out);
    }
    putc('\n', out);
}

void print_table(FILE *out, const char *const *header, int columns, const struct table_row *rows,
                 int count) {
    int widths[MOST_COLUMNS];
    for (int c = 0; c < columns; c++) {
        widths[c] = (int)strlen(header[c]);
        for (int r = 0; r < count; r++)
            if ((int)strlen(rows[r].cells[c]) > widths[c])
                widths[c] = (int)strlen(rows[r].cells[c]);
    }
    put_line(out, widths, columns);
    for (int r = -1; r < count; r++) {
        for (int c = 0; c < columns; c++)
            fprintf(out, c ? " %*s" : "    %-*s", widths[c], r < 0 ? header[c] : rows[r].cells[c]);
        putc('\n', out);
        if (r < 0) put_line(out, widths, columns);
    }
    put_line(out, widths, columns);
}
