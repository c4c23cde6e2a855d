/*
 * kept.h: right results of an earlier run. The simulator gives the same code the same results and times, so a step
 * whose code is as it was need not be simulated again.
 *
 * Make sets three variables for labs whose loops leave nothing behind but their rows: LABS_KEPT names the file,
 * LABS_KEPT_SOURCE the source as it was compiled, and LABS_KEPT_WITH has a checksum of compiler flags, simulator and
 * headers. A row counts only for the same text of the step, problem, device and settings of the simulator.
 */
#ifndef HARNESS_KEPT_H
#define HARNESS_KEPT_H

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "place.h"
#include "report.h"

/* A right row of an earlier run, or of this run for the next. */
struct KeptRow {
    std::string step, code, launch; /* the step's name; a hash of all that its results depend on; the launch */
    double time;                    /* ms */
    std::string remark;
    bool taken; /* it stands in this run's table */
};

/* ---- What a step's results depend on ---- */

/* A student's region: its name and its lines. */
struct Region {
    std::string name, text;
};

/* The source's lines outside of the regions, and its regions. */
struct Parts {
    std::string outside;
    std::vector<Region> regions;
};

static inline Parts partsOf(const char *path) {
    std::ifstream source(path);
    Parts parts;
    std::string line;
    for (bool inside = false; std::getline(source, line);) {
        const size_t mark = line.find("// BEGIN SOLUTION ");
        if (line.find("// END SOLUTION") != std::string::npos) inside = false;
        (inside ? parts.regions.back().text : parts.outside) += line + "\n";
        if (mark == std::string::npos) continue;
        inside = true;
        parts.regions.push_back({line.substr(mark + 18), ""});
    }
    return parts;
}

/* Is this directive about a loop alone, as in `#pragma unroll 4`? */
static inline bool isAboutLoop(const std::string &directive) {
    std::istringstream words(directive);
    std::string pragma, what;
    words >> pragma >> what;
    return pragma == "#pragma" && (what == "unroll" || what == "nounroll");
}

/* Does a region reach beyond its function? A macro or a function that it defines may serve every step. */
static inline bool reachesOut(const std::string &text) {
    const std::string code = withoutComments(text);
    int depth = 0;
    for (size_t i = 0; i < code.size(); i++) {
        depth += code[i] == '{' ? 1 : code[i] == '}' ? -1 : 0;
        if (depth < 0 || (code[i] == '#' && !isAboutLoop(code.substr(i)))) return true;
    }
    return depth != 0;
}

/* Is the region the body of another step than this one? */
static inline bool isOfOther(const Region &region, const std::vector<LabStep> &steps, const std::string &step) {
    for (const LabStep &other : steps) {
        if (region.name == other.name) return region.name != step;
    }
    return false;
}

/* Does a region that stays name this one? */
static inline bool isNamed(const Parts &parts, const std::vector<bool> &stays, const std::string &name) {
    for (size_t i = 0; i < stays.size(); i++) {
        if (stays[i] && parts.regions[i].text.find(name) != std::string::npos) return true;
    }
    return false;
}

/* The text that a step's results depend on: the source without the regions of other steps. A region stays if it reaches
 * out, or if a region that stays names it. */
static inline std::string textOf(const Parts &parts, const std::vector<LabStep> &steps, const std::string &step) {
    const std::vector<Region> &regions = parts.regions;
    std::vector<bool> stays;
    for (const Region &region : regions) stays.push_back(!isOfOther(region, steps, step) || reachesOut(region.text));
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < regions.size(); i++) {
            if (stays[i] || !isNamed(parts, stays, regions[i].name)) continue;
            stays[i] = grows = true;
        }
    }
    std::string text = parts.outside;
    for (size_t i = 0; i < regions.size(); i++) {
        if (stays[i]) text += regions[i].name + "\n" + regions[i].text;
    }
    return text;
}

/* The settings of the simulator and of the check on small problems. */
static inline std::string settingsText() {
    std::string settings;
    for (char **variable = environ; *variable != NULL; variable++) {
        const bool counts = strncmp(*variable, "SIMT_", 5) == 0 || strncmp(*variable, "LABS_KEPT_WITH=", 15) == 0 ||
                            strncmp(*variable, "LABS_SMALL_SIZES=", 17) == 0;
        if (counts) settings += std::string(*variable) + "\n";
    }
    return settings;
}

/* Does the user want more of the simulator than the table? Then all steps run. */
static inline bool isWatched() {
    for (const char *name : {"SIMT_PROFILE", "SIMT_TIMELINE", "SIMT_SEE", "SIMT_CHECK"}) {
        if (getenv(name) != NULL) return true;
    }
    return false;
}

/* ---- The file: a row a line, cells separated by tabs ---- */

static inline std::string launchKey(const Row &row) {
    return row.kernel + csvShape(row.grid) + csvShape(row.block);
}

/* Reads the file; rows that are cut short are left out. */
static inline std::vector<KeptRow> readKept(const char *path) {
    std::ifstream file(path);
    std::vector<KeptRow> kept;
    std::string line, time;
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        KeptRow row = KeptRow();
        for (std::string *cell : {&row.step, &row.code, &row.launch, &time, &row.remark})
            std::getline(cells, *cell, '\t');
        row.time = atof(time.c_str());
        if (row.time > 0) kept.push_back(row);
    }
    return kept;
}

static inline std::string keptLine(const KeptRow &row) {
    return row.step + "\t" + row.code + "\t" + row.launch + "\t" + format("%.17g", row.time) + "\t" + row.remark + "\n";
}

/* The rows of earlier runs, and those of this run. */
struct Kept {
    const char *path; /* NULL: nothing is kept in this run */
    Parts parts;
    std::string problem; /* on which the results depend beside the step's text */
    std::vector<KeptRow> before, now;
};

/* Begins with the rows of earlier runs. */
static inline Kept openKept(const std::string &problem) {
    Kept kept = Kept();
    const char *path = getenv("LABS_KEPT"), *source = getenv("LABS_KEPT_SOURCE");
    if (path == NULL || source == NULL || getenv("LABS_KEPT_WITH") == NULL || isWatched()) return kept;
    kept.parts = partsOf(source);
    if (kept.parts.outside.empty()) return kept;
    kept.path = path;
    kept.problem = problem + "\n" + settingsText();
    kept.before = readKept(path);
    return kept;
}

/* The row as it is kept; its time is still to come. */
static inline KeptRow keptRow(const Kept &kept, const std::vector<LabStep> &steps, const Row &row) {
    KeptRow now = KeptRow();
    now.step = steps[(size_t)row.step - 1].name;
    now.code = format("%zx", std::hash<std::string>()(kept.problem + textOf(kept.parts, steps, now.step)));
    now.launch = row.kernel + csvShape(row.grid) + csvShape(row.block);
    return now;
}

/* Completes the row from an earlier run. Returns whether there is such a row. Each counts once, for a step may have the
 * same launch twice. */
static inline bool takeKept(Kept *kept, const std::vector<LabStep> &steps, Row *row) {
    if (kept->path == NULL) return false;
    const KeptRow now = keptRow(*kept, steps, *row);
    for (KeptRow &old : kept->before) {
        if (old.taken || old.code != now.code || old.launch != now.launch) continue;
        old.taken = row->kept = true;
        row->outcome = STEP_OK;
        row->status = "ok";
        row->times.assign(1, old.time);
        row->remark = old.remark;
        return true;
    }
    return false;
}

/* Keeps the row for the next run, if it is right and nothing is to be said against it. */
static inline void keep(Kept *kept, const std::vector<LabStep> &steps, const Row &row) {
    const bool right = row.outcome == STEP_OK && row.times.size() == 1 && row.finding.what.empty();
    if (kept->path == NULL || !right || row.remark.find_first_of("\t\n") != std::string::npos) return;
    KeptRow now = keptRow(*kept, steps, row);
    now.time = row.times[0];
    now.remark = row.remark;
    kept->now.push_back(now);
}

/* Writes this run's rows, and those of steps that had none in it. A file that cannot be written is no error: the next
 * run simulates all steps. */
static inline void writeKept(const Kept &kept, const std::vector<bool> &ran, const std::vector<LabStep> &steps) {
    std::string text;
    if (kept.path == NULL) return;
    for (const KeptRow &row : kept.now) text += keptLine(row);
    for (const KeptRow &row : kept.before) {
        for (size_t i = 0; i < steps.size(); i++) {
            if (!ran[i] && row.step == steps[i].name) text += keptLine(row);
        }
    }
    writeFile(kept.path, text);
}

#endif
