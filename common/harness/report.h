/* report.h: the rows of the table, for people and as CSV for programs. */
#pragma once

#include <algorithm>
#include <cstdarg>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../lib/outfile.h"
#include "../lib/printed.h"
#include "checker.h"
#include "misses.h"

enum Outcome { STEP_OK, STEP_TODO, STEP_WRONG, STEP_ERROR, STEP_REFUSED, STEP_SKIPPED };

/* One launch of a step. */
struct Row {
    int step;
    std::string kernel;
    dim3 grid, block;
    std::vector<double> times; /* milliseconds, sorted; empty: not timed */
    double bytes;              /* minimum that the step must read and write */
    double operations;         /* arithmetic operations that it must do; 0: not counted */
    double speedupPrevious, speedupFirst; /* 0: no row to compare with */
    char mark;                            /* beside "x before": SLOWER, UNDECIDED, or 0 */
    Outcome outcome;
    std::string status;   /* "ok", "todo", "WRONG (...)", or CUDA's error text */
    double referenceTime; /* ms, recorded from the solution on the same device; 0: none */
    std::string remark;   /* more for people, after the status */
    bool onHost;          /* it ran on the CPU */
    bool unmodelled;      /* the simulator's model has no time for it */
    Misses misses;        /* misses of the CPU's caches */
    Finding finding;      /* the checker's finding on the step */
    int launches;         /* launches that the row stands for; 0 and 1: one */
};

enum { SLOWER = '<', UNDECIDED = '~' };

/* Modelled times this close do not say which kernel is faster: simt's times of the labs are off by
 * as much on average (plots/reference/truth.md). */
static const double MODEL_ERROR = 0.08;

/* Median time in ms; 0: not timed. */
static inline double medianTime(const Row &row) {
    return row.times.empty() ? 0 : row.times[row.times.size() / 2];
}

/* ---- Colours: only on a terminal, and not where NO_COLOR is set (no-color.org) ---- */

/* The text in the colour of an ANSI code, if colours are used. */
static inline std::string coloured(const char *code, const std::string &text) {
    return printed_in_colour() ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

static const char *const GREY = "90";

static inline const char *outcomeColour(Outcome outcome) {
    switch (outcome) {
    case STEP_OK: return "32";
    case STEP_TODO:
    case STEP_REFUSED: return "33";
    case STEP_SKIPPED: return GREY;
    default: return "1;31";
    }
}

/* ---- Cells ---- */

/* printf into a string. */
static inline std::string formatList(const char *pattern, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, pattern, arguments);
    return text;
}

static inline std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static inline std::string format(const char *pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    std::string text = formatList(pattern, arguments);
    va_end(arguments);
    return text;
}

/* Formats a grid or block as a number, (x,y) or (x,y,z). */
static inline std::string shapeText(dim3 shape) {
    if (shape.z > 1) return format("(%u,%u,%u)", shape.x, shape.y, shape.z);
    if (shape.y > 1) return format("(%u,%u)", shape.x, shape.y);
    return format("%u", shape.x);
}

/* The median time, or in brackets the solution's recorded time. */
static inline std::string timeText(const Row &row) {
    if (!row.times.empty()) return format("%.4f", medianTime(row));
    return row.referenceTime > 0 ? format("(%.4f)", row.referenceTime) : "-";
}

/* Times of the fastest and the slowest run. */
static inline std::string spreadText(const Row &row) {
    return row.times.size() > 1 ? format("%.4f-%.4f", row.times.front(), row.times.back()) : "-";
}

/* GB/s, or GFLOP/s if the row counts operations. */
static inline std::string rateText(const Row &row) {
    const double time = row.times.empty() ? row.referenceTime : medianTime(row);
    const double rate =
        time > 0 ? (row.operations > 0 ? row.operations : row.bytes) / time / 1e6 : 0;
    if (rate <= 0) return "-";
    const std::string figure = format(rate < 1 ? "%.3f" : "%.1f", rate);
    return row.times.empty() ? "(" + figure + ")" : figure;
}

static inline std::string speedupText(double speedup) {
    return speedup > 0 ? format(speedup < 0.1 ? "%.3f" : "%.2f", speedup) : "-";
}

/* "x before" with its mark, which has a column of its own. */
static inline std::string comparisonText(const Row &row) {
    return speedupText(row.speedupPrevious) + (row.mark != 0 ? row.mark : ' ');
}

/* ---- The table ---- */

enum { WIDE_COLUMNS = 122 }; /* of a row with a short status */

/* Is standard output a terminal too narrow for a row? Then a row has its spread, its remark and a
 * long status, or a long launch, in a second line. */
static inline bool isNarrow() {
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 &&
           size.ws_col < WIDE_COLUMNS;
}

static const char *const NARROW_ROW = "%2s %-40s %8s %7s %6s %5s ";
enum {
    NARROW_LAUNCH = 40,
    NARROW_STATUS = 6
}; /* columns of the kernel and its launch, and of the status */

/* The kernel, and the launch where there is room for it. */
static inline std::string narrowLaunch(const std::string &kernel, const std::string &launch) {
    const std::string both = format("%-22s %-17s", kernel.c_str(), launch.c_str());
    return both.size() > NARROW_LAUNCH ? kernel : both;
}

static inline void printTableHead(const char *rate) {
    if (isNarrow()) {
        printf(NARROW_ROW, "#", narrowLaunch("kernel", "<<<grid, block>>>").c_str(), "time ms",
               rate, "before", "first");
        printf("status\n");
        return;
    }
    printf("%2s  %-26s %-26s %10s  %-15s %9s %9s %7s  %s\n", "#", "kernel", "<<<grid, block>>>",
           "time ms", "fastest-slowest", rate, "x before ", "x first", "status");
}

/* Describes the launch; the harness does not know a library's launch. */
static inline std::string launchText(const Row &row) {
    if (row.launches > 1) return format("%d launches", row.launches);
    if (row.onHost) return "on the CPU";
    if (row.block.x == 0) return row.grid.x == 0 ? "(its own)" : "no kernel";
    return "<<<" + shapeText(row.grid) + ", " + shapeText(row.block) + ">>>";
}

/* Did the checker find a mistake beside a right result? */
static inline bool isDoubtful(const Row &row) {
    return row.outcome == STEP_OK && !row.finding.what.empty();
}

/* The status, and after it the checker's finding; without colours. For a stopped kernel the status
 * suffices: the simulator has just printed the place. */
static inline std::string verdictText(const Row &row, const char *source) {
    if (row.finding.what.empty()) return row.status;
    const std::string found = findingText(row.finding, source);
    if (row.outcome == STEP_OK) return row.status + ", but: " + found;
    return row.status + (row.outcome == STEP_WRONG && row.finding.line != 0 ? "; " + found : "");
}

static inline void printNarrowRow(const Row &row, const std::string &status, const char *colour) {
    const std::string shape = launchText(row), launch = narrowLaunch(row.kernel, shape);
    std::string before = comparisonText(row), more = launch == row.kernel ? "  " + shape : "";
    before.erase(before.find_last_not_of(' ') + 1);
    const std::string figures =
        format(NARROW_ROW, std::to_string(row.step).c_str(), launch.c_str(), timeText(row).c_str(),
               rateText(row).c_str(), before.c_str(), speedupText(row.speedupFirst).c_str());
    if (row.times.size() > 1) more += "  " + spreadText(row) + " ms";
    const bool fits = status.size() <= NARROW_STATUS;
    if (!fits) more += "  " + coloured(colour, status);
    if (!row.remark.empty()) more += "  " + row.remark;
    printf("%s%s%s%s\n", row.times.empty() ? coloured(GREY, figures).c_str() : figures.c_str(),
           fits ? coloured(colour, status).c_str() : "", more.empty() ? "" : "\n ", more.c_str());
}

/* Prints a row of the table, with its checker's finding and its remark. */
static inline void printRow(const Row &row, const char *source) {
    const char *colour = outcomeColour(isDoubtful(row) ? STEP_REFUSED : row.outcome);
    if (isNarrow()) {
        printNarrowRow(row, verdictText(row, source), colour);
        return;
    }
    std::string shape = launchText(row);
    std::string figures = format(
        "%10s  %-15s %9s %9s %7s", timeText(row).c_str(), spreadText(row).c_str(),
        rateText(row).c_str(), comparisonText(row).c_str(), speedupText(row.speedupFirst).c_str());
    printf(
        "%2d  %-26s %-26s %s  %s\n", row.step, row.kernel.c_str(), shape.c_str(),
        row.times.empty() ? coloured(GREY, figures).c_str() : figures.c_str(),
        (coloured(colour, verdictText(row, source)) + (row.remark.empty() ? "" : "  " + row.remark))
            .c_str());
    fflush(stdout);
}

/* ---- A step with many launches, as one row ---- */

enum { FEW_LAUNCHES = 6 }; /* up to this many launches of a step have a row each */

/* "4" for strideLoad(4); "": no argument. */
static inline std::string argumentOf(const Row &row) {
    const size_t open = row.kernel.find('(');
    return open == std::string::npos ? ""
                                     : row.kernel.substr(open + 1, row.kernel.size() - open - 2);
}

/* What distinguishes a launch from other launches of its step. */
static inline std::string launchName(const Row &row) {
    const std::string argument = argumentOf(row);
    return argument.empty() ? launchText(row) : "(" + argument + ")";
}

/* Is the row ok, or expectedly refused? */
static inline bool isFine(const Row &row) {
    return row.outcome == STEP_OK || row.outcome == STEP_REFUSED;
}

/* Folds a step's launches into one row: the fastest launch's figures, the range of medians, and the
 * first status that is not fine. */
static inline Row sweepRow(const Row *begin, const Row *end) {
    const Row *fastest = NULL, *slowest = NULL, *bad = NULL;
    for (const Row *row = begin; row < end; row++) {
        if (bad == NULL && !isFine(*row)) bad = row;
        if (row->times.empty()) continue;
        if (fastest == NULL || medianTime(*row) < medianTime(*fastest)) fastest = row;
        if (slowest == NULL || medianTime(*row) > medianTime(*slowest)) slowest = row;
    }
    Row sweep = fastest != NULL ? *fastest : *begin;
    sweep.kernel = begin->kernel.substr(0, begin->kernel.find('('));
    if (!argumentOf(*begin).empty())
        sweep.kernel += "(" + argumentOf(*begin) + "..." + argumentOf(end[-1]) + ")";
    sweep.launches = (int)(end - begin);
    sweep.speedupPrevious = sweep.speedupFirst = 0;
    sweep.mark = 0;
    sweep.remark = "";
    if (fastest != NULL) {
        /* The median of the three times is the fastest. */
        sweep.times.assign(2, medianTime(*fastest));
        sweep.times.push_back(medianTime(*slowest));
        const bool differ = timeText(*fastest) != timeText(*slowest);
        if (differ)
            sweep.remark =
                "fastest: " + launchName(*fastest) + ", slowest: " + launchName(*slowest);
    }
    sweep.outcome = bad != NULL ? bad->outcome : STEP_OK;
    sweep.status = bad == NULL ? "ok" : bad->outcome == STEP_WRONG ? "WRONG" : bad->status;
    return sweep;
}

/* ---- CSV ---- */

/* Formats a cell, quoted if necessary. */
static inline std::string csvCell(const std::string &text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

/* Formats all three dimensions without commas: (16384 1 1). */
static inline std::string csvShape(dim3 shape) {
    return format("(%u %u %u)", shape.x, shape.y, shape.z);
}

/* Formats a figure; NA for 0. */
static inline std::string csvFigure(double value) {
    return value > 0 ? format("%.6f", value) : "NA";
}

static inline std::string csvCount(double count) {
    return count >= 0 ? format("%.0f", count) : "NA";
}

/* Columns that not every run.csv has, after bandwidth_gbs if not said otherwise. */
struct ExtraColumns {
    bool operations; /* gflops */
    /* l1_misses, llc_misses: of the CPU's first-level and last-level caches, in one run. */
    bool misses;
    bool findings; /* finding, the last column: what the checker found beside right results */
};

/* The head of run.csv, with its line end. */
static inline std::string csvHead(const ExtraColumns &extra) {
    return std::string(
               "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,") +
           (extra.operations ? "gflops," : "") + (extra.misses ? "l1_misses,llc_misses," : "") +
           "speedup,status,clock,device" + (extra.findings ? ",finding" : "") + "\n";
}

/* A row as a line of run.csv, with its line end. clock: "modelled", "measured" or "unmodelled". */
static inline std::string csvRow(const Row &row, int lab, const char *clock,
                                 const std::string &device, const ExtraColumns &extra) {
    double fastest = row.times.empty() ? 0 : row.times.front(),
           slowest = row.times.empty() ? 0 : row.times.back();
    std::string line = format("%d,%d,", lab, row.step);
    line += row.kernel + "," + csvShape(row.grid) + "," + csvShape(row.block);
    for (double figure : {medianTime(row), fastest, slowest,
                          (row.times.empty() ? 0 : row.bytes / medianTime(row) / 1e6)})
        line += "," + csvFigure(figure);
    if (extra.operations)
        line += "," + csvFigure(row.times.empty() ? 0 : row.operations / medianTime(row) / 1e6);
    if (extra.misses) line += "," + csvCount(row.misses.first) + "," + csvCount(row.misses.last);
    line += "," + csvFigure(row.speedupFirst);
    line += "," + csvCell(row.status) + "," + clock + "," + csvCell(device);
    return line + (extra.findings ? "," + csvCell(row.finding.what) : "") + "\n";
}

/* Writes the text to the file, whole or not at all (lib/outfile.h). Returns false with errno. */
static inline bool writeFile(const char *path, const std::string &text) {
    struct outfile out;
    if (!outfile_open(&out, path)) return false;
    fwrite(text.data(), 1, text.size(), out.file); /* outfile_commit checks for errors */
    return outfile_commit(&out);
}
