/* apart.h: students' code for the CPU runs apart from the code that judges it.
 *
 * A lab's program becomes two. The judge is the instructor's program, which no line of the student's is in; where the
 * lab calls a function whose body is a student's region, the judge asks the other process. The student's program holds
 * these functions and nothing else.
 *
 *      judge                                 student's process
 *      sizes, seeds, answers, clock,         the functions; no descriptor, no environment
 *      the way to the grader, the GPU
 *
 *        inputs   (written) -----------------> (read; sealed, so no call makes them writable)
 *        outputs  (poisoned, read) <---------> (written)
 *        struct turn <-----------------------> struct turn
 *
 *      fills in a call, lets it run --------->  runs
 *      waits                                    ...
 *      reads what it wants       <------------  sched_yield(): the kernel stops it here, until its next turn
 *        TURN_DONE: the function has returned
 *        TURN_LAUNCH, TURN_SYNCHRONIZE, TURN_QUERY: please do this on the GPU, and let me go on
 *
 * They take turns: the judge traces the other (ptrace), and touches what both see only while the other is stopped. So
 * nothing changes while results are judged, and the time of a call is the judge's. A seccomp filter that the student's
 * process cannot take off, set before its first instruction, lets it have memory, read clocks and end; anything else
 * fails with EPERM. It cannot open a file, start a thread or a process, send a signal, sleep or wait. Three calls stop
 * it for the judge to look at: the yield, mapping a descriptor (the three mappings above, once each), and mprotect.
 *
 * Where the order of accesses is judged (harness/pages.h), the student's process closes and opens the pages of one
 * array itself, by mprotect; the judge counts its faults, and ends it if it opens any page but the one that it has just
 * been refused, or has more than two open. */
#ifndef GRADE_APART_H
#define GRADE_APART_H

#include <stddef.h>
#include <stdint.h>

/* Where the two processes see what they share, and under which descriptors the student's program finds it; how many
 * bytes each of the two has is its only argument. The first page of the outputs is the turn. */
#define APART_INPUTS  ((char *)0x100000000000)
#define APART_OUTPUTS ((char *)0x200000000000)
enum { APART_INPUTS_FD = 3, APART_OUTPUTS_FD = 4, TURN_WORDS = 8, TURN_BYTES = 4096 };

/* The student's program, from the folder that the judge works in. */
#define APART_PROGRAM "../grade/student"

enum turn_want { TURN_DONE, TURN_LAUNCH, TURN_SYNCHRONIZE, TURN_QUERY };

struct turn {
    /* From the judge. */
    uint32_t step;                                    /* which function to call */
    uint64_t words[TURN_WORDS];                       /* its arguments */
    uint64_t watch_begin, watch_bytes, watch_changes; /* the array whose pages are watched; 0 bytes: none */
    int32_t answer;                                   /* a cudaError_t */
    /* From the student's process. */
    uint32_t want;   /* an enum turn_want */
    uint64_t result; /* TURN_DONE: what the function returned */
    int32_t todo;    /* TURN_DONE: line of the TODO that the function ran into; 0: none */
    uint32_t kernel; /* TURN_LAUNCH: which one of the lab's */
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t arguments[TURN_WORDS];
};

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The judge's side (apart.c) ---- */

/* Let the student's process call this function with these words, and wait until it is done. Returns what it returned,
 * and stores the line of its TODO. If the process ends, or does what it must not, so does the judge, with a message
 * that begins with the name. */
uint64_t apart_call(uint32_t step, const char *name, const uint64_t *words, size_t n, int *todo);

/* Room for an array that the functions read, or write, in whole pages; NULL: none left. All are freed together, when
 * the last of them is. */
void *apart_input(size_t bytes);
void *apart_output(size_t bytes);
void apart_free(const void *array);

/* In the calls that follow watch this input's pages, and open all after so many changes; 0 bytes: watch none. */
void apart_watch(const void *array, size_t bytes, size_t changes);
/* Changes of the page in the last call; none where it was the judge's own code that went through the array. */
size_t apart_changes(void);

/* What the lab does for the student's process: launch its kernel of that number, wait for the device, ask whether it is
 * idle. Each returns a cudaError_t. */
struct apart_gpu {
    int (*launch)(const struct turn *turn);
    int (*synchronize)(void);
    int (*query)(void);
    const char *(*error_text)(int error);
};
extern const struct apart_gpu apart_gpu;

/* ---- The filter (apart_filter.c) ---- */

/* Keep this process, and whatever program it becomes, to the calls named above. False: the kernel has no filters. */
int apart_filter(void);

#ifdef __cplusplus
}
#endif

#endif
