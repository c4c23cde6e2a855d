/* lab_files.h: the instructor's side of a lab: solution, rubric, cases, and the tools for the
 * sandbox. It is read once for each submission. */
#ifndef GRADE_LAB_FILES_H
#define GRADE_LAB_FILES_H

#include "grade/sandbox/sandbox.h"

#include "lib/csv.h"
#include "lib/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_FILES = 64, LAB_HEADERS = 64, LAB_FRONT = 64, LAB_STUDENT = 6 };

/* Paths and names from the command line. */
struct lab_paths {
    const char *lab, *program; /* 3, reduction */
    const char *solution, *rubric, *cases;
    const char *common, *build; /* folders: common/, build/ */
    const char *toolkit;        /* the compiler's folder: CUDA's, or clang's */
    const char *clang; /* compile with it by common/front/cudac; NULL: with the toolkit's nvcc */
    const char *flags; /* the lab's flags for nvcc */
    const char *cpu_limit, *time_limit; /* seconds that a submission may take in all: processor
                                           time, wall-clock time */
    const char *metrics;                /* names, separated by commas */
};

/* What grading a lab needs. lab_files_read fills it in; the caller sets budget and unsafe. */
struct lab_files {
    struct lab_paths paths;
    struct source solution;
    struct csv *rubric;                       /* step, points, what, bound, feedback */
    struct csv *cases;                        /* name, kind, flags, says */
    struct sandbox_file headers[LAB_HEADERS]; /* common/... */
    size_t headers_n;
    struct sandbox_file
        front[LAB_FRONT]; /* cudac and its parts, laid out as make install does; none with nvcc */
    size_t front_n;
    struct sandbox_file tools[LAB_FILES]; /* the simulator and the profiler, which a run needs */
    size_t tools_n;
    struct sandbox_file host,
        harness; /* host.o, the instructor's program; harness.o, which runs its steps */
    struct sandbox_file student[LAB_STUDENT]; /* the files of process.h; none if the lab has no
                                                 function for the CPU */
    size_t student_n;
    struct sandbox_budget *budget; /* what grading this submission may still take */
    bool unsafe;                   /* run even without a sandbox */
};

/* Reads the lab's files. Returns false with a message, for example if a file is missing or a table
 * lacks a column. Free the lab with lab_files_free. The strings of paths must live as long. */
bool lab_files_read(struct lab_files *lab, const struct lab_paths *paths, char *error, size_t size);
void lab_files_free(struct lab_files *lab);

/* Extend a hash by a text or by the lab; start with HASH_START. The result changes with
 * everything that points may depend on. */
#define HASH_START 0xCBF29CE484222325u
uint64_t lab_files_hash_text(uint64_t hash, const char *text);
uint64_t lab_files_hash(const struct lab_files *lab, uint64_t hash);

#endif
