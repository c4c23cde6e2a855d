/*
 * check.h: what the self-checking programs share. A program compares each result with one computed
 * on the CPU and ends with `return finish();`, which prints ok, or how many results differed; the
 * first few differences are printed as they are found.
 */
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

/* Stop with the call, its place and the error's name unless the call succeeds. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t check_error = (call);                                                          \
        if (check_error != cudaSuccess) {                                                          \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(check_error));   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* After a launch: both its own error and the kernel's. */
#define FINISH_KERNEL()                                                                            \
    do {                                                                                           \
        CHECK(cudaGetLastError());                                                                 \
        CHECK(cudaDeviceSynchronize());                                                            \
    } while (0)

#define MAX_SHOWN 5 /* differences printed */

static int differences;

/* A value as text, floating point with its bits. */
template <class T> static void show(char *text, size_t size, T value) {
    if constexpr (std::is_same<T, float>::value) {
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        snprintf(text, size, "%.9g (0x%08x)", value, bits);
    } else if constexpr (std::is_same<T, double>::value) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        snprintf(text, size, "%.17g (0x%016llx)", value, (unsigned long long)bits);
    } else {
        snprintf(text, size, "%lld (0x%llx)", (long long)value, (unsigned long long)value);
    }
}

/* Report one difference. */
template <class T> static void differ(const char *what, long index, T got, T want) {
    char got_text[64], want_text[64];
    show(got_text, sizeof got_text, got);
    show(want_text, sizeof want_text, want);
    if (differences++ < MAX_SHOWN)
        printf("%s [%ld]: got %s, want %s\n", what, index, got_text, want_text);
}

/* Equal bits; any NaN equals any NaN. */
template <class T> static bool identical(T a, T b) {
    if constexpr (std::is_floating_point<T>::value)
        if (a != a && b != b) return true;
    return memcmp(&a, &b, sizeof a) == 0;
}

/* got must be want, converted to got's type, bit for bit. */
template <class T, class U> static void same(const char *what, long index, T got, U want) {
    if (!identical(got, (T)want)) differ(what, index, got, (T)want);
}

/* A call that must fail so, or with cudaSuccess not fail. Afterwards the last error is cleared. */
static inline void refuse(const char *what, cudaError_t got, cudaError_t want) {
    if (got != want)
        printf("%s: %s, want %s\n", what, cudaGetErrorName(got), cudaGetErrorName(want));
    same(what, 0, (int)got, (int)want);
    cudaGetLastError();
}
#define REFUSE(call, want) refuse(#call, (call), (want))

/* got must be within an absolute error. */
static inline void close_to(const char *what, long index, double got, double want, double error) {
    if (!(fabs(got - want) <= error)) differ(what, index, got, want);
}

/* The distance between a float and its neighbour away from zero. */
static inline double ulp_of(float value) {
    return fabs((double)nextafterf(fabsf(value), INFINITY) - fabs((double)value));
}
static inline double ulp_of(double value) {
    return nextafter(fabs(value), INFINITY) - fabs(value);
}

/* got must be within ulps units in the last place of want, which is more exact than T; NaN and
 * infinity must match. */
template <class T>
static void within_ulps(const char *what, long index, T got, long double want, double ulps) {
    T rounded = (T)want;
    if (identical(got, rounded)) return;
    bool finite = got == got && rounded == rounded && !std::isinf(got) && !std::isinf(rounded);
    if (!finite || !(fabsl((long double)got - want) <= ulps * (long double)ulp_of(rounded)))
        differ(what, index, got, rounded);
}

/* Device memory of to_device and poisoned, freed at the end. */
static std::vector<void *> owned;

/* Free what to_device or poisoned gave, before the end. */
static inline void release(void *device) {
    for (size_t i = 0; i < owned.size(); i++)
        if (owned[i] == device) owned.erase(owned.begin() + i);
    CHECK(cudaFree(device));
}

/* The program's exit status, after its last line. */
static inline int finish() {
    while (!owned.empty()) release(owned.back());
    if (differences)
        printf("%d results differ\n", differences);
    else
        printf("ok\n");
    return differences != 0;
}

/* Seeded random numbers (xorshift64*). */
static uint64_t random_state = 0x9E3779B97F4A7C15ull;
static inline uint64_t random64() {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545F4914F6CDD1Dull;
}
static inline uint32_t random32() {
    return (uint32_t)(random64() >> 32);
}
/* Uniform in [low, high). */
static inline double random_in(double low, double high) {
    return low + (high - low) * ((random64() >> 11) * 0x1p-53);
}

/* Host vector to new device memory. */
template <class T> static T *to_device(const std::vector<T> &host) {
    T *device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    owned.push_back(device);
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

/* count new device elements, every byte 0xCC. */
template <class T> static T *poisoned(size_t count) {
    T *device;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    owned.push_back(device);
    CHECK(cudaMemset(device, 0xCC, count * sizeof(T)));
    return device;
}

/* count device elements as a host vector. */
template <class T> static std::vector<T> to_host(const T *device, size_t count) {
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}
