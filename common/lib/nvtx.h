/* nvtx.h: ranges that a program marks by NVTX, and what it calls its streams and threads, as rows
 * of the timeline. NVTX is a header: at the program's first mark it loads the library that
 * NVTX_INJECTION64_PATH names, and calls InitializeInjectionNvtx2, which gives it functions to
 * call. */
#pragma once

#include <stdint.h>

/* What the rows have: the time, and the timeline's numbers of the system's thread and of a stream
 * of CUDA; 0: not known. */
struct nvtx_source {
    uint64_t (*now_ns)(void);
    uint64_t (*thread)(uint32_t id);
    int (*stream)(void *handle);
};

/* Ranges and names become rows from now on. library: a path of the library that this is part of;
 * NULL: the environment names it already. */
void nvtx_record(struct nvtx_source from, const char *library);

/* NVTX's function that finds a table of what it calls; see nvtx.c. */
typedef const void *nvtx_tables(uint32_t table);

/* Gives NVTX our functions. Returns whether they were taken. */
int InitializeInjectionNvtx2(nvtx_tables *tables);
