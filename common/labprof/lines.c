/* lines.c: a list of lines, and reading it from simt's and ncu's files. */
#include "lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/memory.h"
#include "names.h"

/* ---- The list ---- */

struct line *lines_get(struct lines *lines, const char *kernel, const char *file, long number) {
    char *name = kernel_name(kernel);
    for (int i = 0; i < lines->count; i++) {
        struct line *line = &lines->items[i];
        if (line->number != number || strcmp(line->file, file) != 0 ||
            strcmp(line->kernel, name) != 0)
            continue;
        free(name);
        return line;
    }
    if (lines->count == lines->room) {
        lines->room = lines->room ? 2 * lines->room : 64;
        lines->items = need(realloc(lines->items, (size_t)lines->room * sizeof *lines->items));
    }
    struct line *line = &lines->items[lines->count++];
    *line = (struct line){.kernel = name, .file = need(strdup(file)), .number = number};
    for (int i = 0; i < LINE_VALUES; i++) line->values[i] = NAN;
    return line;
}

void line_add(struct line *line, enum line_value value, double count) {
    if (!isnan(count))
        line->values[value] = (isnan(line->values[value]) ? 0 : line->values[value]) + count;
}

void line_add_stall(struct line *line, const char *name, double samples) {
    int i = 0;
    while (i < line->stall_count && strcmp(line->stalls[i].name, name) != 0) i++;
    if (isnan(samples) || i == MAX_STALLS) return;
    if (i == line->stall_count) {
        snprintf(line->stalls[i].name, STALL_NAME, "%s", name);
        line->stalls[line->stall_count++].samples = 0;
    }
    line->stalls[i].samples += samples;
}

const struct line_stall *line_main_stall(const struct line *line) {
    const struct line_stall *most = NULL;
    for (int i = 0; i < line->stall_count; i++)
        if (line->stalls[i].samples > (most ? most->samples : 0)) most = &line->stalls[i];
    return most;
}

static void line_free(struct line *line) {
    free(line->kernel);
    free(line->file);
}

void lines_free(struct lines *lines) {
    for (int i = 0; i < lines->count; i++) line_free(&lines->items[i]);
    free(lines->items);
    memset(lines, 0, sizeof *lines);
}

/* Does a filter select it by name? */
static bool has_name(const struct filters *filters, const char *kernel) {
    char base[256];
    bool any = filters->count == 0;
    kernel_base_name(kernel, base, sizeof base);
    for (int i = 0; i < filters->count; i++)
        any |= regexec(&filters->items[i].regex, base, 0, NULL, 0) == 0;
    return any;
}

void lines_filter(struct lines *lines, const struct filters *filters) {
    int kept = 0;
    for (int i = 0; i < lines->count; i++) {
        if (!has_name(filters, lines->items[i].kernel))
            line_free(&lines->items[i]);
        else
            lines->items[kept++] = lines->items[i];
    }
    lines->count = kept;
}

/* ---- simt ---- */

static double sum_of(const struct csv *table, int row, const char *const *names) {
    double sum = 0;
    for (; *names; names++) sum += csv_number(csv_get(table, row, *names));
    return sum;
}

/* simt's columns of a count, added up. */
static const struct {
    enum line_value value;
    const char *names[5];
} simt_columns[] = {
    {LINE_INST, {"inst_executed"}},
    {LINE_THREAD_INST, {"thread_inst_executed"}},
    {LINE_SECTORS, {"gld_sectors", "gst_sectors", "atom_sectors", "red_sectors"}},
    {LINE_WAVEFRONTS, {"shared_ld_wavefronts", "shared_st_wavefronts", "shared_atom_wavefronts"}},
    {LINE_CONFLICTS, {"shared_ld_conflicts", "shared_st_conflicts"}},
    {LINE_BRANCHES, {"branch"}},
    {LINE_DIVERGENT, {"divergent_branch"}},
};

static void read_simt_row(struct lines *lines, const struct csv *table, int row) {
    static const char stall[] = "stall_";
    struct line *line = lines_get(lines, csv_get(table, row, "kernel"), csv_get(table, row, "file"),
                                  atol(csv_get(table, row, "line")));
    for (size_t i = 0; i < sizeof simt_columns / sizeof *simt_columns; i++)
        line_add(line, simt_columns[i].value, sum_of(table, row, simt_columns[i].names));
    line_add(line, LINE_EXCESS,
             sum_of(table, row, (const char *const[]){"gld_sectors", "gst_sectors", NULL}) -
                 csv_number(csv_get(table, row, "ideal_sectors")));
    line_add(line, LINE_SAMPLES, csv_number(csv_get(table, row, "issuing")));
    for (int c = 0; c < csv_columns(table); c++) {
        if (strncmp(csv_header(table, c), stall, strlen(stall)) != 0) continue;
        line_add(line, LINE_SAMPLES, csv_number(csv_at(table, row, c)));
        line_add_stall(line, csv_header(table, c) + strlen(stall),
                       csv_number(csv_at(table, row, c)));
    }
}

bool lines_read_simt(struct lines *lines, const char *path) {
    struct csv *table = csv_read(path, &CSV_COMMAS);
    for (int row = 0; table && row < csv_rows(table); row++)
        if (csv_width(table, row) >= csv_columns(table)) read_simt_row(lines, table, row);
    csv_free(table);
    return table != NULL;
}

/* ---- ncu ---- */

/* ncu's column of a count. */
static const struct {
    enum line_value value;
    const char *name;
} ncu_columns[] = {
    {LINE_INST, "Instructions Executed"},
    {LINE_THREAD_INST, "Thread Instructions Executed"},
    {LINE_SECTORS, "L2 Theoretical Sectors Global"},
    {LINE_EXCESS, "L2 Theoretical Sectors Global Excessive"},
    {LINE_WAVEFRONTS, "L1 Wavefronts Shared"},
    {LINE_CONFLICTS, "L1 Wavefronts Shared Excessive"},
    {LINE_BRANCHES, "branch_inst_executed"},
    {LINE_DIVERGENT, "Divergent Branches"},
    {LINE_SAMPLES, "Warp Stall Sampling (All Samples)"},
};

/* A cell of a row; row -1 is the table's first. */
static const char *cell(const struct csv *table, int row, int column) {
    return row < 0 ? csv_header(table, column) : csv_at(table, row, column);
}

/* A stall's name as simt's; NULL: the column is no stall over all samples. */
static const char *ncu_stall(const char *header) {
    static const struct {
        const char *ncu, *name;
    } names[] = {{"stall_long_sb", "long_scoreboard"},
                 {"stall_short_sb", "short_scoreboard"},
                 {"stall_branch_resolving", "branch"},
                 {"stall_not_selected", "not_selected"}};
    bool all = strncmp(header, "stall_", 6) == 0 && !strchr(header, '(') &&
               strcmp(header, "stall_selected") != 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(header, names[i].ncu) == 0) return names[i].name;
    return all ? header + 6 : NULL;
}

static void read_ncu_row(struct line *line, const struct csv *table, int headers, int row) {
    for (int c = 0; *cell(table, headers, c); c++) {
        const char *header = cell(table, headers, c), *stall = ncu_stall(header);
        double value = csv_number(csv_at(table, row, c));
        if (stall && value > 0) line_add_stall(line, stall, value);
        for (size_t i = 0; i < sizeof ncu_columns / sizeof *ncu_columns; i++)
            if (strcmp(header, ncu_columns[i].name) == 0)
                line_add(line, ncu_columns[i].value, value);
    }
    /* ncu leaves these columns out where no instruction of the kernel has them. */
    line_add(line, LINE_WAVEFRONTS, 0);
    line_add(line, LINE_CONFLICTS, 0);
    line_add(line, LINE_DIVERGENT, 0);
}

static void read_ncu_table(struct lines *lines, const struct csv *table) {
    const char *kernel = "", *file = "";
    int headers = -2, address = -1; /* none yet */
    for (int row = -1; row < csv_rows(table); row++) {
        const char *first = cell(table, row, 0);
        char *end;
        long number = strtol(first, &end, 10);
        if (strcmp(first, "Function Name") == 0) {
            kernel = cell(table, row, 1);
        } else if (strcmp(first, "File Path") == 0) {
            file = cell(table, row, 1);
        } else if (strcmp(first, "Line No") == 0) {
            headers = row;
            for (address = 0;
                 *cell(table, row, address) && strcmp(cell(table, row, address), "Address") != 0;)
                address++;
        } else if (headers > -2 && end != first && !*end &&
                   strcmp(cell(table, row, address), "-") == 0) {
            struct line *line = lines_get(lines, kernel, file, number);
            read_ncu_row(line, table, headers, row);
        }
    }
}

bool lines_read_ncu(struct lines *lines, const char *path) {
    static const struct csv_format messages_between = {',', "==", false, true};
    struct csv *table = csv_read(path, &messages_between);
    if (table) read_ncu_table(lines, table);
    csv_free(table);
    return table != NULL;
}
