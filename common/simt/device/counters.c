/* device/counters.c: names and sums of the counters in device/counters.def. */
#include "counters.h"

const char *const counter_names[COUNTER_COUNT] = {
#define COUNTER(name, meaning) #name,
#include "counters.def"
};

void counters_add(struct counters *sum, const struct counters *part) {
#define COUNTER(name, meaning) sum->name += part->name;
#include "counters.def"
}

void counters_add_block(struct counters *sum, const struct block_cost *cost, uint64_t warps,
                        uint64_t threads) {
#define BLOCK_COUNTER(name, unit, meaning) sum->name += unit * cost->name;
#include "counters.def"
}
