/* time/queue.h: units of the time model that take one request at a time. Times in cycles. */
#pragma once

static inline double larger(double a, double b) {
    return a > b ? a : b;
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
