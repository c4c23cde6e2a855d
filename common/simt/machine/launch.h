/*
 * machine/launch.h: a launch, and what can go wrong in it.
 */
#pragma once

#include "simt/device/counters.h"
#include "simt/device/launch_shape.h"
#include "simt/device/occupancy.h"
#include "simt/ptx/ptx.h"

struct children;
struct device_runtime;
struct gpu;
struct kernel;
struct l2;
struct recording;
struct repeat;
struct replayed;
struct rt_function;
struct rt_nested;
struct rt_stream;
struct source;
struct timing;
struct trace;
struct watch;

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
    SIM_ERROR_ILLEGAL_INSTRUCTION = 715,
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

/* A launch, from its request to its row in the profile. Whoever makes it keeps all that it points
 * to until it has ended. */
struct launch {
    /* As it is asked for */
    struct rt_function *function;
    struct launch_shape shape;
    void **arguments;   /* one pointer each; NULL: params has them */
    const void *params; /* the parameter block, kernel->param_bytes long */
    struct rt_stream *stream;
    int stream_number;    /* as a profiler numbers it */
    uint64_t call;        /* its number (api/clock.h) */
    bool cooperative;     /* all blocks resident at once; cooperative-groups grid barrier works */
    bool by_chevrons;     /* <<<>>>, which drops the returned error */
    bool in_graph;        /* a node of a graph, launched with it */
    unsigned depth;       /* 0: launched by the host, 1: by a kernel of the host's, ... */
    unsigned waiting;     /* unfinished ancestor launches, including this one */
    unsigned long parent; /* number of the kernel that launched it; 0: the host */
    double later_ns; /* of a nested launch: modelled ns from the time at which its stream is free to
                        its start */

    /* As it is known before it runs */
    const struct kernel *kernel;
    const char *name; /* the kernel's, mangled */
    const struct gpu *gpu;
    size_t static_shared; /* bytes of a block */
    int registers;        /* of a thread */
    uint64_t code_bytes;  /* of the kernel's machine code */
    struct occupancy occupancy;
    bool deferred; /* it was given to its stream before it ran */

    /* How it is to run */
    unsigned threads;      /* host threads to use; 0: all cores */
    uint64_t sample;       /* blocks to run of a grid with more (run/sample.h); 0: all */
    bool suspect;          /* watch blocks exactly for races */
    bool in_order;         /* run blocks one after the other: they are known to race */
    bool count;            /* keep counters (false: results only) */
    bool check;            /* --check: races, uninitialised reads, divergent barriers */
    bool async;            /* other grids may run before it has ended */
    uint32_t removed;      /* bits of time/without.h: what the GPU does not have */
    uint64_t stack_bytes;  /* cudaLimitStackSize, per thread */
    uint64_t heap_bytes;   /* cudaLimitMallocHeapSize; 0: CUDA's default */
    uint64_t printf_bytes; /* cudaLimitPrintfFifoSize; 0: the least */
    uint64_t clock_base;   /* modelled ns since start: base of %globaltimer */
    const struct device_runtime *device_runtime; /* for its threads' launches, or NULL */
    /* Called each time that all blocks have only looked at memory; or NULL. Other grids may run
     * meanwhile. worked: they did more since the last call. is_long: the host may go on. */
    enum idle (*idles)(bool worked, bool is_long);
    /* Called on a worker's thread when the traced blocks have ended and others still run; or NULL.
     * footprint: the footprint if each array is touched from its first sector that was touched so
     * far to its last. */
    void (*traced)(struct launch *launch, const struct counters *footprint);

    /* What takes down what it does; NULL: not wanted */
    struct children *children; /* what its threads launch (machine/nested.h) */
    struct rt_nested *nested;  /* the same, as the runtime knows it */
    struct race_report *races;
    struct repeat *repeat;     /* what it touches (run/repeat.h) */
    struct recording *see;     /* what one block does, for see/ */
    struct watch *watch;       /* what its warps wait for (time/watch.h) */
    const struct l2 *l2;       /* what the L2 held before it; NULL: nothing (device/l2.h) */
    bool l2_near;              /* the launch before was the same one */
    struct source *source;     /* what each instruction counts, for see/ */
    double *insn_cycles;       /* by instruction of the kernel: see time/timing.h */
    struct trace *trace;       /* what some blocks do, for the time model */
    struct replayed *replayed; /* by timing_replay() while it still ran */

    /* Afterwards */
    unsigned long number;        /* of launches, from 1; 0: the next one */
    double l2_found;             /* sectors that it loaded from there */
    uint64_t sampled;            /* blocks that were run, of a grid with more; 0: all */
    const char *failure;         /* the name of the error that it ended with; NULL: none */
    struct counters counters;    /* with those of the launches by its threads */
    const struct timing *timing; /* the same; NULL: not modelled */
    double pages_ns;             /* of the time: pages of managed memory moved */
};
