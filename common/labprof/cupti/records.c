/* records.c: a function for each kind of record. The structs are those of CUPTI 11.8; newer
 * versions only add members at their end. */
#include "labprof/cupti/records.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/timeline.h"

enum { NAME_SIZE = 128, MOST_THREADS = 1024 };

/* The runtime calls it before each launch if a tool listens. */
#define FOR_TOOLS "cuKernelGetName"

#define NAME_OF(names, number) ((number) < sizeof(names) / sizeof *(names) ? (names)[number] : "")

/* Indexed by CUpti_ActivityMemoryKind. The last two are variables of the program. */
static const char *const memories[] = {"",      "pageable", "pinned", "device",
                                       "array", "managed",  "device", "managed"};

/* Indexed by CUpti_ActivityMemcpyKind: from and to host, device and array. */
static const char *const directions[] = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                         "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};

/* The members that records of all kinds of a device's activities have under the same names. */
#define ACTIVITY(a)                                                                                \
    .start_ns = (a)->start, .end_ns = (a)->end, .device = (int)(a)->deviceId,                      \
    .context = (int)(a)->contextId, .stream = (int)(a)->streamId,                                  \
    .correlation = (a)->correlationId

/* Makes the times count from the timeline's 0, and writes the row. */
static void write_from(uint64_t first_ns, struct timeline_row *row) {
    if (row->end_ns == 0) return;
    row->start_ns = row->start_ns > first_ns ? row->start_ns - first_ns : 0;
    row->end_ns = row->end_ns > first_ns ? row->end_ns - first_ns : 0;
    timeline_write(row);
}

static void write_kernel(const CUpti_ActivityKernel8 *k, uint64_t first_ns) {
    struct timeline_row row = {
        .record = TIMELINE_KERNEL,
        .name = k->name,
        ACTIVITY(k),
        .grid = {(uint32_t)k->gridX, (uint32_t)k->gridY, (uint32_t)k->gridZ},
        .block = {(uint32_t)k->blockX, (uint32_t)k->blockY, (uint32_t)k->blockZ},
        .registers = k->registersPerThread,
        .static_shared = (uint64_t)k->staticSharedMemory,
        .dynamic_shared = (uint64_t)k->dynamicSharedMemory};
    write_from(first_ns, &row);
}

static void write_copy(const CUpti_ActivityMemcpy5 *c, uint64_t first_ns) {
    struct timeline_row row = {.record = TIMELINE_MEMCPY,
                               .name = NAME_OF(directions, c->copyKind),
                               ACTIVITY(c),
                               .bytes = c->bytes,
                               .source = NAME_OF(memories, c->srcKind),
                               .target = NAME_OF(memories, c->dstKind)};
    write_from(first_ns, &row);
}

static void write_peer_copy(const CUpti_ActivityMemcpyPtoP4 *c, uint64_t first_ns) {
    char source[NAME_SIZE], target[NAME_SIZE];
    snprintf(source, sizeof source, "device:%u", c->srcDeviceId);
    snprintf(target, sizeof target, "device:%u", c->dstDeviceId);
    struct timeline_row row = {.record = TIMELINE_MEMCPY,
                               .name = "PtoP",
                               ACTIVITY(c),
                               .bytes = c->bytes,
                               .source = source,
                               .target = target};
    write_from(first_ns, &row);
}

static void write_fill(const CUpti_ActivityMemset4 *m, uint64_t first_ns) {
    struct timeline_row row = {.record = TIMELINE_MEMSET,
                               ACTIVITY(m),
                               .bytes = m->bytes,
                               .target = NAME_OF(memories, m->memoryKind)};
    write_from(first_ns, &row);
}

uint64_t record_thread(uint32_t id) {
    static uint32_t ids[MOST_THREADS];
    static int count;
    int i = 0;
    if (count == 0) ids[count++] = (uint32_t)getpid();
    while (i < count && ids[i] != id) i++;
    if (i == count && count < MOST_THREADS) ids[count++] = id;
    return (uint64_t)i + 1;
}

static void write_call(const CUpti_ActivityAPI *call, uint64_t first_ns) {
    char name[NAME_SIZE];
    bool runtime = call->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
    /* CUPTI names a function with the version that introduced it: cudaLaunchKernel_v7000,
     * cuDeviceTotalMem_v2. */
    const char *full = NULL;
    if (cuptiGetCallbackName((runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API),
                             call->cbid, &full) != CUPTI_SUCCESS ||
        !full)
        full = "unknown";
    const char *version = strstr(full, "_v");
    snprintf(name, NAME_SIZE, "%.*s", version ? (int)(version - full) : NAME_SIZE, full);
    if (strcmp(name, FOR_TOOLS) == 0) return;
    struct timeline_row row = {.record = TIMELINE_API,
                               .name = name,
                               .start_ns = call->start,
                               .end_ns = call->end,
                               .correlation = call->correlationId,
                               .thread = record_thread(call->threadId),
                               .status = (int)call->returnValue};
    write_from(first_ns, &row);
}

void record_write(const CUpti_Activity *record, uint64_t first_ns) {
    const void *whole = record;
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: write_kernel(whole, first_ns); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: write_copy(whole, first_ns); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2: write_peer_copy(whole, first_ns); break;
    case CUPTI_ACTIVITY_KIND_MEMSET: write_fill(whole, first_ns); break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: write_call(whole, first_ns); break;
    default: break;
    }
}
