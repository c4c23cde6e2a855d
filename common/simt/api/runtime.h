/*
 * api/runtime.h: what the files of the runtime API share.
 *
 * Work runs at once, in the order the program enqueues it, under one lock. What a GPU does later is only reported
 * later: a kernel's fault is kept back until the program synchronises, and modelled time runs on clocks of its own
 * (api/clock.c). Only a kernel that waits for a flag of the host's goes on when its launch has returned (api/beside.c).
 */
#ifndef SIMT_API_RUNTIME_H
#define SIMT_API_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The API itself is the only thing that the library exports. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include "simt/decode/kernel.h"
#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "simt/device/occupancy.h"
#include "simt/machine/launch.h"
#include "simt/machine/report.h"

#define MAX_THREADS_PER_BLOCK 1024
#define RT_PUBLIC             __attribute__((visibility("default"))) /* entry points that no header of the toolkit declares */

struct fault;

/* ---- State (api/state.c) ---- */

/* Settings of the process, from the SIMT_* variables that bin/simt sets. Constant after the first call. */
struct rt_settings {
    const struct gpu *gpu;
    unsigned threads; /* host threads for a kernel; 0: all cores */
    bool check;       /* SIMT_CHECK=1 */
    bool timing;      /* not SIMT_NO_TIMING=1 */
    bool quiet;       /* SIMT_QUIET=1: no hints about the program */
    bool count;       /* somebody wants counters: the time model or a profile */
};
extern struct rt_settings rt;

/* Every API function is RT_CALL(what it does): take the lock, refuse where an earlier kernel has faulted, do it,
 * remember the error. */
#define RT_CALL(expression)                                                                                            \
    do {                                                                                                               \
        cudaError_t error_ = rt_enter();                                                                               \
        return rt_leave(error_ ? error_ : (expression));                                                               \
    } while (0)

/* The same for a call that asks about the device but does not use it: a fault does not stop that. */
#define RT_QUERY(expression)                                                                                           \
    do {                                                                                                               \
        cudaError_t error_ = rt_enter();                                                                               \
        return rt_leave(error_ && error_ != rt_sticky() ? error_ : (expression));                                      \
    } while (0)

/* Take the lock and start the simulator if it has not been; returns the error that every call must give, if there is
 * one. */
cudaError_t rt_enter(void);
/* Remember error as the thread's last one, give the lock back, return error. */
cudaError_t rt_leave(cudaError_t error);
/* Give the lock away and take it again, around code of the program's own. */
void rt_unlock(void);
void rt_lock(void);
/* Wait on a condition with the lock. */
void rt_wait(void *condition);

/* ---- A kernel beside the host (api/beside.c) ---- */

/* Does a kernel go on whose launch has returned? */
bool rt_beside_runs(void);
/* Wait until it has ended. */
void rt_beside_wait(void);

/* ---- Errors (api/error.c) ---- */

/* A kernel faulted: say so on stderr, and keep the error until something synchronises. */
void rt_fault(const struct fault *fault);
/* True once a kernel has faulted: nothing may run any more. */
bool rt_faulted(void);
/* The program synchronises: a fault kept back becomes the error of this and every later call. */
cudaError_t rt_surface(void);
cudaError_t rt_sticky(void);
void rt_set_last_error(cudaError_t error);
/* A call that simt does not have: says its name once, returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* ---- The end of the device (cudaDeviceReset): each room throws away what it keeps ---- */
void rt_streams_reset(void);
void rt_events_reset(void);
void rt_pinned_reset(void);
void rt_pools_reset(void);
void rt_modules_reset(void);
/* A device that a fault has stopped does not come back in this process: from then on it is unavailable (as an H200 is).
 */
void rt_errors_reset(void);

/* ---- Streams (api/stream.c) ---- */

struct rt_stream {
    unsigned long long id;
    unsigned flags;
    int priority;
    double ready_ns;        /* modelled time at which everything enqueued so far is done */
    uint64_t last_callback; /* ticket of its latest host function; 0: none */
    struct rt_stream *next;
};

/* The stream of a handle (NULL and the two named handles included), or NULL when there is no such stream. */
struct rt_stream *rt_stream(cudaStream_t handle);
struct rt_stream *rt_legacy_stream(void);
/* Call visit for every stream there is. */
void rt_each_stream(void (*visit)(struct rt_stream *, void *), void *context);
/* Enqueue on stream: wait for the host functions before it. False when a fault has stopped the device: then nothing
 * runs. */
bool rt_stream_turn(struct rt_stream *stream);
/* The host waits for the stream, or for all of them. Returns the error to report. */
cudaError_t rt_synchronise(struct rt_stream *stream);
cudaError_t rt_synchronise_all(void);
/* The handle that a _ptsz or _ptds variant means by a null stream. */
#define RT_PER_THREAD(stream) ((stream) ? (stream) : cudaStreamPerThread)

/* ---- Host functions (api/callback.c) ---- */

/* Have fn called on the callback thread after all before it; returns its ticket. */
uint64_t rt_callback_add(void (*fn)(void *), void *argument);
/* Has the host function of that ticket returned? */
bool rt_callback_done(uint64_t ticket);
void rt_callback_wait(uint64_t ticket);
/* Is this the callback thread? Host functions may not call the API. */
bool rt_in_callback(void);

/* ---- Modelled time (api/clock.c), in ns since the program started ---- */

enum rt_engine { RT_ENGINE_COMPUTE, RT_ENGINE_TO_DEVICE, RT_ENGINE_TO_HOST, RT_ENGINE_NONE };

/* Put work of that length on the stream's clock, at the earliest when the stream and the engine are free. share: the
 * part of the engine it fills, 0 to 1. Returns when it starts. */
double rt_clock_work(struct rt_stream *stream, enum rt_engine engine, double share, double ns);
/* When would work on the stream start? */
double rt_clock_next(struct rt_stream *stream);
/* The host has waited until then. */
void rt_clock_wait(double ns);
/* Does a host that asks, and does not wait, find work that ends then still under way? Once: when it asks again, it is
 * done, so that a host that asks until then does not ask for ever. */
bool rt_clock_busy(double ns);

/* ---- Modules and functions (api/module.c, api/register.c) ---- */

struct rt_module;

/* A __global__ function as the host knows it. */
struct rt_function {
    const void *host; /* address of its host stub */
    const char *name; /* mangled */
    struct rt_module *module;
    const struct ptx_function *entry; /* NULL until its module is loaded */
    struct kernel *kernel;            /* NULL until its first use */
    int registers, static_shared, constant_bytes;
    uint64_t code_bytes;             /* of machine code */
    int ptx_version, binary_version; /* 75 for sm_75 */
    int max_dynamic_shared;          /* bytes, as cudaFuncSetAttribute left it */
    int carveout;                    /* percent, -1: default */
    enum cudaFuncCache cache;
    struct rt_function *next; /* of its module */
};

/* The function of a host stub's address, or of a cudaKernel_t, loaded and ready to launch. Errors:
 * cudaErrorInvalidResourceHandle for any other address, and why its module cannot be loaded. */
cudaError_t rt_function(const void *symbol, struct rt_function **function);
/* Address and size of the device variable that a host variable stands for. */
cudaError_t rt_symbol(const void *symbol, uintptr_t *address, size_t *size);
/* Largest block that the function can be launched with: its launch bounds and its registers say. */
int rt_function_max_threads(const struct rt_function *function);
/* Threads that a bound of the PTX on a block's shape comes to; 0: it is none. */
uint64_t rt_bound(const uint32_t bound[3]);
/* Most threads of a block that the kernel was compiled for: .maxntid, .reqntid, or any. */
int rt_bounded_threads(const struct ptx_function *entry);
/* Most dynamic shared memory, in bytes, that a launch of it may ask for now. */
int rt_function_dynamic_limit(const struct rt_function *function);
/* What the occupancy calculator wants to know of it. */
struct occupancy_kernel rt_occupancy_kernel(const struct rt_function *function);
struct cudaFuncAttributes rt_function_attributes(const struct rt_function *function);
/* Blocks of it that a multiprocessor holds at once. */
cudaError_t rt_function_active_blocks(int *blocks, const struct rt_function *function, int block, size_t dynamic,
                                      unsigned flags);
cudaError_t rt_device_attribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t rt_limit(size_t *value, enum cudaLimit limit);
/* cudaLimitStackSize, bytes per thread. */
uint64_t rt_stack_bytes(void);
/* cudaLimitMallocHeapSize, bytes. */
uint64_t rt_heap_bytes(void);

/* ---- Memory (api/memory.c) ---- */

/* Where a pointer that the program passed points. */
enum rt_place {
    RT_HOST,
    RT_DEVICE,
    RT_BOTH /* managed or pinned */,
    RT_INVALID /* runs over the end of an allocation */
};
enum rt_place rt_place(const void *pointer, size_t size);
/* Allocate device memory, within the GPU's and the host's. */
cudaError_t rt_allocate(void **pointer, size_t size, enum allocation_kind kind);
cudaError_t rt_free(void *pointer);
/* Memory is being freed: if it was a pool's, it does not count there any more. */
void rt_pool_forget(uintptr_t address);
/* The flags that pinned memory was allocated or registered with; false if it is none. */
bool rt_pinned_flags(const void *pointer, unsigned *flags);

/* ---- Copies (api/copy.c) ---- */

/* A box of bytes in memory: rows of width bytes, pitch apart; layers of height rows, layer bytes apart. */
struct rt_box {
    uintptr_t address;
    size_t pitch, layer;
};

/* Copy a box, in stream order; synchronous: the host waits. Checks both sides against their allocations and kind. */
cudaError_t rt_copy_box(struct rt_box to, struct rt_box from, size_t width, size_t height, size_t depth,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool synchronous);
cudaError_t rt_copy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream,
                    bool synchronous);

#endif
