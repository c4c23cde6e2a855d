/* kit.h: the instructor's side of a lab: solution, rubric, cases, and the tools for the sandbox. It
 * is read once for each submission. */
#ifndef GRADE_KIT_H
#define GRADE_KIT_H

#include "sandbox.h"

#include "lib/csv.h"
#include "lib/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIT_FILES = 64, KIT_HEADERS = 64, KIT_FRONT = 64, KIT_APART = 6 };

/* Paths and names from the command line. */
struct kit_paths {
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

/* What grading a lab needs. kit_read fills it in; the caller sets budget and unsafe. */
struct kit {
    struct kit_paths paths;
    struct source solution;
    struct csv *rubric;                       /* step, points, what, bound, feedback */
    struct csv *cases;                        /* name, kind, flags, says */
    struct sandbox_file headers[KIT_HEADERS]; /* common/... */
    size_t headers_n;
    struct sandbox_file
        front[KIT_FRONT]; /* cudac and its parts, laid out as make install does; none with nvcc */
    size_t front_n;
    struct sandbox_file tools[KIT_FILES]; /* the simulator and the profiler, which a run needs */
    size_t tools_n;
    struct sandbox_file host,
        harness; /* host.o, the instructor's program; harness.o, which runs its steps */
    struct sandbox_file
        apart[KIT_APART]; /* the files of apart.h; none if the lab has no function for the CPU */
    size_t apart_n;
    struct sandbox_budget *budget; /* what grading this submission may still take */
    bool unsafe;                   /* run even without a sandbox */
};

/* Reads the kit's files. Returns false with a message, for example if a file is missing or a table
 * lacks a column. Free the kit with kit_free. The strings of paths must live as long. */
bool kit_read(struct kit *kit, const struct kit_paths *paths, char *error, size_t size);
void kit_free(struct kit *kit);

/* Extend a hash by a text or by the kit; start with KIT_HASH_START. The result changes with
 * everything that points may depend on. */
#define KIT_HASH_START 0xCBF29CE484222325u
uint64_t kit_hash_text(uint64_t hash, const char *text);
uint64_t kit_hash(const struct kit *kit, uint64_t hash);

#endif
