/* device/gpu.h: the virtual GPUs, read from gpus.tsv. */
#pragma once

#define WARP_SIZE   32     /* threads of a warp: its lanes */
#define GPU_DEFAULT "h200" /* the GPU to be where nobody names one */
#define OLDEST_ARCH 75 /* that CUDA 13's nvcc compiles for; older virtual GPUs run its PTX too */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef char gpu_text[64];

/* One column of gpus.tsv. device/gpu.def says what each constant means, in which unit. */
struct gpu {
    char name[32]; /* "h200": the word for --gpu and SIM_GPU */
    bool measured; /* our programs measured some of its constants; false: all are published or
                      derived */
#define GPU_CONSTANT(type, name, unit, meaning) type name;
#include "gpu.def"
    int boost_mhz; /* its clock_mhz, where that is the base clock; else 0 */
};

/* The GPU of that name. gpus.tsv is read once: the file that SIMT_GPUS names, else the one beside
 * the library. NULL, with a message in error: the table cannot be read, or no GPU has that name;
 * then the message lists the names. */
const struct gpu *gpu_find(const char *name, char *error, size_t error_size);
/* The GPU at its base clock, to which ncu locks it; the same where that is not known. What lies
 * beyond the multiprocessors takes as long as before. */
const struct gpu *gpu_at_base(const struct gpu *gpu);
/* The newest PTX that it runs, in the form of .target: 90 for compute capability 9.0. */
int gpu_arch(const struct gpu *gpu);
/* All GPUs, their count in *n; 0 if the table cannot be read (gpu_find says why). */
const struct gpu *gpu_all(int *n);
