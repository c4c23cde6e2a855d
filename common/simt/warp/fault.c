/*
 * warp/fault.c: what went wrong in a kernel, in compute-sanitizer's form: what, where in the
 * program, which thread, which address. Handlers call these from any host thread.
 *
 *   ========= Invalid __global__ write of size 4 bytes                              head of
 * stop_block()
 *   =========     at scale(float*, int) in scale.cu:12 fault_add_place()
 *   =========     by thread (7,0,0) in block (0,0,0)
 *   =========     Access to 0x7f0000001000 is out of bounds describe_address()
 *   =========     and is 1 byte after the nearest allocation at 0x... of size 4096 bytes
 * (allocation 3)
 */
#include "simt/device/current.h"
#include "simt/machine/report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER; /* guards grid->fault */

#define NULL_BYTES 65536 /* addresses below are a null pointer with an offset */
#define NEAR_BYTES                                                                                 \
    (1ull << 30) /* an allocation farther away has nothing to do with the address                  \
                  */

/* Where and who: the lines after the first one of every report. lane -1: no particular thread. */
static void fault_add_place(struct text *text, const struct warp *w, const struct op *op,
                            int lane) {
    const struct ptx_function *kernel = w->worker->kernel->entry;
    const struct launch_shape *shape = &w->worker->grid->launch->shape;
    text_add(text, REPORT_MORE "at ");
    text_place(text, kernel, w->frame ? w->frame->code->function : kernel, op ? op->insn : NULL);
    text_add(text, lane >= 0 ? "\n" REPORT_MORE "by " : "\n" REPORT_MORE "in ");
    if (lane >= 0) {
        text_thread(text, shape, w->index * WARP_SIZE + (uint32_t)lane);
        text_add(text, " in ");
    }
    text_block(text, shape, w->block->index);
    text_add(text, "\n");
}

/* Keep the fault of the lowest block: a run in block order would meet it first. The release store
 * makes the report visible to workers that then read fault_block. */
static void fault_keep(struct warp *w, int error, const char *report) {
    struct grid *grid = w->worker->grid;
    w->block->failed = true;
    pthread_mutex_lock(&fault_lock);
    if (w->block->index < grid->fault_block) {
        grid->fault->error = error;
        snprintf(grid->fault->report, sizeof grid->fault->report, "%s", report);
        __atomic_store_n(&grid->fault_block, w->block->index, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&fault_lock);
}

/* what: the first line, without its end; more: lines that follow place and thread, or "". */
static void fault_describe(struct text *text, const struct warp *w, const struct op *op, int lane,
                           const char *what, const char *more) {
    text_add(text, REPORT_HEAD "%s\n", what);
    fault_add_place(text, w, op, lane);
    text_add(text, "%s", more);
}

static const struct op *stop_block(struct warp *w, const struct op *op, int error, int lane,
                                   const char *what, const char *more) {
    char report[sizeof w->worker->grid->fault->report];
    struct text text = {report, sizeof report};
    fault_describe(&text, w, op, lane, what, more);
    fault_keep(w, error, report);
    return NULL;
}

/* Stop the block at op with a sentence, and perhaps lines to follow place and thread. lane -1: no
 * particular thread. Returns NULL, which ends the warp's turn. */
const struct op *fault_raise(struct warp *w, const struct op *op, int error, int lane,
                             const char *format, ...) {
    char what[sizeof w->worker->grid->fault->report];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    char *more = strchr(what, '\n');
    if (more) *more++ = 0;
    return stop_block(w, op, error, lane, what, more ? more : "");
}

/* Ending of a counted noun. */
static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* An address farther from every allocation is not taken for an overrun of one. */
#define OVERRUN_BYTES (64u << 10)

/* Is the address inside the allocation or at most OVERRUN_BYTES from it? */
static bool is_near(const struct allocation *allocation, uint64_t address) {
    return address + OVERRUN_BYTES >= allocation->address &&
           address < allocation->address + allocation->size + OVERRUN_BYTES;
}

/* Can the host read there? Then a kernel was given a host pointer. The system call fails where a
 * load would crash. */
static bool is_host_memory(uint64_t address) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

/* Bytes between the address and the allocation; 0: inside. */
static uint64_t fault_distance(const struct allocation *a, uint64_t address) {
    uint64_t end = a->address + a->size;
    return address < a->address ? a->address - address : address > end ? address - end : 0;
}

/* "and is 1 byte after the nearest allocation at 0x... of size 4096 bytes (allocation 3)": the
 * first byte after the end is 1 after it. */
static void describe_nearest(struct text *text, const struct allocation *near, bool freed,
                             uint64_t address) {
    uint64_t end = near->address + near->size, before = near->address - address,
             past = address - end + 1;
    text_add(text, REPORT_MORE "and is ");
    if (address < near->address)
        text_add(text, "%llu byte%s before", (unsigned long long)before, plural(before));
    else if (address >= end)
        text_add(text, "%llu byte%s after", (unsigned long long)past, plural(past));
    else
        text_add(text, "inside");
    text_add(text, " the nearest allocation at 0x%llx of size %zu byte%s",
             (unsigned long long)near->address, near->size, plural(near->size));
    if (near->name)
        text_add(text, " (variable %s)\n", near->name);
    else
        text_add(text, " (allocation %llu%s)\n", (unsigned long long)near->serial,
                 freed ? ", which was freed" : "");
}

/* What a bad global address may have been meant to be: null, a host pointer, or one near an
 * allocation. what: "out of bounds" ... */
static void describe_global(struct text *text, uint64_t address, const char *what) {
    bool freed;
    const struct allocation *near = memory_nearest(address, &freed);
    text_add(text, REPORT_MORE "Access to 0x%llx is %s", (unsigned long long)address, what);
    if (near && !freed && !fault_distance(near, address) && !memory_reached(near)) {
        text_add(
            text,
            ": memory of device %d. Device %d reaches it after cudaDeviceEnablePeerAccess(%d, 0)\n",
            near->device, device_current(), near->device);
    } else if (address == 0) {
        text_add(text, ": a null pointer\n");
    } else if (address < NULL_BYTES) {
        text_add(text, ": a null pointer plus %llu\n", (unsigned long long)address);
    } else if (!(near && is_near(near, address)) && is_host_memory(address)) {
        text_add(text, ": the host's memory, which kernels cannot reach: copy it to memory of "
                       "cudaMalloc, or use "
                       "cudaMallocManaged\n");
    } else if (!near || fault_distance(near, address) > NEAR_BYTES) {
        text_add(text, ": far from every allocation\n");
    } else {
        text_add(text, "\n");
        describe_nearest(text, near, freed, address);
    }
}

/* The access in words, from its PTX instruction. */
static const char *access_verb(const struct op *op) {
    switch (ptx_kind(op->insn)) {
    case PTX_KIND_STORE: return "write";
    case PTX_KIND_ATOMIC: return "atomic";
    default: return "read";
    }
}

#define CLUSTER_SHIFT 24 /* the bits above say in which block of a cluster: exec/alu.def, mapa */

/* Is it in the shared memory of another block? */
static bool is_elsewhere(uint64_t address) {
    return (address & WINDOW_MASK) == SHARED_WINDOW && (uint32_t)address >> CLUSTER_SHIFT;
}

/* The line about the address, by its space. what: "out of bounds", "misaligned" or another of
 * fault_access(). */
static void describe_address(struct text *text, const struct warp *w, uint64_t address,
                             const char *what) {
    unsigned long long offset = address & ~WINDOW_MASK;
    switch (address & WINDOW_MASK) {
    case SHARED_WINDOW:
        if (is_elsewhere(address)) {
            text_add(text,
                     REPORT_MORE "Access to 0x%llx is in block %llu of a cluster of one block\n",
                     offset, offset >> CLUSTER_SHIFT);
            break;
        }
        text_add(text,
                 REPORT_MORE "Access to 0x%llx is %s in the block's %u bytes of shared memory%s\n",
                 offset, what, w->worker->shared_bytes - w->worker->first_shared,
                 w->worker->first_shared ? ", which begin at 0x400" : "");
        break;
    case LOCAL_WINDOW:
        text_add(text,
                 REPORT_MORE "Access to 0x%llx is %s in the thread's %u bytes of local memory\n",
                 offset, what, w->worker->local_stride);
        break;
    case PARAM_WINDOW:
        text_add(text, REPORT_MORE "Access to 0x%llx is %s in the kernel's parameters\n", offset,
                 what);
        break;
    default: describe_global(text, address, what);
    }
}

/* The space of a generic address, as CUDA C++ names it. */
static const char *space_of_window(uint64_t address) {
    switch (address & WINDOW_MASK) {
    case SHARED_WINDOW: return "__shared__";
    case LOCAL_WINDOW: return "__local__";
    case PARAM_WINDOW: return "parameter";
    default: return "__global__";
    }
}

/* The error code of an access that failed for this reason. */
static int access_error(uint64_t address, const char *what) {
    if (strcmp(what, "misaligned") == 0) return SIM_ERROR_MISALIGNED;
    if (is_elsewhere(address)) return SIM_ERROR_ILLEGAL_INSTRUCTION;
    return strcmp(what, "atomic") == 0 ? SIM_ERROR_ADDRESS_SPACE : SIM_ERROR_ILLEGAL_ADDRESS;
}

/* Report an access that is not allowed, at a generic address. what: "misaligned", "out of bounds",
 * "constant" or "atomic". Always NULL, which ends the warp's turn. */
const struct op *fault_access(struct warp *w, const struct op *op, int lane, uint64_t address,
                              uint32_t size, const char *what) {
    char head[128], more[256];
    struct text text = {more, sizeof more};
    bool constant = strcmp(what, "constant") == 0, atomic = strcmp(what, "atomic") == 0;
    snprintf(head, sizeof head, "Invalid %s %s of size %u byte%s",
             constant ? "__constant__" : space_of_window(address), access_verb(op), size,
             plural(size));
    describe_address(&text, w, address,
                     constant ? "read-only"
                     : atomic ? "where no atomic can be"
                              : what);
    return stop_block(w, op, access_error(address, what), lane, head, more);
}

/* Report, for the first access alone, that one is out of bounds but passes (memory_overrun). */
void fault_passed(const struct warp *w, const struct op *op, int lane, uint64_t address,
                  uint32_t size) {
    static bool reported;
    char head[128], more[256], report[1024];
    struct text more_text = {more, sizeof more}, text = {report, sizeof report};
    if (__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED)) return;
    snprintf(head, sizeof head, "Invalid %s %s of size %u byte%s, which passes as on a GPU",
             space_of_window(address), access_verb(op), size, plural(size));
    describe_global(&more_text, address, "out of bounds");
    fault_describe(&text, w, op, lane, head, more);
    report_print("%s", report);
}

/* Blocks before the failed one go on: one of them may hold the fault to report. */
bool fault_stops(const struct block *block) {
    return block->failed ||
           __atomic_load_n(&block->worker->grid->fault_block, __ATOMIC_ACQUIRE) <= block->index;
}
