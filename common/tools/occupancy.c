/* occupancy.c: NVIDIA's occupancy spreadsheet as a command: how many blocks of a kernel a
 * multiprocessor of a virtual GPU holds, what limits them, and how that changes with the size of
 * the block.
 *
 *   occupancy GPU REGISTERS THREADS SHARED     registers of a thread, threads and bytes of shared
 * memory of a block */
#include "simt/device/occupancy.h"
#include "lib/die.h"
#include "lib/residency.h"
#include "simt/device/gpu.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2 };

/* The argument as a whole number; ends the program if it is none from least to most. */
static int number(const char *name, const char *text, long least, long most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        die(EXIT_USAGE, "%s=%s: give a whole number from %ld to %ld", name, text, least, most);
    return (int)value;
}

/* Shared memory is dynamic, and the kernel has opted in to as much as it asks for. */
static struct occupancy find(const struct gpu *gpu, int registers, int threads, int shared) {
    struct occupancy found;
    struct occupancy_kernel kernel = {registers, 0, RESIDENCY_BLOCK, (size_t)shared, -1};
    occupancy_find(gpu, &kernel, threads, (size_t)shared,
                   &found); /* true: all arguments are positive */
    return found;
}

/* Where all places of warps are taken, registers may be as well: warps are named. */
static void put_row(int threads, const struct occupancy *found) {
    printf("%7d %7d %6d %9.0f %%  %s%s\n", threads, found->blocks_per_sm, found->warps_per_sm,
           100 * found->fraction, found->fraction >= 1 ? "warps" : found->limit,
           found->blocks_per_sm ? "" : ": CUDA refuses the launch");
}

int main(int argc, char **argv) {
    char error[1024];
    die_name = "occupancy";
    if (argc != 5) die(EXIT_USAGE, "four arguments are needed: GPU REGISTERS THREADS SHARED");
    const struct gpu *gpu = gpu_find(argv[1], error, sizeof error);
    if (!gpu) die(EXIT_USAGE, "%s", error);
    int registers = number("REGS", argv[2], 1, RESIDENCY_REGISTERS);
    int threads = number("THREADS", argv[3], 1, RESIDENCY_BLOCK);
    int shared = number("SHARED", argv[4], 0, (long)gpu->shared_per_block_optin);

    printf("A multiprocessor of an %s: %d warps, %d blocks, %d registers, %zu KB of shared memory\n"
           "A kernel: %d registers a thread, %d bytes of shared memory a block\n\n"
           "threads  blocks  warps  occupancy  limited by\n",
           gpu->product, gpu->threads_per_sm / WARP_SIZE, gpu->blocks_per_sm, gpu->registers_per_sm,
           (size_t)gpu->shared_per_sm / 1024, registers, shared);
    struct occupancy asked = find(gpu, registers, threads, shared);
    put_row(threads, &asked);
    printf("\nOther blocks:\n");
    for (int block = WARP_SIZE; block <= RESIDENCY_BLOCK; block *= 2) {
        struct occupancy found = find(gpu, registers, block, shared);
        put_row(block, &found);
    }
    return 0;
}
