/*
 * api/cpu_time.c: a hint for programs that time kernels by the CPU's clock (cpuSecond, gettimeofday): they measure the
 * simulation. At exit the hint gives the modelled time. A program that measures with events gets modelled times anyway.
 */
#include "cpu_time.h"

#include "runtime.h"
#include "simt/image/elf_probe.h"

#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS 1e6

static unsigned long kernels; /* kernels that the host launched */
static double kernels_ns;     /* their modelled time */
static bool uses_events;

void rt_cpu_time_kernel(double ns) {
    kernels++;
    kernels_ns += ns;
}

void rt_cpu_time_event(void) {
    uses_events = true;
}

static bool reads_clock(void) {
    struct elf_probe program;
    return elf_probe("/proc/self/exe", &program) && program.reads_clock;
}

void rt_cpu_time_report(void) {
    if (!kernels || uses_events || rt.quiet || rt_faulted() || !reads_clock()) return;
    report_note(
        "this program reads the CPU's clock, which has the time of the simulation. Modelled time of its %lu kernel "
        "launch%s on %s: %.4f ms (labprof lists them; simt --quiet leaves this line out)",
        kernels, kernels == 1 ? "" : "es", rt.gpu->product, kernels_ns / NS_PER_MS);
}
