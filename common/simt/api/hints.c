/*
 * api/hints.c: hints about a program's times and its races, most of them at its end:
 *
 *   - a program that times kernels by the CPU's clock (cpuSecond, gettimeofday) measures the
 *     simulation: the hint gives the modelled time. A program that measures with events gets
 *     modelled times anyway;
 *   - times of PTX alone are further from a GPU's than those of machine code: this hint stands in
 *     front of the first time that a program asks for, so that the program has the last word;
 *   - where blocks race, a GPU's results may be others, and may change from run to run.
 *
 * And what --sample did.
 */
#include "hints.h"

#include "lib/memory.h"
#include "runtime.h"
#include "simt/image/elf_probe.h"
#include "simt/run/profile.h"
#include "trust.h"

#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS 1e6

static unsigned long kernels; /* kernels that the host launched */
static double kernels_ns;     /* their modelled time */
static bool uses_events, ptx_alone_told;

void rt_hint_kernel(double ns) {
    kernels++;
    kernels_ns += ns;
}

void rt_hint_event(void) {
    uses_events = true;
}

static unsigned long sampled, whole; /* kernels of which a part was run, or all */

void rt_hint_sampled(bool is_sampled) {
    sampled += is_sampled;
    whole += !is_sampled;
}

void rt_sample_report(void) {
    if (!sampled) return;
    report_note(
        "--sample %llu: %lu kernel launch%s ran a part of their blocks, and %lu all. Counts and "
        "times of these "
        "are scaled up, and what these kernels wrote is not the result of their whole grids",
        (unsigned long long)rt.sample, sampled, sampled == 1 ? "" : "es", whole);
}

/* Kernels whose blocks raced, and how many bytes one block stored and another one accessed. */
static struct raced {
    const struct rt_function *function;
    uint64_t bytes;
} * raced;
static size_t nraced;

void rt_hint_races(const struct rt_function *function, uint64_t bytes) {
    raced = need(realloc(raced, (nraced + 1) * sizeof *raced));
    raced[nraced++] = (struct raced){function, bytes};
}

/* Returns how many kernels' blocks have raced so far, for a program that says so itself. */
RT_PUBLIC size_t simtRacedKernels(void);

size_t simtRacedKernels(void) {
    return nraced;
}

static void report_races(const struct raced *kernel) {
    char line[1024];
    struct text text = {line, sizeof line};
    text_name(&text, kernel->function->name);
    report_note("blocks of %s raced: a block accessed what another block stored, %llu bytes in the "
                "first such launch. A "
                "GPU may give any of several results; simt ran the blocks in order",
                line, (unsigned long long)kernel->bytes);
}

void rt_hint_elapsed(void) {
    if (!rt_trust_ptx_alone() || ptx_alone_told || rt.quiet) return;
    report_note("times are modelled, and instructions estimated, from PTX alone: the program has "
                "no machine code with line numbers; nvcc "
                "-lineinfo -gencode 'arch=compute_%d,code=[compute_%d,sm_%d%d]' puts it there",
                OLDEST_ARCH, OLDEST_ARCH, rt.gpu->cc_major, rt.gpu->cc_minor);
    ptx_alone_told = true;
}

static bool reads_clock(void) {
    struct elf_probe program;
    return elf_probe("/proc/self/exe", &program) && program.reads_clock;
}

void rt_hints_report(void) {
    if (!kernels || rt.quiet || rt_faulted()) return;
    for (size_t i = 0; i < nraced; i++) report_races(&raced[i]);
    bool clock = !uses_events && reads_clock();
    if (clock)
        report_note("this program reads the CPU's clock, which has the time of the simulation. "
                    "Modelled time of its "
                    "%lu kernel launch%s on %s: %.4f ms (labprof lists them; simt --quiet leaves "
                    "this line out)",
                    kernels, kernels == 1 ? "" : "es", rt.gpu->product, kernels_ns / NS_PER_MS);
    if (clock || uses_events || profile_is_open()) rt_hint_elapsed();
    if ((clock || uses_events) && rt_trust()) report_note("%s", rt_trust());
}
