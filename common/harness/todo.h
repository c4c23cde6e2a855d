/*
 * todo.h: how the harness knows which steps are still to do.
 *
 * The body of an unsolved kernel is TODO("goal", "handouts/lab3.md#where"). Running it leaves a note in the GPU's
 * memory with the goal and the line, so the hint is right even after lines have moved. Deleting the TODO is part of
 * solving the step. A step that runs on the CPU does the same with a note in main memory.
 */
#ifndef HARNESS_TODO_H
#define HARNESS_TODO_H

#include <cuda_runtime.h>

#include "../common.h"

struct TodoNote {
    int line; /* of the TODO in the source file; 0: the kernel has none */
    char goal[200];
    char handout[100];
};

__device__ TodoNote todoNote;

/* The same of a step that runs on the CPU. */
static TodoNote hostTodoNote;

/* Copy a text, cut to what fits. */
static __host__ __device__ inline void copyNote(char *to, int room, const char *from) {
    int i = 0;
    for (; i < room - 1 && from[i] != '\0'; i++) to[i] = from[i];
    to[i] = '\0';
}

static __host__ __device__ inline void writeTodoNote(TodoNote *note, int line, const char *goal, const char *handout) {
    note->line = line;
    copyNote(note->goal, sizeof note->goal, goal);
    copyNote(note->handout, sizeof note->handout, handout);
}

/* The first thread of the grid leaves the note: one writer, so no race. On the CPU there is one anyway. */
static __host__ __device__ inline void leaveTodoNote(int line, const char *goal, const char *handout) {
#ifdef __CUDA_ARCH__
    unsigned int block = blockIdx.x + blockIdx.y + blockIdx.z;
    unsigned int thread = threadIdx.x + threadIdx.y + threadIdx.z;
    if (block == 0 && thread == 0) writeTodoNote(&todoNote, line, goal, handout);
#else
    writeTodoNote(&hostTodoNote, line, goal, handout);
#endif
}

/* With the line where the TODO begins; in a macro clang gives the one where it ends. */
#ifdef __clang__
static __host__ __device__ inline void TODO(const char *goal, const char *handout, int line = __builtin_LINE()) {
    leaveTodoNote(line, goal, handout);
}
#else
#define TODO(goal, handout) leaveTodoNote(__LINE__, goal, handout)
#endif

/* Before a launch: no note. */
static inline void clearTodoNote() {
    TodoNote none = {0, "", ""};
    CHECK(cudaMemcpyToSymbol(todoNote, &none, sizeof none));
}

/* After a launch that ended well: the note it left. */
static inline TodoNote readTodoNote() {
    TodoNote note;
    CHECK(cudaMemcpyFromSymbol(&note, todoNote, sizeof note));
    return note;
}

#endif
