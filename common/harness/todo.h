/*
 * todo.h: shows the harness which steps are still to do.
 *
 * The body of an unsolved kernel is TODO("goal", "handouts/lab3.md#where"). When it runs, it
 * writes the goal and its line to a note in device memory, so the hint is right even after
 * lines have moved. Solving the step includes deleting the TODO. A step on the CPU uses a note
 * in host memory.
 */
#ifndef HARNESS_TODO_H
#define HARNESS_TODO_H

#include <cuda_runtime.h>

#include "../common.h"
#include "note.h"

__device__ TodoNote todoNote;

TodoNote hostTodoNote;

/* Copies a text, cut to room bytes with its NUL. */
static __host__ __device__ inline void copyNote(char *to, int room, const char *from) {
    int i = 0;
    for (; i < room - 1 && from[i] != '\0'; i++) to[i] = from[i];
    to[i] = '\0';
}

static __host__ __device__ inline void writeTodoNote(TodoNote *note, int line, const char *goal,
                                                     const char *handout) {
    note->line = line;
    copyNote(note->goal, sizeof note->goal, goal);
    copyNote(note->handout, sizeof note->handout, handout);
}

/* Writes the note. On the GPU only the grid's first thread writes it, so there is no race. */
static __host__ __device__ inline void leaveTodoNote(int line, const char *goal,
                                                     const char *handout) {
#ifdef __CUDA_ARCH__
    unsigned int block = blockIdx.x + blockIdx.y + blockIdx.z;
    unsigned int thread = threadIdx.x + threadIdx.y + threadIdx.z;
    if (block == 0 && thread == 0) writeTodoNote(&todoNote, line, goal, handout);
#else
    writeTodoNote(&hostTodoNote, line, goal, handout);
#endif
}

/* Passes the line where the TODO begins. In a macro clang would give the line where it ends. */
#ifdef __clang__
static __host__ __device__ inline void TODO(const char *goal, const char *handout,
                                            int line = __builtin_LINE()) {
    leaveTodoNote(line, goal, handout);
}
#else
#define TODO(goal, handout) leaveTodoNote(__LINE__, goal, handout)
#endif

LAB_CALL void clearTodoNote() {
    TodoNote none = {0, "", ""};
    CHECK(cudaMemcpyToSymbol(todoNote, &none, sizeof none));
}

LAB_CALL TodoNote readTodoNote() {
    TodoNote note;
    CHECK(cudaMemcpyFromSymbol(&note, todoNote, sizeof note));
    return note;
}

#endif
