/*
 * api/runtime.h: shared by the files of the runtime API.
 *
 * Kernels, copies and fills run under one lock, when modelled time (api/clock.h, time/work.h)
 * reaches them: the program waits for them, or asks whether they are done. A host that reads
 * earlier sees the old bytes. Calls about memory, graphs and whatever else streams know nothing of
 * have all that was given to streams run first, in the order of its calls, and so do those that
 * RT_CALL enters. A kernel that waits for a flag of the host runs at its launch, and goes on after
 * the launch has returned (api/launch/async_kernel.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The library exports the API only. */
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include "attributes.h"
#include "simt/decode/kernel.h"
#include "simt/device/current.h"
#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "simt/device/occupancy.h"
#include "simt/machine/launch.h"
#include "simt/machine/report.h"

#define MAX_THREADS_PER_BLOCK 1024
/* exported; no header of the toolkit declares it */
#define RT_PUBLIC __attribute__((visibility("default")))

struct fault;
struct image;
struct rt_capture;
struct rt_node;
struct rt_stream;
struct work;

/* ---- State (api/state.c) ---- */

/* Settings of the process, from the SIMT_* variables that bin/simt sets. They are constant after
 * the first call of the API. */
struct rt_settings {
    const struct gpu *gpu; /* that each device is */
    unsigned threads;      /* host threads for a kernel; 0: all cores */
    uint64_t sample;       /* SIMT_SAMPLE=N: blocks to run of a grid with more; 0: all */
    bool check;            /* SIMT_CHECK=1 */
    bool rerun;      /* SIMT_RERUN=1: run launches that repeat an earlier one, too (run/repeat.h) */
    bool timing;     /* not SIMT_NO_TIMING=1 */
    bool ptx_counts; /* SIMT_PTX_COUNTS: instructions as estimated from the PTX alone */
    uint32_t removed; /* --without: bits of time/without.h */
    bool quiet;       /* SIMT_QUIET=1: no hints about the program */
    bool count;       /* count events, for the time model or a profile */
};
extern struct rt_settings rt;

/* The body of an API function that was entered. Evaluates the expression unless there is an error,
 * stores and returns the error. */
#define RT_ENTERED(entered, expression)                                                            \
    do {                                                                                           \
        cudaError_t error_ = (entered);                                                            \
        return rt_leave(error_ ? error_ : (expression));                                           \
    } while (0)

/* The body of an API function, which has all work's effects and waits for all kernels beside the
 * host; of one that only does the former, or only the latter; of one that enqueues work in a
 * stream, or waits for it, which waits for kernels before that; of one that waits for none. */
#define RT_CALL(expression)                RT_ENTERED(rt_enter(__func__), expression)
#define RT_ACTING_CALL(expression)         RT_ENTERED(rt_enter_acting(__func__), expression)
#define RT_LATER_CALL(expression)          RT_ENTERED(rt_enter_later(__func__), expression)
#define RT_STREAM_CALL(stream, expression) RT_ENTERED(rt_enter_stream(__func__, stream), expression)
#define RT_BESIDE_CALL(expression)         RT_ENTERED(rt_enter_beside(__func__), expression)

/* The same for calls that query the device but do not use it: they work after a fault. */
#define RT_QUERY_ENTERED(entered, expression)                                                      \
    do {                                                                                           \
        cudaError_t error_ = (entered);                                                            \
        return rt_leave(error_ && error_ != rt_sticky() ? error_ : (expression));                  \
    } while (0)
#define RT_QUERY(expression)        RT_QUERY_ENTERED(rt_enter_later(__func__), expression)
#define RT_BESIDE_QUERY(expression) RT_QUERY_ENTERED(rt_enter_beside(__func__), expression)

/* What is known without a device: a call, and a query. */
#define RT_KNOWN_CALL(expression)  RT_ENTERED(rt_enter_known(__func__, true), expression)
#define RT_KNOWN_QUERY(expression) RT_QUERY_ENTERED(rt_enter_known(__func__, false), expression)

/* Stores the value for the caller. */
#define RT_SET(pointer, value)                                                                     \
    ((pointer) ? (*(pointer) = (value), cudaSuccess) : cudaErrorInvalidValue)

/* Begins a call of that API function, for the timeline; NULL: none. Takes the lock, starts the
 * simulator at the first call, waits for all kernels beside the host, and has the effects of all
 * work (work_act_all). From then until it releases the lock, the calling thread's device is
 * device_current(). Returns the error that every call must return now, if any; the lock is held in
 * any case. */
cudaError_t rt_enter(const char *function);
/* The same, but waits for no kernel. */
cudaError_t rt_enter_acting(const char *function);
/* The same, but leaves effects until their time, and waits for all kernels; only for what work of
 * the stream must wait for; for the event to be recorded; for nothing. */
cudaError_t rt_enter_later(const char *function);
cudaError_t rt_enter_stream(const char *function, cudaStream_t stream);
cudaError_t rt_enter_event(const char *function, cudaEvent_t event);
cudaError_t rt_enter_beside(const char *function);
/* rt_enter_acting, or rt_enter_beside, also for a process that can use no device any more. */
cudaError_t rt_enter_known(const char *function, bool acting);
/* Ends the call: stores error as the thread's last error, releases the lock, and returns error.
 * Success and cudaErrorNotReady are not stored. */
cudaError_t rt_leave(cudaError_t error);
/* The driver's function for which the thread calls the runtime's: the timeline has its name, and
 * its errors are not the runtime's last one. NULL: the program calls them itself. */
extern _Thread_local const char *rt_called_as;
/* Has the program called the runtime itself? Has the calling thread? */
bool rt_is_used(void);
bool rt_is_used_here(void);
/* Begin and end a call, in rt_enter and rt_leave (api/call.c). */
void rt_call_begin(const char *function);
void rt_call_end(cudaError_t error);
/* Release and take the lock, around code of the program. The lock goes with the default
 * floating-point environment. */
void rt_unlock(void);
void rt_lock(void);
/* Lets a thread have the lock that wants it, if there is one. Keeps the current device. */
void rt_give_way(void);

/* ---- Kernels beside the host (api/launch/async_kernel.c), and calls after them
 * (api/launch/deferred.c)
 * ---- */

/* Does a kernel run beside the host? */
bool rt_async_kernel_runs(void);
/* Waits until all have ended; those that work of the stream must wait for; until the event was
 * recorded. */
void rt_async_kernel_wait(void);
void rt_async_kernel_wait_stream(const struct rt_stream *stream);
void rt_async_kernel_wait_event(cudaEvent_t event);
/* Defers a call of an API function that enqueues work in a stream, if that must wait for a kernel:
 * call is made with a copy of the arguments (size bytes) when the kernel has ended. event: that it
 * records or waits for; NULL: none. Returns false if the caller must go on itself. Call it without
 * the lock. */
bool rt_async_kernel_defer(const char *function, cudaStream_t stream, cudaEvent_t event,
                           cudaError_t (*call)(const void *arguments), const void *arguments,
                           size_t size);
/* Does a kernel run beside the host, and are the arguments of a call wrong that it might defer?
 * Then the call returns the error of check at once. Call it without the lock. */
bool rt_async_kernel_refuses(cudaError_t (*check)(const void *arguments), const void *arguments);
/* As rt_async_kernel_defer, with the lock, for a call whose arguments were checked. A graph's
 * branch goes on. */
bool rt_async_kernel_defer_work(const char *function, const struct rt_stream *stream,
                                cudaError_t (*call)(const void *arguments), const void *arguments,
                                size_t size);
/* As this; a launch of that executable graph, which waits for its earlier launches, too. */
bool rt_async_kernel_defer_graph(const char *function, const struct rt_stream *stream,
                                 const void *graph, cudaError_t (*call)(const void *arguments),
                                 const void *arguments, size_t size);
/* The body of a deferred call. The timeline has the call that was deferred. */
#define RT_DEFERRED_CALL(stream, expression) RT_ENTERED(rt_enter_stream(NULL, stream), expression)
/* The event was recorded again, or is destroyed: deferred calls of it count for their order alone.
 * Call it with the lock. */
void rt_async_kernel_forget(cudaEvent_t event);
/* The event is to be recorded in the stream: if that waits for no kernel, a deferred record does
 * not count any more. Call it without the lock. */
void rt_async_kernel_record_anew(cudaEvent_t event, cudaStream_t stream);
/* Must work of the stream wait for a kernel beside the host? Is a record of the event deferred?
 * Call them without the lock. */
bool rt_async_kernel_busy(cudaStream_t stream);
bool rt_async_kernel_busy_event(cudaEvent_t event);

/* The runtime's version; an older one's is in api/older/older.c. */
extern int rt_cuda_version;

/* The calling thread's device. */
int rt_own_device(void);
/* Its bus. */
int rt_pci_bus(int device);
/* Makes the device the calling thread's, for this call and later ones. The lock is held. */
void rt_choose_device(int device);
/* Has the program chosen another device than the first? */
bool rt_devices_several(void);

/* ---- Errors (api/error.c) ---- */

/* Prints the report of a faulted kernel on stderr, counts it for --check, and keeps its error until
 * the program synchronises. */
void rt_fault(const struct fault *fault);
/* Has a kernel faulted? Then nothing may run any more. */
bool rt_faulted(void);
/* The program synchronises: a kept fault becomes the error of this call and every later one.
 * Returns it. */
cudaError_t rt_surface(void);
/* The error that every call returns since a fault surfaced; cudaSuccess: none. */
cudaError_t rt_sticky(void);
/* Sets the calling thread's last error. */
void rt_set_last_error(cudaError_t error);
/* Prints that `what` is not supported. Returns cudaErrorNotSupported. */
cudaError_t rt_unsupported(const char *what);

/* ---- cudaDeviceReset: each file frees what it keeps of the current device ---- */
void rt_streams_reset(void);
void rt_events_reset(void);
void rt_pinned_reset(void);
void rt_modules_reset(void);
void rt_limits_reset(void);
void rt_l2_reset(void); /* what the L2 holds: api/launch/launch.c */
/* Clears the kept fault. A device that a fault has stopped stays unavailable in this process, as an
 * H200 does. */
void rt_errors_reset(void);

/* ---- Streams (api/stream.c) ---- */

/* Nodes of a graph, each once. It starts zeroed. */
struct rt_nodes {
    cudaGraphNode_t *list;
    size_t count;
};

struct rt_stream {
    int device;
    unsigned long long id;
    unsigned flags;
    int priority;
    struct work *last;  /* its latest work; NULL: none */
    double expected_ns; /* modelled ns at which all its work would be done, if it were alone on the
                           device */
    uint64_t last_callback; /* ticket of its latest host function; 0: none */
    struct rt_attributes attributes;
    struct rt_capture *capture; /* to which it gives its work; NULL: to the device */
    struct rt_nodes latest;     /* in the capture: what its next node waits for */
    struct rt_node *tail;       /* while a graph is launched: the node that ran last in it */
    bool branch;                /* a graph's, not the program's */
    bool destroyed;             /* no handle any more: it goes when its work is done */
    struct rt_stream *sibling;  /* the graph's next branch */
    struct rt_stream *next;
};

/* The stream of a handle; NULL: an invalid handle, or no memory. NULL and the two named handles
 * mean the current device's stream. */
struct rt_stream *rt_stream(cudaStream_t handle);
/* Finds the stream that is to take work. Returns the error of an invalid handle, or why captures
 * forbid it. */
cudaError_t rt_stream_for_work(cudaStream_t handle, struct rt_stream **stream);
/* The priority that a stream gets which asks for that one. */
int rt_priority(int priority);
/* A stream for a branch of a graph that is launched, to be freed; NULL: no memory. */
struct rt_stream *rt_branch_new(int device);
void rt_branch_free(struct rt_stream *branch);
/* The stream's later work waits for that work (NULL: none) and for that host function. */
void rt_stream_after(struct rt_stream *stream, struct work *work, double expected_ns,
                     uint64_t callback);
/* The stream does nothing for that long, in modelled time. */
void rt_stream_pass(struct rt_stream *stream, double ns);
/* A device's legacy default stream. */
struct rt_stream *rt_legacy_stream(int device);
/* Calls visit for every stream of a device. */
void rt_each_stream(int device, void (*visit)(struct rt_stream *, void *), void *context);
/* Waits for the host functions before work on this stream. Returns false if a fault has stopped the
 * device: then nothing may run. */
bool rt_stream_turn(struct rt_stream *stream);
/* Does work of one stream wait for earlier work of the other? */
bool rt_streams_join(const struct rt_stream *one, const struct rt_stream *other);
/* Does the program use several streams, or devices? */
bool rt_streams_several(void);
/* The host waits for the stream, or for all streams of a device; kernels' printf output is flushed.
 * Returns the error to report. */
cudaError_t rt_synchronise(struct rt_stream *stream);
/* The same, but in modelled time the host does not wait. */
cudaError_t rt_catch_up(struct rt_stream *stream);
cudaError_t rt_synchronise_device(int device);
/* The stream's handle in a _ptsz or _ptds variant, where NULL means the thread's stream. */
#define RT_PER_THREAD(stream) ((stream) ? (stream) : cudaStreamPerThread)

/* ---- Host functions (api/callback.c) ---- */

/* cudaLaunchHostFunc. cost: the name in call_costs.def of what the function takes in its stream. */
cudaError_t rt_launch_host(cudaStream_t stream, cudaHostFn_t fn, void *data, const char *cost);
/* Queues fn(argument) for the callback thread, after earlier functions. Returns its ticket; 0: no
 * memory or no thread. */
uint64_t rt_callback_add(void (*fn)(void *), void *argument);
/* Has the host function of that ticket returned? */
bool rt_callback_done(uint64_t ticket);
/* Waits until it has returned. */
void rt_callback_wait(uint64_t ticket);
/* Is this the callback thread? Host functions may not call the API. */
bool rt_in_callback(void);

/* ---- Events (api/event.c) ---- */

/* cudaEventRecordWithFlags, cudaStreamWaitEvent. */
cudaError_t rt_event_record(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t rt_event_wait(cudaStream_t stream, cudaEvent_t event, unsigned flags);

/* ---- Modules and functions (api/launch/module.c, api/launch/register.c) ---- */

struct rt_module;

/* A __global__ function as the host knows it. */
struct rt_function {
    const void *host; /* address of its host stub */
    const char *name; /* mangled */
    struct rt_module *module;
    const struct ptx_function *entry; /* NULL until its module is resolved */
    struct kernel *kernel;            /* NULL until its first use */
    int registers, static_shared, constant_bytes;
    bool estimated;      /* its registers: no machine code tells them, so they refuse no launch */
    uint64_t code_bytes; /* bytes of machine code */
    int ptx_version, binary_version; /* 75 for sm_75 */
    bool suspect;           /* blocks of a launch of it may have raced: they are watched exactly */
    bool races;             /* blocks of a launch of it raced: they run in order from then on */
    int max_dynamic_shared; /* bytes, as cudaFuncSetAttribute left it */
    int carveout;           /* percent, -1: default */
    enum cudaFuncCache cache;
    struct rt_function *next; /* the module's next function */
};

/* Finds the function of a host stub or a cudaKernel_t, and makes it ready to launch. Returns
 * cudaErrorInvalidResourceHandle for any other address, or the error of loading its module. */
cudaError_t rt_function(const void *symbol, struct rt_function **function);
/* The PTX of that function, which tells its parameters; NULL: there is none, or its module is not
 * loaded yet. */
const struct ptx_function *rt_function_entry(const void *symbol);
/* Finds the device address and size in bytes of the variable that a host variable stands for.
 * Returns cudaErrorInvalidSymbol if it stands for none. */
cudaError_t rt_symbol(const void *symbol, uintptr_t *address, size_t *size);
/* The most threads of a block that the function can be launched with, by its launch bounds and
 * registers. */
int rt_function_max_threads(const struct rt_function *function);
/* Threads of a PTX bound on a block's shape (.maxntid, .reqntid); 0: no bound. */
uint64_t rt_bound(const uint32_t bound[3]);
/* The most threads of a block by .maxntid or .reqntid; without either MAX_THREADS_PER_BLOCK. */
int rt_bounded_threads(const struct ptx_function *entry);
/* The most dynamic shared memory in bytes that a launch may request now. */
int rt_function_dynamic_limit(const struct rt_function *function);
/* Registers per thread in a block of so many threads: an estimate is at most what the block leaves
 * each thread. */
int rt_function_registers(const struct rt_function *function, int block);
/* The function's data for the occupancy calculator, in blocks of so many threads. */
struct occupancy_kernel rt_occupancy_kernel(const struct rt_function *function, int block);
/* The attributes of a function that is ready to launch. */
struct cudaFuncAttributes rt_function_attributes(const struct rt_function *function);
/* Stores in *blocks how many blocks of `block` threads, with `dynamic` bytes of dynamic shared
 * memory, a multiprocessor holds at once. */
cudaError_t rt_function_active_blocks(int *blocks, const struct rt_function *function, int block,
                                      size_t dynamic, unsigned flags);
/* cudaDeviceGetAttribute and cudaDeviceGetLimit, without the lock. */
cudaError_t rt_device_attribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t rt_limit(size_t *value, enum cudaLimit limit);
/* cudaLimitStackSize, bytes per thread. */
uint64_t rt_stack_bytes(void);
/* cudaLimitMallocHeapSize, bytes. */
uint64_t rt_heap_bytes(void);
uint64_t rt_printf_bytes(void);

/* ---- Memory (api/memory/memory.c) ---- */

/* The kind of memory that a pointer of the program points to. */
enum rt_place {
    RT_HOST,
    RT_DEVICE,
    RT_BOTH /* managed or pinned */,
    RT_HEAP /* of malloc in kernels: the host may fill it, and not copy it, as on an H200 */,
    RT_INVALID /* runs over the end of an allocation, or was freed */
};
/* The place of size bytes at pointer. */
enum rt_place rt_place(const void *pointer, size_t size);
/* The device that owns memory of place RT_DEVICE; of other memory the current one. */
int rt_owner(const void *pointer);
/* Does the driver have to copy the memory at pointer to let a device reach it? */
bool rt_is_pageable(const void *pointer);
/* What the timeline calls the memory at pointer: "pageable", "device" and so on. peer: the memory
 * of a copy between devices, "device:1". */
const char *rt_memory_name(const void *pointer, bool peer);
/* Allocates size bytes; 0 gives NULL. Returns cudaErrorMemoryAllocation if the GPU or the host
 * lacks memory, and prints the latter. */
cudaError_t rt_allocate(void **pointer, size_t size, enum allocation_kind kind);
/* Waits for the device, then frees memory of cudaMalloc and its variants; NULL is allowed. */
cudaError_t rt_free(void *pointer);
/* Stores the flags with which pinned memory was allocated or registered. Returns false for other
 * memory. */
bool rt_pinned_flags(const void *pointer, unsigned *flags);

/* ---- Copies (api/memory/copy.c) ---- */

/* A box of bytes in memory: rows lie `pitch` bytes apart, layers `layer` bytes. Or one of texels,
 * in an array. */
struct rt_box {
    uintptr_t address; /* of an array: where its texels lie */
    size_t pitch, layer;
    const struct image *image; /* the array's, and where in it the box begins: byte x of row y of
                                  layer z; NULL: memory */
    size_t x, y, z;
};

/* Copies a box of depth layers of height rows of width bytes, in stream order; synchronous: the
 * host waits. Checks both sides against their allocations and kind, and returns CUDA's error. */
cudaError_t rt_copy_box(struct rt_box to, struct rt_box from, size_t width, size_t height,
                        size_t depth, enum cudaMemcpyKind kind, cudaStream_t stream,
                        bool synchronous);
/* cudaMemcpy3D and cudaMemcpy3DAsync. rt_copy_3d_check only checks, for a node of a graph. */
cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *copy, cudaStream_t stream, bool synchronous);
cudaError_t rt_copy_3d_check(const struct cudaMemcpy3DParms *copy);
/* The parameters of a copy of one line, also to and from a device variable. */
struct cudaMemcpy3DParms rt_line(void *to, const void *from, size_t count,
                                 enum cudaMemcpyKind kind);
cudaError_t rt_line_to_symbol(struct cudaMemcpy3DParms *copy, const void *symbol, const void *from,
                              size_t count, size_t offset, enum cudaMemcpyKind kind);
cudaError_t rt_line_from_symbol(struct cudaMemcpy3DParms *copy, void *to, const void *symbol,
                                size_t count, size_t offset, enum cudaMemcpyKind kind);
/* Fills rows of elements, in stream order. rt_fill_check only checks, for a node of a graph. */
cudaError_t rt_fill(const struct cudaMemsetParams *fill, cudaStream_t stream);
cudaError_t rt_fill_check(const struct cudaMemsetParams *fill);
/* Copies size bytes: a box of one row. */
cudaError_t rt_copy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                    cudaStream_t stream, bool synchronous);
