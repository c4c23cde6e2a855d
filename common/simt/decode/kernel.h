/* decode/kernel.h: kernels for the runtime: prepared once, kept for the life of their module. */
#ifndef SIMT_DECODE_KERNEL_H
#define SIMT_DECODE_KERNEL_H

#include "simt/ptx/ptx.h"

struct gpu;
struct kernel;

/* Decode a kernel and everything it can call, and weigh its instructions as the GPU's compiler would. Never fails: what
 * is unsupported fails when reached. */
struct kernel *kernel_prepare(const struct ptx_function *entry, const struct gpu *gpu);
void kernel_free(struct kernel *kernel);

/* May it wait for what others write? Then it looks at memory in a loop, or takes tickets. */
bool kernel_may_wait(const struct kernel *kernel);
/* Static shared memory of a kernel in bytes (all .shared variables it can reach). */
uint32_t kernel_static_shared(const struct kernel *kernel);
/* About how many bytes of machine code a compiler would make of it. */
uint64_t kernel_code_bytes(const struct kernel *kernel);
/* Local memory per thread in bytes. */
uint32_t kernel_local_bytes(const struct kernel *kernel);

#endif
