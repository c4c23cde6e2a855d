/* time/queue.h: places that take one request at a time, in the time model. Times in cycles. */
#ifndef SIMT_TIME_QUEUE_H
#define SIMT_TIME_QUEUE_H

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

/* Take a place in a queue, *free being when it takes another request: returns when it is one's turn. */
static inline double queue(double *free, double at, double cycles) {
    double turn = larger(*free, at);
    *free = turn + cycles;
    return turn;
}

/* The same where multiprocessors share, and are not in step: what one left unused up to window cycles ago, others used,
 * and it gets it back now. So it has its share on average, not at every moment. */
static inline double shared_queue(double *free, double at, double cycles, double window) {
    double turn = larger(*free, *free > 0 ? at - window : at);
    *free = turn + cycles;
    return larger(turn, at);
}

#endif
