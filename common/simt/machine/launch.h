/*
 * machine/launch.h: a launch as the runtime asks for it, and what can go wrong in it.
 */
#ifndef SIMT_MACHINE_LAUNCH_H
#define SIMT_MACHINE_LAUNCH_H

#include "simt/device/counters.h"
#include "simt/device/launch_shape.h"
#include "simt/ptx/ptx.h"

struct gpu;
struct children;
struct recording;
struct repeat;
struct trace;
struct device_runtime;

struct kernel;

/* What can go wrong in a kernel. The values are those of cudaError_t, which api/error.c asserts. */
enum sim_error {
    SIM_ERROR_VALUE = 1,
    SIM_ERROR_MEMORY = 2,
    SIM_ERROR_PENDING_LAUNCHES =
        69,                 /* more launches by kernels wait than the device runtime has room for */
    SIM_ERROR_HANDLE = 400, /* no stream or event of the device runtime */
    SIM_ERROR_ILLEGAL_ADDRESS = 700,
    SIM_ERROR_TIMEOUT = 702,
    SIM_ERROR_ASSERT = 710,
    SIM_ERROR_MISALIGNED = 716,
    SIM_ERROR_ADDRESS_SPACE = 717, /* an atomic where there can be none */
    SIM_ERROR_PC = 718,            /* a call of no function */
    SIM_ERROR_LAUNCH = 719,        /* all else: the launch failed */
    SIM_ERROR_NOT_SUPPORTED = 801
};

/* A kernel that was stopped. */
struct fault {
    int error;         /* enum sim_error */
    char report[1024]; /* several lines: what, kernel, source line, thread, block, address,
                          allocation */
};

/* Blocks of a grid that raced (machine/races.h). */
struct race_report {
    uint64_t bytes; /* that one block stored and another one accessed; 0: no race */
    bool suspect;   /* it was not watched exactly, and blocks may have raced */
    bool undone;    /* memory is as before the launch, which has to run again: in order, and watched
                       exactly */
};

/* What a grid learns that only polls: no other kernel has done more since; one has; or one has
 * failed, and the grid must stop. */
enum idle { IDLE_ALONE, IDLE_MOVED, IDLE_STOP };

/* What the runtime asks of run/grid.c. The caller keeps all that it points to until kernel_launch()
 * returns. */
struct launch {
    const struct kernel *kernel;
    struct launch_shape shape;
    const void *params; /* the parameter block, kernel->param_bytes long, copied before return */
    const struct gpu *gpu;
    unsigned threads; /* host threads to use; 0: all cores */
    uint64_t sample;  /* blocks to run of a grid with more (run/sample.h); 0: all */
    /* theoretical, for %smid, spinning blocks and cooperative grids */
    uint32_t resident_blocks_per_sm;
    bool cooperative; /* all blocks resident at once; cooperative-groups grid barrier works */
    bool suspect;     /* watch blocks exactly for races */
    bool in_order;    /* run blocks one after the other: they are known to race */
    struct race_report *races; /* filled in; NULL: blocks are not watched for races */
    struct repeat *repeat;     /* takes what it touches (run/repeat.h); NULL: not wanted */
    bool count;                /* keep counters (false: results only) */
    bool check;                /* --check: races, uninitialised reads, divergent barriers */
    uint64_t stack_bytes;      /* cudaLimitStackSize, per thread */
    uint64_t heap_bytes;       /* cudaLimitMallocHeapSize; 0: CUDA's default */
    uint64_t printf_bytes;     /* cudaLimitPrintfFifoSize; 0: the least */
    unsigned depth;            /* 0: launched by the host, 1: by a kernel of the host's, ... */
    /* launches by kernels that are not over before this one is, its own among them */
    unsigned waiting;
    /* takes what its threads launch; with device_runtime, see machine/nested.h */
    struct children *children;
    const struct device_runtime *device_runtime;
    /* takes what one block does, for see/; NULL: another launch is recorded, or none */
    struct recording *see;
    struct source *source; /* takes what each instruction counts, for see/; NULL: not wanted */
    /* takes what some blocks do, for the time model; NULL: no time is wanted */
    struct trace *trace;
    /* Called on a worker's thread when the traced blocks have ended and others still run; or NULL.
     * footprint: the footprint if each array is touched from its first sector that was touched so
     * far to its last. */
    void (*traced)(void *argument, const struct counters *footprint);
    void *traced_argument;
    /* Called each time that all blocks have only looked at memory; or NULL. Other grids may run
     * meanwhile. worked: they did more since the last call. is_long: the host may go on. */
    enum idle (*idles)(bool worked, bool is_long);
    bool beside;         /* other grids may run before it has ended */
    uint64_t clock_base; /* modelled ns since start: base of %globaltimer */
};

#endif
