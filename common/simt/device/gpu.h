/* device/gpu.h: the virtual GPUs, read from gpus.tsv. */
#ifndef SIMT_DEVICE_GPU_H
#define SIMT_DEVICE_GPU_H

#define WARP_SIZE 32 /* threads of a warp: its lanes */

#include <stddef.h>
#include <stdint.h>

/* One row of gpus.tsv. Every figure has its source in the table. Units are in the names. */
struct gpu {
    char name[32];    /* "h200": the word for --gpu and SIM_GPU */
    char product[64]; /* "NVIDIA H200" */
    int cc_major, cc_minor;
    int sms;
    int clock_mhz; /* boost clock of the multiprocessors */
    int memory_clock_mhz;
    int memory_bus_bits;
    double dram_gbs; /* peak, 1e9 bytes a second */
    uint64_t dram_bytes;
    uint64_t l2_bytes;
    double l2_bytes_per_cycle; /* whole chip */
    uint64_t l1_bytes;         /* unified L1 and shared memory per multiprocessor */
    uint64_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved_per_block;
    int registers_per_sm, registers_per_block;
    int threads_per_sm, blocks_per_sm;
    int schedulers_per_sm;
    int fp32_per_sm, fp64_per_sm, int32_per_sm, sfu_per_sm; /* lanes */
    int launch_ns;                                          /* kernel launch overhead as an event pair sees it */
    int dram_latency_cycles, l2_latency_cycles, l1_latency_cycles, shared_latency_cycles, alu_latency_cycles,
        barrier_latency_cycles;
    int async_engines;
    double pcie_gbs; /* host-device copies */
    /* What the time model needs beyond that; gpus.tsv says where the figures come from. */
    int kernel_ns;                            /* a kernel that does nothing, as a profiler times it */
    double dram_read_share, dram_write_share; /* parts of dram_gbs that streams reach, 0 to 1 */
    double l2_read_share;                     /* parts of l2_bytes_per_cycle: loads, */
    double l2_write_share, l2_partial_share;  /* stores of whole sectors, and of parts (32 bytes for each) */
    double l2_port_bytes;                     /* a cycle, between the L2 and one multiprocessor */
    int fp64_latency_cycles, sfu_latency_cycles, shuffle_latency_cycles;
    double atomic_cycles;         /* between two atomics on one address in the L2 */
    double block_dispatch_cycles; /* between two blocks leaving the dispatcher of the whole GPU */
    double block_start_cycles;    /* from a free place on a multiprocessor to a new block's first instruction */
    double warp_start_cycles;     /* between the starts of a block's warps */
    double barrier_warp_cycles;   /* that each warp adds to a barrier; barrier_latency_cycles is for one a scheduler */
    int l2_parts;                 /* parts of the L2 that each may keep a copy of the same data */
    double l2_lone_read_share, l2_lone_write_share; /* as l2_read_share, for one sector of a line */
    /* Launches by kernels (time/launch_tree.h), the time of an empty kernel included: */
    int nested_first_ns;   /* as the next, for a kernel's only launch */
    int nested_chain_ns;   /* from a launch to the end of the grid, where it need not wait */
    int nested_tail_ns;    /* the same for a tail launch, from the end of all that it comes after */
    int nested_in_turn_ns; /* from the end of one grid to that of the next in the same stream */
    int nested_at_once_ns; /* between two of many launches by the threads of a block */
    int nested_forget_ns;  /* and by many blocks, fire and forget */
    /* What the device's runtime reads from DRAM for them: */
    int nested_first_bytes;   /* for any at all */
    int nested_chain_bytes;   /* for each grid in a chain */
    int nested_in_turn_bytes; /* for each that waits in a stream */
    int nested_at_once_bytes; /* for each that waits for nothing */
    /* How long loads from DRAM take (time/dram.h): dram_latency_cycles is the mean where nothing else is under way. */
    int dram_spread_cycles;     /* how far that lies above the fastest */
    int dram_busy_wait_cycles;  /* what a load would wait more if the DRAM moved data all the time, */
    int dram_write_wait_cycles; /* and beyond that if it wrote all the time */
    int kernel_read_bytes; /* that a launch reads from DRAM beside data and code: parameters, and how to launch it */
};

/* The GPU of that name from gpus.tsv (found beside the library, or at SIMT_GPUS), or NULL with a message that lists the
 * names. */
const struct gpu *gpu_find(const char *name, char *error, size_t error_size);
/* All GPUs; count in *n. */
const struct gpu *gpu_all(int *n);

#endif
