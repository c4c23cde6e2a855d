/* kit.h: what the instructor's side of a lab consists of: solution, rubric, cases, and the tools that go into the
 * sandbox. Read once for a submission. */
#ifndef GRADE_KIT_H
#define GRADE_KIT_H

#include "sandbox.h"

#include "lib/csv.h"
#include "lib/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIT_FILES = 64, KIT_HEADERS = 64, KIT_APART = 5 };

/* As given on the command line: paths and names. */
struct kit_paths {
    const char *lab, *program; /* 3, reduction */
    const char *solution, *rubric, *cases;
    const char *common, *build;         /* folders: common/, build/ */
    const char *toolkit;                /* CUDA's folder */
    const char *flags;                  /* more flags for nvcc, as the labs' table has them */
    const char *cpu_limit, *time_limit; /* seconds that a submission may take in all: of the processor, by the clock */
    const char *metrics;                /* names, separated by commas */
};

struct kit {
    struct kit_paths paths;
    struct source solution;
    struct csv *rubric;                       /* step, points, what, bound, feedback */
    struct csv *cases;                        /* name, kind, flags, says */
    struct sandbox_file headers[KIT_HEADERS]; /* common/... */
    size_t headers_n;
    struct sandbox_file tools[KIT_FILES]; /* what a run needs: the simulator and the profiler */
    size_t tools_n;
    struct sandbox_file host;             /* host.o, the instructor's program */
    struct sandbox_file apart[KIT_APART]; /* what runs students' functions for the CPU apart; none if there are none */
    size_t apart_n;
    struct sandbox_budget *budget; /* what grading may take in all */
    bool unsafe;                   /* run without bubblewrap where there is none */
};

/* Read all of it. False with a message: a file that is missing, a table that lacks a column. */
bool kit_read(struct kit *kit, const struct kit_paths *paths, char *error, size_t size);
void kit_free(struct kit *kit);

/* A hash of a text, and one of the kit, each continuing another: begin with KIT_HASH_START. It changes with everything
 * that points may depend on. */
#define KIT_HASH_START 0xCBF29CE484222325u
uint64_t kit_hash_text(uint64_t hash, const char *text);
uint64_t kit_hash(const struct kit *kit, uint64_t hash);

#endif
