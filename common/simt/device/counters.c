/* device/counters.c: names and sums of the counters in device/counters.def. */
#include "counters.h"

const char *const counter_names[COUNTER_COUNT] = {
#define COUNTER(name, meaning) #name,
#include "counters.def"
#undef COUNTER
};

const char *const counter_meanings[COUNTER_COUNT] = {
#define COUNTER(name, meaning) meaning,
#include "counters.def"
#undef COUNTER
};

void counters_add(struct counters *sum, const struct counters *part) {
#define COUNTER(name, meaning) sum->name += part->name;
#include "counters.def"
#undef COUNTER
}
