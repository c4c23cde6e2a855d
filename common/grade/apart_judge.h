/* apart_judge.h: the head of the instructor's program, which makes it the judge of apart.h. */
#ifndef GRADE_APART_JUDGE_H
#define GRADE_APART_JUDGE_H

#include "apart.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <unistd.h>

template <class T> uint64_t apartWord(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "an argument is longer than a word");
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}

template <class R> struct ApartResult {
    static R of(uint64_t word) {
        R result;
        memcpy(&result, &word, sizeof result);
        return result;
    }
};
template <> struct ApartResult<void> {
    static void of(uint64_t) {}
};

/* The body of a function that the student writes: asks the student's process for the result. `step` is the region's
 * number. Each argument, and the result, fits into a word. */
template <class R, class... P, class... A>
R apartAsk(R (*)(P...), uint32_t step, const char *name, int *todo, A... arguments) {
    static_assert(sizeof...(P) == sizeof...(A) && sizeof...(P) <= TURN_WORDS, "a function's arguments fill a turn");
    const uint64_t words[TURN_WORDS] = {apartWord<P>(arguments)...};
    return ApartResult<R>::of(apart_call(step, name, words, TURN_WORDS, todo));
}

/* ---- The GPU ---- */

extern const void *const apartKernels[];
extern const uint32_t apartKernelsN;

static int apartLaunch(const struct turn *turn) {
    struct turn copy = *turn;
    void *arguments[TURN_WORDS];
    if (copy.kernel >= apartKernelsN) return cudaErrorInvalidDeviceFunction;
    for (int i = 0; i < TURN_WORDS; i++) arguments[i] = &copy.arguments[i];
    return cudaLaunchKernel(apartKernels[copy.kernel], dim3(copy.grid[0], copy.grid[1], copy.grid[2]),
                            dim3(copy.block[0], copy.block[1], copy.block[2]), arguments, copy.shared_bytes, 0);
}

static int apartSynchronize() {
    return cudaDeviceSynchronize();
}

static int apartQuery() {
    return cudaStreamQuery(0);
}

static const char *apartErrorText(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

extern const struct apart_gpu apart_gpu = {apartLaunch, apartSynchronize, apartQuery, apartErrorText};

/* ---- Arrays, in place of harness/pages.h ---- */

#define HARNESS_PAGES_H

static inline size_t pageBytes() {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static inline size_t pagesOf(size_t bytes) {
    return bytes / pageBytes() + 1;
}

static inline void *sharedPages(void *array, size_t bytes) {
    if (array != NULL) return array;
    fprintf(stderr, "no room for %zu bytes in shared memory\n", bytes);
    exit(2);
}

static inline void *inputPages(size_t bytes) {
    return sharedPages(apart_input(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void *outputPages(size_t bytes) {
    return sharedPages(apart_output(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void freePages(const void *array) {
    apart_free(array);
}

static inline void watchPages(const void *array, size_t bytes, size_t most) {
    apart_watch(array, pagesOf(bytes) * pageBytes(), most);
}

static inline size_t countedPageChanges() {
    apart_watch(NULL, 0, 0);
    return apart_changes();
}

#endif
