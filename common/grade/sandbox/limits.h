/* limits.h: what a submission may use. */
#pragma once

#include "sandbox.h"

#define MIB ((size_t)1 << 20)

/* Limits of compiling, and of each run. Compiling a solution takes about a second of processor time
 * and 300 MiB; running it takes less. The wall-clock limits allow for a busy machine. */
static const struct sandbox_limits BUILD_LIMITS = {.seconds = 120,
                                                   .cpu_seconds = 20,
                                                   .memory = 2048 * MIB,
                                                   .address_space = 4096 * MIB,
                                                   .processes = 32,
                                                   .output = 1 * MIB,
                                                   .disk = 64 * MIB};

static const struct sandbox_limits RUN_LIMITS = {
    .seconds = 120,
    .cpu_seconds = 20,
    .memory = 2048 * MIB,
    .address_space = (size_t)-1, /* the simulator reserves far more address space than it uses */
    .processes = 32,
    .output = 1 * MIB,
    .disk = 16 * MIB};

/* Seconds of processor time after which the simulator stops a kernel of which no block has ended. A
 * block of a solution takes milliseconds. */
#define KERNEL_SECONDS "1"

enum {
    SUBMISSION_BYTES = 1 << 20, /* of a source file */
    ARCHIVE_BYTES = 64 << 20,   /* of a student's archive */
    SUBMISSION_LINES = 20000,
};
