/* table_lines.c: --source as a table, as CSV and as collapsed stacks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "lines.h"
#include "tables.h"

enum { HEAT_WIDTH = 10, SOURCE_WIDTH = 60 };

/* Titles as on Nsight Compute's source page, shortened for the table. */
static const struct {
    const char *title, *narrow;
    int width;
} columns[LINE_SAMPLES] = {
    {"Instructions Executed", "Inst", 11},
    {"Thread Instructions Executed", "Thread Inst", 12},
    {"L2 Theoretical Sectors Global", "Sectors", 10},
    {"L2 Theoretical Sectors Global Excessive", "Excessive", 10},
    {"L1 Wavefronts Shared", "Wavefronts", 10},
    {"L1 Wavefronts Shared Excessive", "Excessive", 10},
    {"Branch Instructions", "Branches", 9},
    {"Divergent Branches", "Divergent", 9},
};

/* The sum of a value over the lines of a kernel; NaN if no line has it. */
static double sum_of(const struct lines *lines, const char *kernel, enum line_value value) {
    double sum = NAN;
    for (int i = 0; i < lines->count; i++) {
        const struct line *line = &lines->items[i];
        if (strcmp(line->kernel, kernel) != 0 || isnan(line->values[value])) continue;
        sum = (isnan(sum) ? 0 : sum) + line->values[value];
    }
    return sum;
}

/* Is it the first line of its kernel? */
static bool begins_kernel(const struct lines *lines, int index) {
    for (int i = 0; i < index; i++)
        if (strcmp(lines->items[i].kernel, lines->items[index].kernel) == 0) return false;
    return true;
}

/* Reads the text of a line without its indentation; "": it cannot be read. */
static void read_text(const struct line *line, char text[SOURCE_WIDTH + 1]) {
    FILE *in = *line->file ? fopen(line->file, "r") : NULL;
    char *whole = NULL;
    size_t room = 0;
    *text = '\0';
    for (long i = 1; in && i <= line->number; i++)
        if (getline(&whole, &room, in) < 0)
            break;
        else if (i == line->number) {
            const char *begin = whole + strspn(whole, " \t");
            snprintf(text, SOURCE_WIDTH + 1, "%.*s", (int)strcspn(begin, "\r\n"), begin);
        }
    free(whole);
    if (in) fclose(in);
}

static const char *file_name(const struct line *line) {
    return *line->file ? basename(line->file) : "?";
}

static void print_value(FILE *out, double value, int width) {
    if (isnan(value))
        fprintf(out, " %*s", width, "NA");
    else
        fprintf(out, " %*.0f", width, value);
}

/* The heat is the line's share of the kernel's samples; without samples, of its instructions. */
static void print_line(FILE *out, const struct lines *lines, const struct line *line) {
    char text[SOURCE_WIDTH + 1], heat[HEAT_WIDTH + 1] = "";
    double samples = sum_of(lines, line->kernel, LINE_SAMPLES);
    enum line_value by = samples > 0 ? LINE_SAMPLES : LINE_INST;
    double share = line->values[by] / sum_of(lines, line->kernel, by);
    const struct line_stall *stall = line_main_stall(line);
    for (int i = 0; share > 0 && i < (int)(share * HEAT_WIDTH + 0.5) && i < HEAT_WIDTH; i++)
        strcat(heat, "#");
    fprintf(out, "%6ld", line->number);
    for (int i = 0; i < LINE_SAMPLES; i++) print_value(out, line->values[i], columns[i].width);
    if (samples > 0)
        fprintf(out, " %6.2f%%",
                isnan(line->values[LINE_SAMPLES]) ? 0 : 100 * line->values[LINE_SAMPLES] / samples);
    else
        fprintf(out, " %7s", "NA");
    read_text(line, text);
    fprintf(out, " %-*s %-16s %s\n", HEAT_WIDTH, heat, stall ? stall->name : "", text);
}

static void print_kernel(FILE *out, const struct lines *lines, const char *kernel) {
    const char *file = NULL;
    fprintf(out, "Kernel: %s\n%6s", kernel, "Line");
    for (int i = 0; i < LINE_SAMPLES; i++)
        fprintf(out, " %*s", columns[i].width, columns[i].narrow);
    fprintf(out, " %7s %-*s %-16s %s\n", "Samples", HEAT_WIDTH, "", "Most wait", "Source");
    for (int i = 0; i < lines->count; i++) {
        const struct line *line = &lines->items[i];
        if (strcmp(line->kernel, kernel) != 0) continue;
        if (!file || strcmp(file, line->file) != 0)
            fprintf(out, "%s\n", *line->file ? line->file : "no line (compile with -lineinfo)");
        file = line->file;
        print_line(out, lines, line);
    }
    fprintf(out, "%6s", "all");
    for (int i = 0; i < LINE_SAMPLES; i++)
        print_value(out, sum_of(lines, kernel, (enum line_value)i), columns[i].width);
    fputs("\n\n", out);
}

void print_lines(FILE *out, const struct lines *lines, bool csv) {
    if (csv) {
        fputs("\"Kernel Name\",\"File Path\",\"Line No\"", out);
        for (int i = 0; i < LINE_SAMPLES; i++) fprintf(out, ",\"%s\"", columns[i].title);
        fputs(",\"Warp Stall Sampling (All Samples)\",\"Most Wait\"\n", out);
    }
    for (int i = 0; i < lines->count; i++) {
        if (csv) {
            const struct line_stall *stall = line_main_stall(&lines->items[i]);
            csv_put_quoted(out, "", lines->items[i].kernel);
            putc(',', out);
            csv_put_quoted(out, "", lines->items[i].file);
            fprintf(out, ",%ld", lines->items[i].number);
            for (int k = 0; k < LINE_VALUES; k++)
                isnan(lines->items[i].values[k])
                    ? (void)fputs(",NA", out)
                    : (void)fprintf(out, ",%.15g", lines->items[i].values[k]);
            fprintf(out, ",\"%s\"\n", stall ? stall->name : "");
        } else if (begins_kernel(lines, i))
            print_kernel(out, lines, lines->items[i].kernel);
    }
}

void print_collapsed(FILE *out, const struct lines *lines) {
    for (int i = 0; i < lines->count; i++) {
        const struct line *line = &lines->items[i];
        if (line->values[LINE_INST] > 0)
            fprintf(out, "%s;%s:%ld %.0f\n", line->kernel, file_name(line), line->number,
                    line->values[LINE_INST]);
    }
}
