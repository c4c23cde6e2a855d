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
static unsigned long leaks;
static size_t leaked_bytes;

void rt_check_count(void) {
    errors++;
}

/* Was a copy from here told of? From now on it was. */
static bool is_known(const void *caller) {
    static const void **known;
    static size_t nknown;
    for (size_t i = 0; i < nknown; i++)
        if (known[i] == caller) return true;
    known = need(realloc(known, (nknown + 1) * sizeof *known));
    known[nknown++] = caller;
    return false;
}

void rt_check_overlap(const void *to, const void *from, size_t size) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from, distance = a < b ? b - a : a - b;
    if (!rt.check || !distance || distance >= size || is_known(rt_caller())) return;
    const char *function = rt_function_at(rt_caller());
    report_print(
        REPORT_HEAD
        "Error: a copy%s%s of %zu bytes has its target %zu bytes %s its source\n" REPORT_MORE
        "the ranges overlap, so the result is undefined\n",
        *function ? " in " : "", function, size, (size_t)distance, a < b ? "before" : "after");
    errors++;
}

void rt_check_kind(enum cudaMemcpyKind kind, const char *side) {
    static const char *const NAMES[] = {"HostToHost", "HostToDevice", "DeviceToHost"};
    if (!rt.check || is_known(rt_caller())) return;
    const char *function = rt_function_at(rt_caller());
    report_print(REPORT_HEAD
                 "Error: a copy%s%s says cudaMemcpy%s, but its %s is the device's\n" REPORT_MORE
                 "older systems return invalid argument\n",
                 *function ? " in " : "", function, NAMES[kind], side);
    errors++;
}

static void report_leak(const struct allocation *allocation, void *device) {
    if (allocation->device != *(int *)device) return;
    bool is_array = allocation->kind == ALLOC_ARRAY;
    bool program_made_it =
        (is_array || allocation->kind == ALLOC_DEVICE || allocation->kind == ALLOC_MANAGED) &&
        !allocation->name;
    if (!program_made_it) return;
    const char *function = rt_function_at(allocation->caller);
    report_print(
        REPORT_HEAD "Leaked %zu bytes at 0x%lx (allocation %lu)%s%s: %s() gives them back\n",
        allocation->size, (unsigned long)allocation->address, (unsigned long)allocation->serial,
        *function ? ", allocated in " : "", function, is_array ? "cudaFreeArray" : "cudaFree");
    leaks++;
    leaked_bytes += allocation->size;
}

/* After a fault the program can free nothing, so nothing counts as leaked. */
void rt_check_leaks(int device) {
    if (rt.check && !rt_faulted()) memory_each(report_leak, &device);
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
