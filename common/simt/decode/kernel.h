/* decode/kernel.h: kernels for the runtime: prepared once, kept for the life of their module. */
#pragma once

#include "simt/ptx/ptx.h"

struct gpu;
struct isa;
struct kernel;

/* Decode a kernel and everything that it can call, and weigh its instructions as the GPU's compiler
 * would; isa_best() chooses the handlers. entry's module must be linked and analysed before
 * (ptx_link, ptx_analyse), and must outlive the kernel. Never fails: an unsupported instruction
 * raises a fault when a thread reaches it. */
struct kernel *kernel_prepare(const struct ptx_function *entry, const struct gpu *gpu,
                              const struct isa *isa);
void kernel_free(struct kernel *kernel);
/* Call visit with each instruction of the kernel, and of what it can call, that the simulator
 * lacks, and with the function that the instruction stands in. */
void kernel_each_lacking(const struct kernel *kernel,
                         void (*visit)(const struct ptx_function *function,
                                       const struct ptx_insn *insn, void *context),
                         void *context);

/* Kernels that need what the simulator lacks: how many they are, and where the first has it. */
struct lacking {
    int kernels;                                  /* 0: none */
    const struct ptx_function *kernel, *function; /* in which insn stands; the kernel calls it */
    const struct ptx_insn *insn;
};
/* What insn is called: the instruction as far as it can be read, and why it is refused; of a call,
 * the function. buffer may hold it. */
const char *lacking_name(const struct ptx_function *function, const struct ptx_insn *insn,
                         char *buffer, size_t size);
/* Look at all kernels of n units that are linked and analysed. */
struct lacking lacking_find(struct ptx_module *const *units, int n, const struct gpu *gpu,
                            const struct isa *isa);

/* May it wait for what other blocks or the host write (decode/block_order.c)? */
bool kernel_may_wait(const struct kernel *kernel);
/* Static shared memory of a kernel in bytes (all .shared variables it can reach). */
uint32_t kernel_static_shared(const struct kernel *kernel);
/* An estimate of its machine code in bytes: machine instructions times 16. */
uint64_t kernel_code_bytes(const struct kernel *kernel);
/* Local memory per thread in bytes: the entry's own, without that of the functions that it
 * calls. */
uint32_t kernel_local_bytes(const struct kernel *kernel);
