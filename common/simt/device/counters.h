/* device/counters.h: the counters of a kernel launch. device/counters.def lists them; metrics.tsv
 * and the profile file use their names. */
#pragma once

#include <stdint.h>

struct counters {
#define COUNTER(name, meaning) uint64_t name;
#include "counters.def"
};

enum {
#define COUNTER(name, meaning) COUNTER_##name,
#include "counters.def"
    COUNTER_COUNT
};

extern const char *const counter_names[COUNTER_COUNT];

/* What one pass over a basic block counts. */
struct block_cost {
#define BLOCK_COUNTER(name, unit, meaning) uint32_t name;
#include "counters.def"
};

/* sum += part, counter by counter. */
void counters_add(struct counters *sum, const struct counters *part);
/* Add the counts of a basic block that so many warps and threads entered. */
void counters_add_block(struct counters *sum, const struct block_cost *cost, uint64_t warps,
                        uint64_t threads);
