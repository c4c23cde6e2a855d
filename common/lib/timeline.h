/* timeline.h: the timeline file: what host and device did, and when. simt writes it at the path in
 * SIMT_TIMELINE, labprof's recorder on a GPU at that in LABPROF_TIMELINE. labprof reads it.
 *
 * It is a CSV file with a row for each activity of a device and each call of CUDA's API. A row is
 * written when its end is known, so rows are not sorted by their start. A cell is empty if its
 * column has no meaning for the record. Columns, in order:
 *
 *   record         kernel, memcpy, memset, host, pages, api, range, name or trust
 *   name           kernel: the mangled name
 *                  memcpy: HtoD, DtoH, DtoD, PtoP or HtoH; on a GPU also those with A, an array
 *                  memset: empty
 *                  host: cudaLaunchHostFunc
 *                  pages, of managed memory: HtoD, DtoH or DtoD moves them; faults: a group of a
 *                  kernel's page faults; host: a page fault of the host
 *                  api: the function's name; on a GPU also those of the driver's API
 *                  range: as the program marked it by NVTX
 *                  name: what the program calls a stream or a host thread by NVTX; nothing else in
 *                  its row but the number of one of them
 *                  trust: how far to trust all this (simt/api/trust.h); nothing else in its row
 *   start_ns, end_ns   ns; simt counts from the process' first record, the recorder from when it
 *                  was loaded
 *   device         its ordinal (all but api, range)
 *   context, stream   as nvprof prints them (all but api, range, pages): the legacy default stream
 *                  is 7, streams that the program creates are 13, 14, ...
 *   correlation    the number of the API call: api rows have their own, activities that of the
 *                  call that caused them
 *   bytes          memcpy, memset, pages
 *   source, target   memcpy: pageable, pinned, device, managed or array; of PtoP device:0,
 *                  device:1, ...
 *                  memset: the target
 *                  range: the domain as source, empty for the default one
 *   grid, block    kernel: "(16384 1 1)"
 *   registers      kernel: per thread
 *   static_shared, dynamic_shared   kernel: bytes per block
 *   thread         api, range, name: the number of the host thread, from 1
 *   status         api: the cudaError_t or CUresult that it returned; 0: success */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum timeline_record {
    TIMELINE_KERNEL,
    TIMELINE_MEMCPY,
    TIMELINE_MEMSET,
    TIMELINE_HOST,
    TIMELINE_PAGES,
    TIMELINE_API,
    TIMELINE_RANGE,
    TIMELINE_NAME,
    TIMELINE_TRUST
};

/* A row. Members that the record's columns do not include are ignored, and zero or "" when read. */
struct timeline_row {
    enum timeline_record record;
    const char *name;
    uint64_t start_ns, end_ns;
    int device, context, stream;
    uint64_t correlation;
    uint64_t bytes;
    const char *source, *target;
    uint32_t grid[3], block[3];
    int registers;
    uint64_t static_shared, dynamic_shared; /* bytes */
    uint64_t thread;
    int status;
};

/* ---- Writing: a process has one timeline ---- */

/* Starts the timeline at path; the first %p in path becomes the process id. Returns false, with a
 * sentence in failure, if it cannot be written. */
bool timeline_open(const char *path);
/* Adds a row, from any thread; does nothing if no timeline is open. */
void timeline_write(const struct timeline_row *row);
/* Gives the file its name. May be called again. A signal that ends the program does it too. */
void timeline_close(void);

/* ---- Reading ---- */

struct timeline {
    struct timeline_row *rows; /* in the file's order */
    size_t count;
    struct csv *table; /* the rows' texts */
};

/* Reads a whole file. Returns false, with "PATH: why" or "PATH:LINE: why" in failure. Free with
 * timeline_free. */
bool timeline_read(struct timeline *timeline, const char *path);
void timeline_free(struct timeline *timeline);
