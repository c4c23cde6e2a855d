/*
 * common.h: helpers for any CUDA program. Header-only: a program needs nothing but -Icommon:
 *
 *     nvcc -Icommon own.cu
 *
 * The labs also include harness/lab.h, which checks and times their steps and prints the table.
 */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>
#include <sys/time.h>

/* Exit codes of every lab program. */
enum { EXIT_OK = 0, EXIT_WRONG = 1, EXIT_USAGE = 2 };

/* Run a CUDA call. If it fails, print the place and CUDA's message, and end the program. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t checkError = (call);                                                           \
        if (checkError != cudaSuccess) {                                                           \
            fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", __FILE__, __LINE__, #call,              \
                    cudaGetErrorString(checkError), cudaGetErrorName(checkError));                 \
            exit(EXIT_WRONG);                                                                      \
        }                                                                                          \
    } while (0)

/* Wall-clock time in seconds, for timing code on the CPU. The
 * difference of two calls is a duration. */
static inline double cpuSecond() {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + (double)now.tv_usec * 1.0e-6;
}

/* Length of an array that stands here as one, not as a pointer. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The fewest blocks that cover n elements, each block `perBlock` of them. */
static inline unsigned int blocksFor(size_t n, size_t perBlock) {
    return (unsigned int)((n + perBlock - 1) / perBlock);
}

/* An array of n elements in main memory. Ends the program with exit code 2 if there is no room.
 * Free it with free(). */
template <class T> T *hostArray(size_t n) {
    T *array = (T *)malloc((n > 0 ? n : 1) * sizeof(T));
    if (array == NULL) {
        fprintf(stderr, "no room for %zu bytes in main memory: choose a smaller --size\n",
                n * sizeof(T));
        exit(EXIT_USAGE);
    }
    return array;
}

/* Unroll the next loop in device code; host compilers ignore this. */
#ifdef __CUDA_ARCH__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

/* One step of the splitmix64 random number generator (Steele, Lea, Flood 2014): 64 random bits. */
static inline uint64_t nextRandom(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Fill with random integers from 0 to 255. The same seed gives the same data on every machine. */
static inline void initialData(int *data, size_t n, uint64_t seed = 1) {
    for (size_t i = 0; i < n; i++) data[i] = (int)(nextRandom(&seed) >> 56);
}

/* Fill with random multiples of 0.1 from 0 to 25.5. */
static inline void initialData(float *data, size_t n, uint64_t seed = 1) {
    for (size_t i = 0; i < n; i++) data[i] = (float)(nextRandom(&seed) >> 56) / 10.0f;
}

/* Textbook form: prints the first mismatch instead of returning it; prints nothing if there is
 * none. Takes any types of elements and count. A result is right if it differs from the wanted
 * value by at most the tolerance. A launch that CUDA refused leaves old results behind, so a CUDA
 * error that nobody has fetched is printed too. */
template <class Want, class Got, class Count>
void checkResult(const Want *want, const Got *got, Count n, double tolerance = 1e-8) {
    for (Count i = 0; i < n; i++) {
        /* Not `difference > tolerance`: that is false for a NaN, which would pass. */
        if (std::fabs((double)got[i] - (double)want[i]) <= tolerance) continue;
        cudaError_t earlier = cudaPeekAtLastError();
        printf("Arrays do not match: index %llu: got %g want %g%s%s\n", (unsigned long long)i,
               (double)got[i], (double)want[i],
               earlier == cudaSuccess ? "" : "; an earlier CUDA call failed: ",
               earlier == cudaSuccess ? "" : cudaGetErrorString(earlier));
        return;
    }
}
