/* process.h: students' code for the CPU runs apart from the code that judges it.
 *
 * A lab's program becomes two programs. The judge is the instructor's program, without any line of
 * the student. Where the lab calls a function whose body is a student's region, the judge asks the
 * student's process. The student's program has these functions and nothing else.
 *
 *      judge                                 student's process
 *      sizes, seeds, answers, clock,         the functions; no descriptor, no environment
 *      the way to the grader, the GPU
 *
 *        inputs   (written) -----------------> (read; sealed: no call makes them writable)
 *        outputs  (poisoned, read) <---------> (written)
 *        copied   (written)                    no access: copies and kernels alone read them
 *        struct turn <-----------------------> struct turn
 *
 *      fills in a call, lets it run --------->  runs
 *      waits                                    ...
 *      reads what it wants       <------------  sched_yield(): the kernel stops it here, until
 *                                               its next turn
 *
 *          TURN_DONE                 the function has returned
 *          TURN_LAUNCH, TURN_CALL    please launch this kernel, or make this call of the CUDA
 *                                    runtime, and let me go on
 *
 * The two processes take turns. The judge traces the student's process (ptrace), and touches shared
 * memory only while that process is stopped. So results cannot change while they are judged, and
 * the judge's clock measures the call. A seccomp filter, set before the student's first instruction
 * and never removed, allows memory, clocks and exit; any other system call fails with EPERM. The
 * process cannot open a file, start a thread or a process, send a signal, sleep or wait. At four
 * calls it stops for the judge to check: execve (once), the yield, mapping a descriptor (each of
 * the two areas once), and mprotect.
 *
 * A call of the runtime gives the judge numbers: addresses on the device, numbers of streams and
 * events that it has made for the process, and addresses on the host. It copies from and to the
 * host only what the process itself could read or write: an array in the outputs directly, all else
 * through the system (process_vm_readv).
 *
 * To judge the order of accesses (harness/pages.h), the student's process itself closes and opens
 * the pages of one array by mprotect. The judge counts the faults. It ends the process if the
 * process opens another page than that of its last fault, or more than two pages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses of the two shared areas in both processes, and the descriptors that the student's
 * program gets for them. The program's only argument is the size of one area in bytes. The turn
 * lies in the first page of the outputs. */
#define STUDENT_INPUTS  ((char *)0x100000000000)
#define STUDENT_OUTPUTS ((char *)0x200000000000)
#define STUDENT_COPIED  ((char *)0x300000000000) /* in the judge only */
enum { STUDENT_INPUTS_FD = 3, STUDENT_OUTPUTS_FD = 4, TURN_WORDS = 8, TURN_BYTES = 4096 };

/* The student's program, relative to the judge's working folder. */
#define STUDENT_PROGRAM "../grade/student"

enum turn_want { TURN_DONE, TURN_LAUNCH, TURN_CALL };

/* The calls of TURN_CALL: cudaX is STUDENT_X. */
/* clang-format off */
enum student_runtime {
    STUDENT_DeviceCanAccessPeer, STUDENT_DeviceEnablePeerAccess,
    STUDENT_DeviceGetStreamPriorityRange, STUDENT_DeviceSynchronize, STUDENT_EventCreateWithFlags,
    STUDENT_EventDestroy, STUDENT_EventElapsedTime, STUDENT_EventQuery, STUDENT_EventRecord,
    STUDENT_EventSynchronize, STUDENT_Free, STUDENT_FreeAsync, STUDENT_FreeHost,
    STUDENT_GetDevice, STUDENT_GetDeviceCount, STUDENT_GetDeviceProperties, STUDENT_HostAlloc,
    STUDENT_HostGetDevicePointer, STUDENT_Malloc, STUDENT_MallocAsync, STUDENT_MallocManaged,
    STUDENT_Memcpy, STUDENT_Memcpy2D, STUDENT_Memcpy2DAsync, STUDENT_MemcpyAsync,
    STUDENT_MemcpyPeer, STUDENT_MemcpyPeerAsync, STUDENT_Memset, STUDENT_MemsetAsync,
    STUDENT_SetDevice, STUDENT_StreamCreateWithPriority, STUDENT_StreamDestroy,
    STUDENT_StreamGetPriority, STUDENT_StreamQuery, STUDENT_StreamSynchronize,
    STUDENT_StreamWaitEvent,
};
/* clang-format on */

/* One call, or one request for the GPU. */
struct turn {
    /* From the judge. */
    uint32_t step;              /* number of the function to call */
    uint64_t words[TURN_WORDS]; /* the function's arguments */
    uint64_t watch_begin, watch_bytes,
        watch_changes; /* the array whose pages are watched, and the count of changes
                          after which all open; 0 bytes: none */
    int32_t answer;    /* a cudaError_t */
    uint64_t value;    /* what the call gives besides: a pointer, a number, a float */
    /* From the student's process. */
    uint32_t want;   /* an enum turn_want */
    uint64_t result; /* TURN_DONE: what the function returned */
    int32_t todo;    /* TURN_DONE: line of the TODO that the function reached; 0: none */
    uint32_t
        kernel; /* TURN_LAUNCH: number of the lab's kernel; TURN_CALL: an enum student_runtime */
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t stream; /* TURN_LAUNCH: number of the stream, or one of CUDA's own (studentStream) */
    uint64_t arguments[TURN_WORDS]; /* of the kernel or of the call */
};

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The judge's side (process.c) ---- */

/* Has the student's process call function number `step` with n words (at most TURN_WORDS), and
 * waits for it. Returns the function's result as a word, and stores the line of its TODO, or 0, in
 * *todo. If the process ends or breaks a rule, the judge ends too, with a message that begins with
 * the name. */
uint64_t student_call(uint32_t step, const char *name, const uint64_t *words, size_t n, int *todo);

/* Allocates bytes for an array that the functions read (input) or write (output), or whose address
 * alone they pass on (copied), from a page's start. Returns NULL if the area is full. The memory
 * comes back when the last array is freed. */
void *student_input(size_t bytes);
void *student_output(size_t bytes);
void *student_copied(size_t bytes);
void student_free(const void *array);

/* Are these bytes in the outputs, where both processes may write? Are they in any area, so that the
 * judge reads them itself? */
bool student_is_output(const void *array, size_t bytes);
bool student_is_here(const void *array, size_t bytes);
/* Copies bytes from the student's process to `to`, or from `from` to the process, as far as the
 * process itself may read or write there. Returns false if it may not. */
bool student_read(void *to, const void *from, size_t bytes);
bool student_write(void *to, const void *from, size_t bytes);

/* Watches this input's pages in the calls that follow; after `changes` changes all pages open.
 * bytes is in whole pages; 0: watches none. */
void student_watch(const void *array, size_t bytes, size_t changes);
/* Page changes counted in the last call; 0 if the judge's code went through the array. */
size_t student_changes(void);

/* What the judge does on the GPU for the student's process: launch a kernel, make a call of the
 * runtime, which may give a value. Both return a cudaError_t. error_text returns the error's
 * description. */
struct student_gpu {
    int (*launch)(const struct turn *turn);
    int (*call)(const struct turn *turn, uint64_t *value);
    const char *(*error_text)(int error);
};
extern const struct student_gpu student_gpu;

/* ---- Counts (counts.c) ---- */

/* What the judge counts of the calls that succeed:
 *
 *     asked                              how often it has called a function
 *     kernels, threads                   launches, and their threads
 *     streams, devices                   streams and devices with a launch
 *     copies_to_device, bytes_to_device  copies from the host to the device; the same to the host
 *     copies_at_once                     copies in a stream, for which the host does not wait
 *     copies_of_peers                    copies from device to device by cudaMemcpyPeer
 *     turns                              changes between copies to the device, kernels, and copies
 *                                        to the host
 *     allocations, frees                 of memory on the device
 *     pinned, managed                    allocations of these
 *     times                              read from events
 *     unawaited                          calls of functions that ended before the host had waited
 *                                        for their streams */
#define STUDENT_COUNTERS(X)                                                                        \
    X(asked)                                                                                       \
    X(kernels)                                                                                     \
    X(threads)                                                                                     \
    X(streams)                                                                                     \
    X(devices)                                                                                     \
    X(copies_to_device)                                                                            \
    X(bytes_to_device)                                                                             \
    X(copies_to_host)                                                                              \
    X(bytes_to_host)                                                                               \
    X(copies_at_once)                                                                              \
    X(copies_of_peers)                                                                             \
    X(turns)                                                                                       \
    X(allocations)                                                                                 \
    X(frees)                                                                                       \
    X(pinned)                                                                                      \
    X(managed)                                                                                     \
    X(times)                                                                                       \
    X(unawaited)

#define STUDENT_NAME(name)    #name,
#define STUDENT_COUNTER(name) STUDENT_##name,
enum student_counter { STUDENT_COUNTERS(STUDENT_COUNTER) STUDENT_COUNTS };
#undef STUDENT_COUNTER

void student_count(enum student_counter counter, uint64_t more);
/* Counts a copy to the device, or to the host. */
void student_count_copy(enum student_counter kind, uint64_t bytes);
/* Counts a launch in this stream of this device. */
void student_count_launch(uint64_t threads, uint64_t stream, int device);
/* Work that the host need not wait for was given to the stream. The host has waited for the stream,
 * or for all; stream 0 stands for all. A function has returned. */
void student_count_issued(uint64_t stream);
void student_count_awaited(uint64_t stream);
void student_count_returned(void);

/* ---- The filter (filter.c) ---- */

/* Restricts this process, and any program that it executes, to the system calls named above.
 * Returns 0 if the kernel has no filters. */
int student_filter(void);

#ifdef __cplusplus
}
#endif
