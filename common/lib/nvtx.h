/* nvtx.h: ranges that a program marks by NVTX, as rows of the timeline. NVTX is a header: at the
 * program's first mark it loads the library that NVTX_INJECTION64_PATH names, and calls
 * InitializeInjectionNvtx2, which gives it functions to call. */
#pragma once

#include <stdint.h>

/* Ranges become rows from now on, with these times and numbers of threads. library: a path of the
 * library that this is part of; NULL: the environment names it already. */
void nvtx_record(uint64_t (*now_ns)(void), uint64_t (*thread)(void), const char *library);

/* NVTX's function that finds a table of what it calls; see nvtx.c. */
typedef const void *nvtx_tables(uint32_t table);

/* Gives NVTX our functions. Returns whether they were taken. */
int InitializeInjectionNvtx2(nvtx_tables *tables);
