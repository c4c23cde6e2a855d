/* device/counters.h: what a kernel launch did, in numbers. The list is device/counters.def; metrics.tsv and the profile
 * file use its names. */
#ifndef SIMT_DEVICE_COUNTERS_H
#define SIMT_DEVICE_COUNTERS_H

#include <stdint.h>

struct counters {
#define COUNTER(name, meaning) uint64_t name;
#include "counters.def"
#undef COUNTER
};

enum {
#define COUNTER(name, meaning) COUNTER_##name,
#include "counters.def"
#undef COUNTER
    COUNTER_COUNT
};

extern const char *const counter_names[COUNTER_COUNT];
extern const char *const counter_meanings[COUNTER_COUNT];

/* sum += part, counter by counter. */
void counters_add(struct counters *sum, const struct counters *part);

#endif
