/* api/check.c: reports leaked device memory, and sets the exit status of a run with --check. */
#include "check.h"

#include "caller.h"
#include "lib/memory.h"
#include "runtime.h"
#include "simt/check/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_STATUS 1

static unsigned long errors;
static unsigned long leaks, heap_leaks;
static size_t leaked_bytes, heap_bytes;

void rt_check_count(void) {
    errors++;
}

enum copy_defect { OVERLAPS, WRONG_KIND, UNWRITTEN };

/* Was this told of a copy from here? From now on it was. */
static bool is_known(enum copy_defect defect, const void *caller) {
    static struct known {
        enum copy_defect defect;
        const void *caller;
    } * known;
    static size_t nknown;
    for (size_t i = 0; i < nknown; i++)
        if (known[i].caller == caller && known[i].defect == defect) return true;
    known = need(realloc(known, (nknown + 1) * sizeof *known));
    known[nknown++] = (struct known){defect, caller};
    return false;
}

void rt_check_overlap(const void *to, const void *from, size_t size) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from, distance = a < b ? b - a : a - b;
    if (!rt.check || !distance || distance >= size || is_known(OVERLAPS, rt_caller())) return;
    const char *function = rt_function_at(rt_caller());
    report_print(
        REPORT_HEAD
        "Error: a copy%s%s of %zu bytes has its target %zu bytes %s its source\n" REPORT_MORE
        "the ranges overlap, so the result is undefined\n",
        *function ? " in " : "", function, size, (size_t)distance, a < b ? "before" : "after");
    errors++;
}

void rt_check_kind(enum cudaMemcpyKind kind, const char *side, bool refused) {
    static const char *const NAMES[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                        "DeviceToDevice"};
    if (!rt.check || is_known(WRONG_KIND, rt_caller())) return;
    const char *function = rt_function_at(rt_caller());
    report_print(REPORT_HEAD "%s: a copy%s%s says cudaMemcpy%s, but its %s is the %s\n" REPORT_MORE
                             "%s invalid argument\n",
                 refused ? "Note" : "Error", *function ? " in " : "", function, NAMES[kind], side,
                 refused ? "host's" : "device's", refused ? "it returns" : "older systems return");
    errors += !refused;
}

void rt_check_unwritten(uintptr_t from, size_t size, const void *caller) {
    const struct allocation *in = memory_find(from, size);
    if (!rt.check || !in || is_known(UNWRITTEN, caller)) return;
    const char *function = rt_function_at(caller);
    report_print(REPORT_HEAD
                 "Error: a copy%s%s of %zu bytes to the host reads what nobody wrote\n" REPORT_MORE
                 "Address 0x%lx: byte %lu of the allocation at 0x%lx of size %zu bytes (allocation "
                 "%lu)\n",
                 *function ? " in " : "", function, size, (unsigned long)from,
                 (unsigned long)(from - in->address), (unsigned long)in->address, in->size,
                 (unsigned long)in->serial);
    errors++;
}

static void report_leak(const struct allocation *allocation, void *device) {
    if (allocation->device != *(int *)device) return;
    bool is_array = allocation->kind == ALLOC_ARRAY;
    if (allocation->kind == ALLOC_DEVICE_HEAP) heap_leaks++, heap_bytes += allocation->size;
    bool program_made_it =
        (is_array || allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_MANAGED) &&
        !allocation->name;
    if (!program_made_it) return;
    const char *function = rt_function_at(allocation->caller);
    report_print(REPORT_HEAD
                 "Leaked %zu bytes at 0x%lx (allocation %lu)%s%s: %s() gives them back\n",
                 allocation->size, (unsigned long)allocation->address,
                 (unsigned long)allocation->serial, *function ? ", allocated in " : "", function,
                 is_array       ? "cudaFreeArray"
                 : rt_is_used() ? "cudaFree"
                                : "cuMemFree");
    leaks++;
    leaked_bytes += allocation->size;
}

/* After a fault the program can free nothing, so nothing counts as leaked. */
void rt_check_leaks(int device) {
    heap_leaks = heap_bytes = 0;
    if (rt.check && !rt_faulted()) memory_each(report_leak, &device);
    if (!heap_leaks) return;
    report_print(REPORT_HEAD
                 "Leaked %zu bytes of the device's heap, in %lu allocations by kernels: "
                 "free() in a kernel gives them back\n",
                 heap_bytes, heap_leaks);
    errors++;
}

static int exit_status(void) {
    const char *given = getenv("SIMT_CHECK_STATUS");
    int status = given ? atoi(given) : 0;
    return status > 0 && status < 256 ? status : DEFAULT_STATUS;
}

void rt_check_report(void) {
    if (!rt.check) return;
    for (int device = 0; device < devices_count(); device++) rt_check_leaks(device);
    if (leaks)
        report_print(REPORT_HEAD "LEAK SUMMARY: %zu bytes leaked in %lu allocations\n",
                     leaked_bytes, leaks);
    unsigned long all = errors + leaks + check_defects();
    report_print(REPORT_HEAD "ERROR SUMMARY: %lu error%s\n", all, all == 1 ? "" : "s");
    if (!all) return;
    fflush(NULL);
    _exit(exit_status());
}
