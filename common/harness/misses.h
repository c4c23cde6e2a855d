/* misses.h: cache misses of the CPU, where Linux lets a program count them (perf_event_open). */
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Loads that missed the first-level cache and the last-level cache; negative: not counted. */
struct Misses {
    double first, last;
};

/* Opens a stopped counter of this thread's load misses in user code. Returns a
 * descriptor, or -1 with errno. */
static inline int openCounter(uint64_t cache) {
    struct perf_event_attr wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_HW_CACHE;
    wanted.config =
        cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
    wanted.disabled = 1;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
}

/* Starts counting misses of the first-level and the last-level cache. A counter that cannot be
 * opened is negative. */
static inline void startCounters(int counters[2]) {
    counters[0] = openCounter(PERF_COUNT_HW_CACHE_L1D);
    counters[1] = openCounter(PERF_COUNT_HW_CACHE_LL);
    for (int i = 0; i < 2; i++)
        if (counters[i] >= 0) ioctl(counters[i], PERF_EVENT_IOC_ENABLE, 0);
}

/* Reads and closes a counter. Returns -1 if there is no count. */
static inline double readCounter(int counter) {
    uint64_t count = 0;
    if (counter < 0) return -1;
    const bool isRead = read(counter, &count, sizeof count) == (ssize_t)sizeof count;
    close(counter);
    return isRead ? (double)count : -1;
}

/* Stops and closes both counters. Returns their counts. */
static inline Misses stopCounters(const int counters[2]) {
    for (int i = 0; i < 2; i++)
        if (counters[i] >= 0) ioctl(counters[i], PERF_EVENT_IOC_DISABLE, 0);
    Misses misses = {readCounter(counters[0]), readCounter(counters[1])};
    return misses;
}

const char *whyNoMisses() {
    static char why[200];
    int counter = openCounter(PERF_COUNT_HW_CACHE_L1D);
    const int error = errno;
    if (counter >= 0) {
        close(counter);
        return NULL;
    }
    if (error == EACCES || error == EPERM)
        return "the system does not allow it; `sysctl kernel.perf_event_paranoid=2` does, outside "
               "a container";
    snprintf(why, sizeof why,
             "the processor shows no such counter, as is usual in a virtual machine (%s)",
             strerror(error));
    return why;
}
