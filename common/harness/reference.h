/* reference.h: times recorded from the complete program. A student sees them beside the steps still
 * to do.
 *
 * LABS_REFERENCE names files in the format of run.csv, separated by colons. Only a time from the
 * same device, grid and block is shown, so it is never a guess. */
#pragma once

#include <fstream>
#include <map>
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

/* The file's rows, each from its columns' names to its cells; none if it cannot be read. */
static inline std::vector<std::map<std::string, std::string>> csvRows(const std::string &path) {
    std::ifstream file(path.c_str());
    std::vector<std::map<std::string, std::string>> rows;
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> head = splitCsv(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> cells = splitCsv(line);
        rows.emplace_back();
        for (size_t i = 0; i < head.size() && i < cells.size(); i++)
            rows.back()[head[i]] = cells[i];
    }
    return rows;
}

/* Does this file, of the run before, have this row as wrong or as an error? */
static inline bool failedIn(const std::string &path, const Row &row) {
    for (auto &old : csvRows(path))
        if (old["kernel"] == row.kernel && old["status"] != "ok" && old["status"] != "todo")
            return true;
    return false;
}

/* The time in ms that the files in LABS_REFERENCE record first for the same kernel, grid, block and
 * device; 0: none. */
static inline double referenceTime(const Row &row, const std::string &device) {
    const char *paths = getenv("LABS_REFERENCE");
    std::istringstream list(paths != NULL ? paths : "");
    std::string path;
    while (std::getline(list, path, ':'))
        for (auto &old : csvRows(path)) {
            if (old["kernel"] != row.kernel || old["grid"] != csvShape(row.grid) ||
                old["block"] != csvShape(row.block) || old["device"] != device)
                continue;
            const double time = atof(old["time_ms"].c_str());
            if (time > 0) return time;
            break;
        }
    return 0;
}
