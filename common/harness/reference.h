/*
 * reference.h: times recorded from the complete program. A student sees them beside the steps still
 * to do.
 *
 * LABS_REFERENCE names files in the format of run.csv, separated by colons. Only a time from the
 * same device, grid and block is shown, so it is never a guess.
 */
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "report.h"

/* Splits a CSV line into cells. */
static inline std::vector<std::string> splitCsv(const std::string &line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (char c : line)
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.push_back("");
        else if (c != '\r')
            cells.back() += c;
    return cells;
}

/* The cell of the named column; "": none. */
static inline std::string csvField(const std::vector<std::string> &head,
                                   const std::vector<std::string> &cells, const char *column) {
    for (size_t i = 0; i < head.size() && i < cells.size(); i++)
        if (head[i] == column) return cells[i];
    return "";
}

/* The time in ms that this file records for the same kernel, grid, block and device; 0: none. */
static inline double referenceInFile(const std::string &path, const Row &row,
                                     const std::string &device) {
    std::ifstream file(path.c_str());
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> head = splitCsv(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = splitCsv(line);
        if (csvField(head, cells, "kernel") == row.kernel &&
            csvField(head, cells, "grid") == csvShape(row.grid) &&
            csvField(head, cells, "block") == csvShape(row.block) &&
            csvField(head, cells, "device") == device)
            return atof(csvField(head, cells, "time_ms").c_str());
    }
    return 0;
}

/* Does this file, of the run before, have this row as wrong or as an error? */
static inline bool failedIn(const std::string &path, const Row &row) {
    std::ifstream file(path.c_str());
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> head = splitCsv(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = splitCsv(line);
        const std::string status = csvField(head, cells, "status");
        if (csvField(head, cells, "kernel") == row.kernel && status != "ok" && status != "todo")
            return true;
    }
    return false;
}

/* The first such time in the files that LABS_REFERENCE names; 0: none. */
static inline double referenceTime(const Row &row, const std::string &device) {
    const char *paths = getenv("LABS_REFERENCE");
    std::istringstream list(paths != NULL ? paths : "");
    std::string path;
    while (std::getline(list, path, ':')) {
        double time = referenceInFile(path, row, device);
        if (time > 0) return time;
    }
    return 0;
}
