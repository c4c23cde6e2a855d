/* time/without.h: a launch timed on a GPU that lacks one of its bottlenecks: what is removed
 * (time/without.def), and how that changes GPU, accesses and traffic. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counters;
struct gpu;
struct sector_set;
struct trace;
struct traced_access;
struct traffic;

enum without {
#define WITHOUT(NAME, name) WITHOUT_##NAME,
#include "without.def"
    WITHOUT_COUNT
};

/* Sets of them have a bit each. */
#define WITHOUT_ALL ((1u << WITHOUT_COUNT) - 1)

static inline bool lacks(uint32_t removed, enum without what) {
    return removed >> what & 1;
}

/* Read names separated by commas. False, with a sentence that lists the names, for another one. */
bool without_parse(const char *names, uint32_t *removed, char *error, size_t error_size);

/* The GPU without these. */
struct gpu without_gpu(const struct gpu *gpu, uint32_t removed);
/* What the launch counts, and its trace's averages, as far as its traffic follows from them. */
void without_footprint(uint32_t removed, struct counters *counters, struct trace *trace);
void without_traffic(uint32_t removed, struct traffic *traffic);
/* Change a warp's access to one that does not have them. turns: how often a warp has touched
 * sectors that begin with this one; empty at first. */
void without_access(uint32_t removed, struct sector_set *turns, uint64_t warp,
                    struct traced_access *access);
