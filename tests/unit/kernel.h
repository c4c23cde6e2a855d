/*
 * kernel.h: run PTX written in a test. A program is the text after .address_size; its kernel is
 * named k.
 */
#pragma once

#include "simt/decode/kernel.h"
#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "simt/machine/isa.h"
#include "simt/machine/variables.h"
#include "simt/run/grid.h"
#include "unit.h"

/* All that preparing a kernel asks of a GPU. */
static const struct gpu kernel_gpu = {.cc_major = 7, .cc_minor = 5};

struct run {
    struct ptx_module *module;
    struct kernel *kernel;
    struct launch launch;
    struct counters counters;
    struct fault fault;
};

/* target: what .target says. */
static inline void run_open_for(struct run *run, const char *target, const struct gpu *gpu,
                                const char *body) {
    char error[256] = "", *text = malloc(strlen(target) + strlen(body) + 64);
    memset(run, 0, sizeof *run);
    sprintf(text, ".version 8.0\n.target %s\n.address_size 64\n%s", target, body);
    run->module = ptx_parse(text, strlen(text), error, sizeof error);
    free(text);
    if (!run->module) fail_msg("%s", error);
    assert_true(ptx_link(&run->module, 1, error, sizeof error));
    ptx_analyse(run->module);
    assert_true(module_instantiate(run->module));
    for (int32_t i = 0; i < run->module->nfunctions; i++)
        if (strcmp(run->module->functions[i].name, "k") == 0)
            run->kernel = kernel_prepare(&run->module->functions[i], gpu, isa_best());
    run->launch = (struct launch){.kernel = run->kernel,
                                  .shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}},
                                  .threads = 1,
                                  .occupancy = {.blocks_per_sm = 16},
                                  .count = true};
}

static inline void run_open(struct run *run, const char *body) {
    run_open_for(run, "sm_75", &kernel_gpu, body);
}

/* One parameter: a pointer. */
static inline bool run_with(struct run *run, uint32_t grid, uint32_t block, uintptr_t pointer) {
    run->launch.shape.grid[0] = grid;
    run->launch.shape.block[0] = block;
    run->launch.params = &pointer;
    run->fault = (struct fault){0};
    return kernel_launch(&run->launch, &run->counters, &run->fault);
}

static inline void run_close(struct run *run) {
    kernel_free(run->kernel);
    ptx_free(run->module);
}

static inline void *host(const struct allocation *a) {
    return (void *)(a->address + (uintptr_t)a->delta);
}

/* A device buffer of zeros. A large one has them already, and most pages of it are never touched.
 */
static inline struct allocation *zeros(size_t bytes) {
    struct allocation *a = memory_allocate(bytes, ALLOC_DEVICE, NULL);
    assert_non_null(a);
    if (bytes < 2 << 20) memset(host(a), 0, bytes);
    return a;
}

/* The fault's text must say each of these. */
static inline void assert_says(const struct fault *fault, const char *what) {
    if (!strstr(fault->report, what)) fail_msg("\"%s\" is not in:\n%s", what, fault->report);
}

/* Kernels begin so: %rd0 the pointer, %r0 the thread, %r1 the block, %rd1 the address of word
 * thread + block * threads.
 */
#define KERNEL                                                                                     \
    ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 "       \
    "%r<64>;\n"                                                                                    \
    ".reg .f32 %f<16>;\n.reg .b64 %rd<32>;\n.reg .f64 %d<16>;\n"                                   \
    "ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, "         \
    "%ntid.x;\n"                                                                                   \
    "mad.lo.s32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %rd2, %r3, 4;\nadd.s64 %rd1, %rd0, %rd2;\n"
#define STORE(reg) "st.global.u32 [%rd1], " reg ";\n"
#define END        "ret;\n}\n"
