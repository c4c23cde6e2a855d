/* judge.h: the head of the instructor's program, which makes it the judge of process.h. */
#pragma once

#include "process.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>
#include <unistd.h>

template <class T> uint64_t studentWord(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "an argument is longer than a word");
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}

template <class R> struct StudentResult {
    static R of(uint64_t word) {
        R result;
        memcpy(&result, &word, sizeof result);
        return result;
    }
};
template <> struct StudentResult<void> {
    static void of(uint64_t) {}
};

/* The body of a function that the student writes: asks the student's process for the result. `step`
 * is the region's number. Each argument, and the result, fits into a word. */
template <class R, class... P, class... A>
R studentAsk(R (*)(P...), uint32_t step, const char *name, int *todo, A... arguments) {
    static_assert(sizeof...(P) == sizeof...(A) && sizeof...(P) <= TURN_WORDS,
                  "a function's arguments fill a turn");
    const uint64_t words[TURN_WORDS] = {studentWord<P>(arguments)...};
    return StudentResult<R>::of(student_call(step, name, words, TURN_WORDS, todo));
}

/* ---- The GPU ---- */

extern const void *const studentKernels[];
extern const uint32_t studentKernelsN;

/* Streams and events that the student's process has made. It knows them by their numbers, which
 * begin after those that CUDA gives streams of its own: the default stream, cudaStreamLegacy and
 * cudaStreamPerThread. */
enum { STUDENT_FIRST_NUMBER = 3 };
static std::vector<cudaStream_t> studentStreams;
static std::vector<cudaEvent_t> studentEvents;

template <class T> uint64_t studentNumber(std::vector<T> *all, T made) {
    all->push_back(made);
    return STUDENT_FIRST_NUMBER + all->size() - 1;
}

/* Stores what has this number. Returns false if there is none. */
template <class T> bool studentFind(const std::vector<T> &all, uint64_t number, T *found) {
    if (number < STUDENT_FIRST_NUMBER || number - STUDENT_FIRST_NUMBER >= all.size()) return false;
    *found = all[number - STUDENT_FIRST_NUMBER];
    return *found != NULL;
}

static bool studentStream(uint64_t number, cudaStream_t *stream) {
    *stream = (cudaStream_t)number;
    return number < STUDENT_FIRST_NUMBER || studentFind(studentStreams, number, stream);
}

static int studentLaunch(const struct turn *turn) {
    struct turn copy = *turn;
    void *arguments[TURN_WORDS];
    cudaStream_t stream;
    if (copy.kernel >= studentKernelsN) return cudaErrorInvalidDeviceFunction;
    if (!studentStream(copy.stream, &stream)) return cudaErrorInvalidResourceHandle;
    for (int i = 0; i < TURN_WORDS; i++) arguments[i] = &copy.arguments[i];
    const dim3 grid(copy.grid[0], copy.grid[1], copy.grid[2]),
        block(copy.block[0], copy.block[1], copy.block[2]);
    const cudaError_t error = cudaLaunchKernel(studentKernels[copy.kernel], grid, block, arguments,
                                               copy.shared_bytes, stream);
    if (error != cudaSuccess) return error;
    int device = 0;
    cudaGetDevice(&device);
    student_count_launch((uint64_t)grid.x * grid.y * grid.z * block.x * block.y * block.z,
                         copy.stream, device);
    return error;
}

/* Pinned memory for the student's process: a part of the outputs, which both processes see. */
static cudaError_t studentPinned(size_t bytes, uint64_t *value) {
    void *array = bytes > 0 ? student_output(bytes) : NULL;
    if (bytes > 0 && array == NULL) return cudaErrorMemoryAllocation;
    *value = (uint64_t)array;
    student_count(STUDENT_pinned, array != NULL);
    return bytes > 0 ? cudaHostRegister(array, bytes, cudaHostRegisterMapped) : cudaSuccess;
}

static cudaError_t studentFreePinned(void *array) {
    if (array == NULL) return cudaSuccess;
    if (!student_is_output(array, 1)) return cudaErrorInvalidValue;
    const cudaError_t error = cudaHostUnregister(array);
    if (error == cudaSuccess) student_free(array);
    return error;
}

/* Is this memory of the device, or managed memory? */
static bool studentOnDevice(const void *pointer) {
    cudaPointerAttributes attributes;
    const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
    cudaGetLastError();
    return known &&
           (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged);
}

/* A copy from or to memory of the host that is the process' own: through a copy here. */
static cudaError_t studentCopyOwn(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                  cudaStream_t stream) {
    const bool toDevice = studentOnDevice(to);
    char *copy = (char *)malloc(bytes);
    bool can = copy != NULL && (!toDevice || student_read(copy, from, bytes));
    cudaError_t error =
        can ? cudaMemcpyAsync(toDevice ? to : copy, toDevice ? copy : from, bytes, kind, stream)
            : cudaErrorInvalidValue;
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    can = toDevice || error != cudaSuccess || student_write(to, copy, bytes);
    free(copy);
    return can ? error : cudaErrorInvalidValue;
}

/* A copy as the student's process asks for it, in the stream of this number. The host's side lies
 * in one of the areas, or else is the process' own. */
static cudaError_t studentCopy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                               uint64_t number, bool waits) {
    const bool toDevice = studentOnDevice(to), fromDevice = studentOnDevice(from);
    const bool here =
        (toDevice || student_is_output(to, bytes)) && (fromDevice || student_is_here(from, bytes));
    cudaStream_t stream;
    cudaError_t error;
    if (!studentStream(number, &stream)) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    if (!toDevice && !fromDevice) return cudaErrorInvalidValue;
    if (!here)
        error = studentCopyOwn(to, from, bytes, kind, stream);
    else
        error = waits ? cudaMemcpy(to, from, bytes, kind)
                      : cudaMemcpyAsync(to, from, bytes, kind, stream);
    if (error != cudaSuccess) return error;
    waits ? student_count_awaited(0) : student_count_issued(number);
    if (toDevice && fromDevice) return error;
    student_count_copy(toDevice ? STUDENT_copies_to_device : STUDENT_copies_to_host, bytes);
    student_count(STUDENT_copies_at_once, !waits && stream != 0);
    return error;
}

/* A copy of rows, as cudaMemcpy2D and cudaMemcpy2DAsync have their arguments. Rows of the process'
 * own memory are packed here. */
static cudaError_t studentCopyRows(const uint64_t *a, bool waits) {
    char *const to = (char *)a[0], *const from = (char *)a[2];
    const size_t pitch = a[1], fromPitch = a[3], width = a[4], height = a[5];
    const cudaMemcpyKind kind = (cudaMemcpyKind)a[6];
    const bool toDevice = studentOnDevice(to), fromDevice = studentOnDevice(from);
    cudaStream_t stream;
    if (!studentStream(waits ? 0 : a[7], &stream)) return cudaErrorInvalidResourceHandle;
    if (width == 0 || height == 0) return cudaSuccess;
    if ((!toDevice && !fromDevice) || width > pitch || width > fromPitch ||
        height > SIZE_MAX / pitch || height > SIZE_MAX / fromPitch)
        return cudaErrorInvalidValue;
    const bool here = (toDevice || student_is_output(to, height * pitch)) &&
                      (fromDevice || student_is_here(from, height * fromPitch));
    std::vector<char> rows(here ? 0 : width * height);
    for (size_t i = 0; !here && toDevice && i < height; i++)
        if (!student_read(&rows[i * width], from + i * fromPitch, width))
            return cudaErrorInvalidValue;
    cudaError_t error =
        cudaMemcpy2DAsync(here || toDevice ? to : rows.data(), here || toDevice ? pitch : width,
                          here || fromDevice ? from : rows.data(),
                          here || fromDevice ? fromPitch : width, width, height, kind, stream);
    if (error == cudaSuccess && (waits || !here)) error = cudaStreamSynchronize(stream);
    for (size_t i = 0; error == cudaSuccess && !here && fromDevice && i < height; i++)
        if (!student_write(to + i * pitch, &rows[i * width], width)) return cudaErrorInvalidValue;
    if (error != cudaSuccess || (toDevice && fromDevice)) return error;
    student_count_copy(toDevice ? STUDENT_copies_to_device : STUDENT_copies_to_host,
                       width * height);
    student_count(STUDENT_copies_at_once, !waits && stream != 0);
    return error;
}

/* Writes the properties of a device into the student's process. */
static int studentProperties(void *to, int device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    return student_write(to, &properties, sizeof properties) ? cudaSuccess : cudaErrorInvalidValue;
}

/* A word of a turn as an argument of a call. A word that is no number of a stream or an event of
 * the process makes the call invalid. */
template <class T> T studentArgument(const uint64_t **words, bool *valid) {
    T value;
    memcpy(&value, *words, sizeof value);
    if constexpr (std::is_same<T, cudaStream_t>::value)
        *valid = studentStream(**words, &value) && *valid;
    if constexpr (std::is_same<T, cudaEvent_t>::value)
        *valid = studentFind(studentEvents, **words, &value) && *valid;
    ++*words;
    return value;
}

/* Makes a call of the runtime with these words. */
template <class... P> cudaError_t studentMake(const uint64_t *words, cudaError_t (*call)(P...)) {
    bool valid = true;
    const std::tuple<P...> arguments{studentArgument<P>(&words, &valid)...};
    return valid ? std::apply(call, arguments) : cudaErrorInvalidResourceHandle;
}

/* What the process gets of a stream or an event is its number. */
template <class T> uint64_t studentKeep(T made) {
    if constexpr (std::is_same<T, cudaStream_t>::value) return studentNumber(&studentStreams, made);
    if constexpr (std::is_same<T, cudaEvent_t>::value) return studentNumber(&studentEvents, made);
    return studentWord(made);
}

/* The same for a call that gives a value, through its first parameter. */
template <class T, class... P>
cudaError_t studentGive(const uint64_t *words, uint64_t *value, cudaError_t (*call)(T *, P...)) {
    bool valid = true;
    T made = {};
    const std::tuple<P...> arguments{studentArgument<P>(&words, &valid)...};
    if (!valid) return cudaErrorInvalidResourceHandle;
    const cudaError_t error = std::apply(call, std::tuple_cat(std::make_tuple(&made), arguments));
    if (error == cudaSuccess) *value = studentKeep(made);
    return error;
}

static cudaError_t studentPriority(int *priority, cudaStream_t stream) {
    return cudaStreamGetPriority(stream, priority);
}

/* The two numbers of the range are the halves of a word. */
static cudaError_t studentPriorities(uint64_t *value) {
    int least = 0, greatest = 0;
    const cudaError_t error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    *value = (uint32_t)least | (uint64_t)greatest << 32;
    return error;
}

/* Counts a call that succeeded. */
static cudaError_t studentCounted(enum student_counter counter, bool more, cudaError_t error) {
    student_count(counter, error == cudaSuccess && more);
    return error;
}

/* Notes that the host has waited for the stream if the call succeeded. */
static cudaError_t studentAwaited(uint64_t stream, cudaError_t error) {
    if (error == cudaSuccess) student_count_awaited(stream);
    return error;
}

/* Notes that a stream or an event is gone if the call succeeded. */
template <class T>
cudaError_t studentGone(std::vector<T> *all, uint64_t number, cudaError_t error) {
    if (error == cudaSuccess) (*all)[number - STUDENT_FIRST_NUMBER] = NULL;
    return error;
}

/* Memory that a call has made for the process. */
static cudaError_t studentMade(enum student_counter counter, cudaError_t error, void *made,
                               uint64_t *value) {
    *value = (uint64_t)made;
    return studentCounted(counter, made != NULL, error);
}

/* Makes the call that the student's process asks for. */
static int studentCall(const struct turn *turn, uint64_t *value) {
    const uint64_t *a = turn->arguments;
    void *const to = (void *)a[0], *made = NULL;
    const void *const from = (const void *)a[1];
    cudaStream_t stream;
    cudaError_t error;
    switch (turn->kernel) {
    case STUDENT_DeviceCanAccessPeer: return studentGive(a, value, cudaDeviceCanAccessPeer);
    case STUDENT_DeviceEnablePeerAccess: return studentMake(a, cudaDeviceEnablePeerAccess);
    case STUDENT_DeviceGetStreamPriorityRange: return studentPriorities(value);
    case STUDENT_DeviceSynchronize: return studentAwaited(0, cudaDeviceSynchronize());
    case STUDENT_EventCreateWithFlags: return studentGive(a, value, cudaEventCreateWithFlags);
    case STUDENT_EventDestroy:
        return studentGone(&studentEvents, a[0], studentMake(a, cudaEventDestroy));
    case STUDENT_EventElapsedTime:
        return studentCounted(STUDENT_times, true, studentGive(a, value, cudaEventElapsedTime));
    case STUDENT_EventQuery: return studentAwaited(0, studentMake(a, cudaEventQuery));
    case STUDENT_EventRecord: return studentMake(a, cudaEventRecord);
    case STUDENT_EventSynchronize: return studentAwaited(0, studentMake(a, cudaEventSynchronize));
    case STUDENT_Free:
        return studentAwaited(0, studentCounted(STUDENT_frees, to != NULL, cudaFree(to)));
    case STUDENT_FreeAsync:
        return studentCounted(STUDENT_frees, to != NULL, studentMake(a, cudaFreeAsync));
    case STUDENT_FreeHost: return studentFreePinned(to);
    case STUDENT_GetDevice: return studentGive(a, value, cudaGetDevice);
    case STUDENT_GetDeviceCount: return studentGive(a, value, cudaGetDeviceCount);
    case STUDENT_GetDeviceProperties: return studentProperties(to, (int)a[1]);
    case STUDENT_HostAlloc: return studentPinned(a[0], value);
    case STUDENT_HostGetDevicePointer:
        error = cudaHostGetDevicePointer(&made, to, 0);
        *value = (uint64_t)made;
        return error;
    case STUDENT_Malloc:
        error = cudaMalloc(&made, a[0]);
        return studentMade(STUDENT_allocations, error, made, value);
    case STUDENT_MallocAsync:
        if (!studentStream(a[1], &stream)) return cudaErrorInvalidResourceHandle;
        error = cudaMallocAsync(&made, a[0], stream);
        return studentMade(STUDENT_allocations, error, made, value);
    case STUDENT_MallocManaged:
        error = cudaMallocManaged(&made, a[0]);
        return studentMade(STUDENT_managed, error, made, value);
    case STUDENT_Memcpy: return studentCopy(to, from, a[2], (cudaMemcpyKind)a[3], 0, true);
    case STUDENT_Memcpy2D:
    case STUDENT_Memcpy2DAsync: return studentCopyRows(a, turn->kernel == STUDENT_Memcpy2D);
    case STUDENT_MemcpyAsync: return studentCopy(to, from, a[2], (cudaMemcpyKind)a[3], a[4], false);
    case STUDENT_MemcpyPeer:
    case STUDENT_MemcpyPeerAsync:
        if (!studentOnDevice(to) || !studentOnDevice((const void *)a[2]))
            return cudaErrorInvalidValue;
        return studentCounted(STUDENT_copies_of_peers, true,
                              turn->kernel == STUDENT_MemcpyPeer
                                  ? studentMake(a, cudaMemcpyPeer)
                                  : studentMake(a, cudaMemcpyPeerAsync));
    case STUDENT_Memset:
    case STUDENT_MemsetAsync:
        if (!studentOnDevice(to)) return cudaErrorInvalidValue;
        return turn->kernel == STUDENT_Memset ? studentMake(a, cudaMemset)
                                              : studentMake(a, cudaMemsetAsync);
    case STUDENT_SetDevice: return studentMake(a, cudaSetDevice);
    case STUDENT_StreamCreateWithPriority:
        return studentGive(a, value, cudaStreamCreateWithPriority);
    case STUDENT_StreamDestroy:
        if (a[0] < STUDENT_FIRST_NUMBER) return cudaErrorInvalidResourceHandle;
        return studentGone(&studentStreams, a[0], studentMake(a, cudaStreamDestroy));
    case STUDENT_StreamGetPriority: return studentGive(a, value, studentPriority);
    case STUDENT_StreamQuery: return studentAwaited(a[0], studentMake(a, cudaStreamQuery));
    case STUDENT_StreamSynchronize:
        return studentAwaited(a[0], studentMake(a, cudaStreamSynchronize));
    case STUDENT_StreamWaitEvent: return studentMake(a, cudaStreamWaitEvent);
    default: return cudaErrorNotSupported;
    }
}

static const char *studentErrorText(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

/* clang puts constants with external names into the device code too, where these functions are not.
 */
#ifndef __CUDA_ARCH__
extern const struct student_gpu student_gpu = {studentLaunch, studentCall, studentErrorText};
#endif

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
    return sharedPages(student_input(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void *outputPages(size_t bytes) {
    return sharedPages(student_output(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void *copiedPages(size_t bytes) {
    return sharedPages(student_copied(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void freePages(const void *array) {
    student_free(array);
}

static inline void watchPages(const void *array, size_t bytes, size_t most) {
    student_watch(array, pagesOf(bytes) * pageBytes(), most);
}

static inline size_t countedPageChanges() {
    student_watch(NULL, 0, 0);
    return student_changes();
}
