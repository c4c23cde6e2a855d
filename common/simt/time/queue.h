/* time/queue.h: units of the time model that take one request at a time. Times in cycles. */
#pragma once

#include <stdint.h>

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

/* One of 256, by a number: its top 8 bits, mixed by the golden ratio's multiplier. */
static inline uint8_t mixed(uint64_t number) {
    return (uint8_t)(number * 0x9E3779B97F4A7C15ull >> 56);
}

/* Use the unit for these cycles, from `at` on at the earliest. *free: when the unit takes another
 * request. Returns the begin. */
static inline double queue(double *free, double at, double cycles) {
    double turn = larger(*free, at);
    *free = turn + cycles;
    return turn;
}

/* The same for a unit that multiprocessors share, whose requests are not in step. Time that this
 * one left unused in the last `window` cycles was used by others; it gets that time back now. So
 * its share holds on average, not at every moment. */
static inline double shared_queue(double *free, double at, double cycles, double window) {
    double turn = larger(*free, *free > 0 ? at - window : at);
    *free = turn + cycles;
    return larger(turn, at);
}
