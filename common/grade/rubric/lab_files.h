/* lab_files.h: the instructor's side of a lab: solution, rubric, cases, and the files for the
 * sandbox. It is read once for each submission, in the project's folder. */
#pragma once

#include "grade/sandbox/sandbox.h"

#include "lib/csv.h"
#include "lib/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names from the command line. */
struct lab_paths {
    const char *lab, *solution; /* 3, solutions/lab3-reduction/reduction.cu */
    const char *build;          /* the folder build/ */
    const char *toolkit;        /* the compiler's folder: CUDA's, or clang's */
    const char *clang; /* compile with it by common/front/cudac; NULL: with the toolkit's nvcc */
    const char *flags; /* the lab's flags for nvcc */
    const char *ptx;   /* the compute capability of its PTX, such as 75 */
    const char *cpu_limit, *time_limit; /* seconds that a submission may take in all: processor
                                           time, wall-clock time */
};

enum { LAB_FILES = 128 };

struct lab_list {
    struct sandbox_file items[LAB_FILES];
    size_t n;
};

/* What grading a lab needs. lab_files_read fills it in; the caller sets budget. */
struct lab_files {
    struct lab_paths paths;
    char *program; /* the solution's name without .cu, such as reduction */
    struct source solution;
    struct csv *rubric;            /* step, points, what, bound, feedback */
    struct csv *cases;             /* name, kind, flags, says */
    struct lab_list tables;        /* these three as they are in their files */
    struct lab_list for_build;     /* headers, objects to link with, and cudac with its parts */
    struct lab_list for_run;       /* the simulator and the profiler */
    bool on_host;                  /* students write functions for the CPU (student/process.h) */
    struct sandbox_budget *budget; /* what grading this submission may still take */
};

/* Reads the lab's files; rubric.tsv and cases.tsv lie beside the solution. Returns false with a
 * message, for example if a file is missing or a table lacks a column. Free with lab_files_free.
 * The strings of paths must live as long. */
bool lab_files_read(struct lab_files *lab, const struct lab_paths *paths);
void lab_files_free(struct lab_files *lab);

/* Extend a hash by a text or by the lab; start with HASH_START. The result changes with everything
 * that points may depend on. */
uint64_t lab_files_hash_text(uint64_t hash, const char *text);
uint64_t lab_files_hash(const struct lab_files *lab, uint64_t hash);
