/* apart_judge.h: the head of the instructor's program, which makes it the judge of apart.h. */
#ifndef GRADE_APART_JUDGE_H
#define GRADE_APART_JUDGE_H

#include "apart.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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

/* The body of a function that the student writes: asks the student's process for the result. `step`
 * is the region's number. Each argument, and the result, fits into a word. */
template <class R, class... P, class... A>
R apartAsk(R (*)(P...), uint32_t step, const char *name, int *todo, A... arguments) {
    static_assert(sizeof...(P) == sizeof...(A) && sizeof...(P) <= TURN_WORDS,
                  "a function's arguments fill a turn");
    const uint64_t words[TURN_WORDS] = {apartWord<P>(arguments)...};
    return ApartResult<R>::of(apart_call(step, name, words, TURN_WORDS, todo));
}

/* ---- The GPU ---- */

extern const void *const apartKernels[];
extern const uint32_t apartKernelsN;

/* Streams and events that the student's process has made. It knows them by their numbers, which
 * begin after those that CUDA gives streams of its own: the default stream, cudaStreamLegacy and
 * cudaStreamPerThread. */
enum { APART_FIRST_NUMBER = 3 };
static std::vector<cudaStream_t> apartStreams;
static std::vector<cudaEvent_t> apartEvents;

template <class T> uint64_t apartNumber(std::vector<T> *all, T made) {
    all->push_back(made);
    return APART_FIRST_NUMBER + all->size() - 1;
}

/* Stores what has this number. Returns false if there is none. */
template <class T> bool apartFind(const std::vector<T> &all, uint64_t number, T *found) {
    if (number < APART_FIRST_NUMBER || number - APART_FIRST_NUMBER >= all.size()) return false;
    *found = all[number - APART_FIRST_NUMBER];
    return *found != NULL;
}

static bool apartStream(uint64_t number, cudaStream_t *stream) {
    *stream = (cudaStream_t)number;
    return number < APART_FIRST_NUMBER || apartFind(apartStreams, number, stream);
}

static int apartLaunch(const struct turn *turn) {
    struct turn copy = *turn;
    void *arguments[TURN_WORDS];
    cudaStream_t stream;
    if (copy.kernel >= apartKernelsN) return cudaErrorInvalidDeviceFunction;
    if (!apartStream(copy.stream, &stream)) return cudaErrorInvalidResourceHandle;
    for (int i = 0; i < TURN_WORDS; i++) arguments[i] = &copy.arguments[i];
    const dim3 grid(copy.grid[0], copy.grid[1], copy.grid[2]),
        block(copy.block[0], copy.block[1], copy.block[2]);
    const cudaError_t error = cudaLaunchKernel(apartKernels[copy.kernel], grid, block, arguments,
                                               copy.shared_bytes, stream);
    if (error != cudaSuccess) return error;
    int device = 0;
    cudaGetDevice(&device);
    apart_count_launch((uint64_t)grid.x * grid.y * grid.z * block.x * block.y * block.z,
                       copy.stream, device);
    return error;
}

/* Pinned memory for the student's process: a part of the outputs, which both processes see. */
static cudaError_t apartPinned(size_t bytes, uint64_t *value) {
    void *array = bytes > 0 ? apart_output(bytes) : NULL;
    if (bytes > 0 && array == NULL) return cudaErrorMemoryAllocation;
    *value = (uint64_t)array;
    apart_count(APART_pinned, array != NULL);
    return bytes > 0 ? cudaHostRegister(array, bytes, cudaHostRegisterMapped) : cudaSuccess;
}

static cudaError_t apartFreePinned(void *array) {
    if (array == NULL) return cudaSuccess;
    if (!apart_is_output(array, 1)) return cudaErrorInvalidValue;
    const cudaError_t error = cudaHostUnregister(array);
    if (error == cudaSuccess) apart_free(array);
    return error;
}

/* Is this memory of the device, or managed memory? */
static bool apartOnDevice(const void *pointer) {
    cudaPointerAttributes attributes;
    const bool known = cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess;
    cudaGetLastError();
    return known &&
           (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged);
}

/* A copy from or to memory of the host that is the process' own: through a copy here. */
static cudaError_t apartCopyOwn(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                cudaStream_t stream) {
    const bool toDevice = apartOnDevice(to);
    char *copy = (char *)malloc(bytes);
    bool can = copy != NULL && (!toDevice || apart_read(copy, from, bytes));
    cudaError_t error =
        can ? cudaMemcpyAsync(toDevice ? to : copy, toDevice ? copy : from, bytes, kind, stream)
            : cudaErrorInvalidValue;
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    can = toDevice || error != cudaSuccess || apart_write(to, copy, bytes);
    free(copy);
    return can ? error : cudaErrorInvalidValue;
}

/* A copy as the student's process asks for it, in the stream of this number. The host's side lies
 * in one of the areas, or else is the process' own. */
static cudaError_t apartCopy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                             uint64_t number, bool waits) {
    const bool toDevice = apartOnDevice(to), fromDevice = apartOnDevice(from);
    const bool here =
        (toDevice || apart_is_output(to, bytes)) && (fromDevice || apart_is_here(from, bytes));
    cudaStream_t stream;
    cudaError_t error;
    if (!apartStream(number, &stream)) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    if (!toDevice && !fromDevice) return cudaErrorInvalidValue;
    if (!here)
        error = apartCopyOwn(to, from, bytes, kind, stream);
    else
        error = waits ? cudaMemcpy(to, from, bytes, kind)
                      : cudaMemcpyAsync(to, from, bytes, kind, stream);
    if (error != cudaSuccess) return error;
    waits ? apart_count_awaited(0) : apart_count_issued(number);
    if (toDevice && fromDevice) return error;
    apart_count_copy(toDevice ? APART_copies_to_device : APART_copies_to_host, bytes);
    apart_count(APART_copies_at_once, !waits && stream != 0);
    return error;
}

/* A copy of rows, as cudaMemcpy2D and cudaMemcpy2DAsync have their arguments. Rows of the process'
 * own memory are packed here. */
static cudaError_t apartCopyRows(const uint64_t *a, bool waits) {
    char *const to = (char *)a[0], *const from = (char *)a[2];
    const size_t pitch = a[1], fromPitch = a[3], width = a[4], height = a[5];
    const cudaMemcpyKind kind = (cudaMemcpyKind)a[6];
    const bool toDevice = apartOnDevice(to), fromDevice = apartOnDevice(from);
    cudaStream_t stream;
    if (!apartStream(waits ? 0 : a[7], &stream)) return cudaErrorInvalidResourceHandle;
    if (width == 0 || height == 0) return cudaSuccess;
    if ((!toDevice && !fromDevice) || width > pitch || width > fromPitch ||
        height > SIZE_MAX / pitch || height > SIZE_MAX / fromPitch)
        return cudaErrorInvalidValue;
    const bool here = (toDevice || apart_is_output(to, height * pitch)) &&
                      (fromDevice || apart_is_here(from, height * fromPitch));
    std::vector<char> rows(here ? 0 : width * height);
    for (size_t i = 0; !here && toDevice && i < height; i++)
        if (!apart_read(&rows[i * width], from + i * fromPitch, width))
            return cudaErrorInvalidValue;
    cudaError_t error =
        cudaMemcpy2DAsync(here || toDevice ? to : rows.data(), here || toDevice ? pitch : width,
                          here || fromDevice ? from : rows.data(),
                          here || fromDevice ? fromPitch : width, width, height, kind, stream);
    if (error == cudaSuccess && (waits || !here)) error = cudaStreamSynchronize(stream);
    for (size_t i = 0; error == cudaSuccess && !here && fromDevice && i < height; i++)
        if (!apart_write(to + i * pitch, &rows[i * width], width)) return cudaErrorInvalidValue;
    if (error != cudaSuccess || (toDevice && fromDevice)) return error;
    apart_count_copy(toDevice ? APART_copies_to_device : APART_copies_to_host, width * height);
    apart_count(APART_copies_at_once, !waits && stream != 0);
    return error;
}

/* Writes the properties of a device into the student's process. */
static int apartProperties(void *to, int device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) return error;
    return apart_write(to, &properties, sizeof properties) ? cudaSuccess : cudaErrorInvalidValue;
}

/* Calls about streams and events. */
static int apartCallStream(const struct turn *turn, uint64_t *value) {
    const uint64_t *a = turn->arguments;
    const bool byEvent = turn->kernel <= APART_EventSynchronize;
    const bool withStream = !byEvent || turn->kernel == APART_EventRecord;
    cudaStream_t stream = 0;
    cudaEvent_t event = NULL, end = NULL;
    float ms = 0;
    int priority = 0;
    cudaError_t error = cudaSuccess;
    if (turn->kernel == APART_StreamCreateWithPriority) {
        error = cudaStreamCreateWithPriority(&stream, (unsigned int)a[0], (int)a[1]);
        *value = error == cudaSuccess ? apartNumber(&apartStreams, stream) : 0;
        return error;
    }
    if (turn->kernel == APART_EventCreateWithFlags) {
        error = cudaEventCreateWithFlags(&event, (unsigned int)a[0]);
        *value = error == cudaSuccess ? apartNumber(&apartEvents, event) : 0;
        return error;
    }
    const uint64_t ofEvent = turn->kernel == APART_StreamWaitEvent ? a[1] : a[0];
    const uint64_t ofStream = turn->kernel == APART_EventRecord ? a[1] : a[0];
    if ((byEvent || turn->kernel == APART_StreamWaitEvent) &&
        !apartFind(apartEvents, ofEvent, &event))
        return cudaErrorInvalidResourceHandle;
    if (withStream && !apartStream(ofStream, &stream)) return cudaErrorInvalidResourceHandle;
    switch (turn->kernel) {
    case APART_EventDestroy:
        apartEvents[a[0] - APART_FIRST_NUMBER] = NULL;
        return cudaEventDestroy(event);
    case APART_EventElapsedTime:
        if (!apartFind(apartEvents, a[1], &end)) return cudaErrorInvalidResourceHandle;
        error = cudaEventElapsedTime(&ms, event, end);
        *value = apartWord(ms);
        apart_count(APART_times, error == cudaSuccess);
        return error;
    case APART_EventQuery:
        error = cudaEventQuery(event);
        if (error == cudaSuccess) apart_count_awaited(0);
        return error;
    case APART_EventRecord: return cudaEventRecord(event, stream);
    case APART_EventSynchronize: apart_count_awaited(0); return cudaEventSynchronize(event);
    case APART_StreamDestroy:
        if (a[0] < APART_FIRST_NUMBER) return cudaErrorInvalidResourceHandle;
        apartStreams[a[0] - APART_FIRST_NUMBER] = NULL;
        return cudaStreamDestroy(stream);
    case APART_StreamGetPriority:
        error = cudaStreamGetPriority(stream, &priority);
        *value = (uint64_t)priority;
        return error;
    case APART_StreamQuery:
        error = cudaStreamQuery(stream);
        if (error == cudaSuccess) apart_count_awaited(ofStream);
        return error;
    case APART_StreamSynchronize:
        apart_count_awaited(ofStream);
        return cudaStreamSynchronize(stream);
    default: return cudaStreamWaitEvent(stream, event, (unsigned int)a[2]);
    }
}

/* Calls about memory. */
static int apartCallMemory(const struct turn *turn, uint64_t *value) {
    const uint64_t *a = turn->arguments;
    void *to = (void *)a[0], *made = NULL;
    const void *from = (const void *)a[1];
    cudaStream_t stream = 0;
    cudaError_t error = cudaSuccess;
    switch (turn->kernel) {
    case APART_Free:
    case APART_FreeAsync:
        if (!apartStream(turn->kernel == APART_FreeAsync ? a[1] : 0, &stream))
            return cudaErrorInvalidResourceHandle;
        error = turn->kernel == APART_FreeAsync ? cudaFreeAsync(to, stream) : cudaFree(to);
        apart_count(APART_frees, error == cudaSuccess && to != NULL);
        if (turn->kernel == APART_Free) apart_count_awaited(0);
        return error;
    case APART_FreeHost: return apartFreePinned(to);
    case APART_HostAlloc: return apartPinned(a[0], value);
    case APART_HostGetDevicePointer: error = cudaHostGetDevicePointer(&made, to, 0); break;
    case APART_Malloc:
    case APART_MallocAsync:
        if (!apartStream(turn->kernel == APART_MallocAsync ? a[1] : 0, &stream))
            return cudaErrorInvalidResourceHandle;
        error = turn->kernel == APART_MallocAsync ? cudaMallocAsync(&made, a[0], stream)
                                                  : cudaMalloc(&made, a[0]);
        apart_count(APART_allocations, made != NULL);
        break;
    case APART_MallocManaged:
        error = cudaMallocManaged(&made, a[0]);
        apart_count(APART_managed, made != NULL);
        break;
    case APART_Memcpy: return apartCopy(to, from, a[2], (cudaMemcpyKind)a[3], 0, true);
    case APART_Memcpy2D:
    case APART_Memcpy2DAsync: return apartCopyRows(a, turn->kernel == APART_Memcpy2D);
    case APART_MemcpyAsync: return apartCopy(to, from, a[2], (cudaMemcpyKind)a[3], a[4], false);
    case APART_MemcpyPeer:
    case APART_MemcpyPeerAsync:
        if (!apartOnDevice(to) || !apartOnDevice((const void *)a[2])) return cudaErrorInvalidValue;
        if (!apartStream(a[5], &stream)) return cudaErrorInvalidResourceHandle;
        error =
            turn->kernel == APART_MemcpyPeer
                ? cudaMemcpyPeer(to, (int)a[1], (const void *)a[2], (int)a[3], a[4])
                : cudaMemcpyPeerAsync(to, (int)a[1], (const void *)a[2], (int)a[3], a[4], stream);
        apart_count(APART_copies_of_peers, error == cudaSuccess);
        return error;
    default: /* cudaMemset and cudaMemsetAsync */
        if (!apartOnDevice(to)) return cudaErrorInvalidValue;
        if (turn->kernel == APART_Memset) return cudaMemset(to, (int)a[1], a[2]);
        if (!apartStream(a[3], &stream)) return cudaErrorInvalidResourceHandle;
        return cudaMemsetAsync(to, (int)a[1], a[2], stream);
    }
    *value = (uint64_t)made;
    return error;
}

/* Makes the call that the student's process asks for. */
static int apartCall(const struct turn *turn, uint64_t *value) {
    const int device = (int)turn->arguments[0];
    int number = 0, greatest = 0;
    cudaError_t error = cudaSuccess;
    switch (turn->kernel) {
    case APART_DeviceCanAccessPeer:
        error = cudaDeviceCanAccessPeer(&number, device, (int)turn->arguments[1]);
        break;
    case APART_DeviceEnablePeerAccess: return cudaDeviceEnablePeerAccess(device, 0);
    case APART_DeviceGetStreamPriorityRange:
        error = cudaDeviceGetStreamPriorityRange(&number, &greatest);
        *value = (uint32_t)number | (uint64_t)greatest << 32;
        return error;
    case APART_DeviceSynchronize: apart_count_awaited(0); return cudaDeviceSynchronize();
    case APART_GetDevice: error = cudaGetDevice(&number); break;
    case APART_GetDeviceCount: error = cudaGetDeviceCount(&number); break;
    case APART_GetDeviceProperties:
        return apartProperties((void *)turn->arguments[0], (int)turn->arguments[1]);
    case APART_SetDevice: return cudaSetDevice(device);
    case APART_EventCreateWithFlags:
    case APART_EventDestroy:
    case APART_EventElapsedTime:
    case APART_EventQuery:
    case APART_EventRecord:
    case APART_EventSynchronize:
    case APART_StreamCreateWithPriority:
    case APART_StreamDestroy:
    case APART_StreamGetPriority:
    case APART_StreamQuery:
    case APART_StreamSynchronize:
    case APART_StreamWaitEvent: return apartCallStream(turn, value);
    case APART_Free:
    case APART_FreeAsync:
    case APART_FreeHost:
    case APART_HostAlloc:
    case APART_HostGetDevicePointer:
    case APART_Malloc:
    case APART_MallocAsync:
    case APART_MallocManaged:
    case APART_Memcpy:
    case APART_Memcpy2D:
    case APART_Memcpy2DAsync:
    case APART_MemcpyAsync:
    case APART_MemcpyPeer:
    case APART_MemcpyPeerAsync:
    case APART_Memset:
    case APART_MemsetAsync: return apartCallMemory(turn, value);
    default: return cudaErrorNotSupported;
    }
    *value = (uint64_t)number;
    return error;
}

static const char *apartErrorText(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

/* clang puts constants with external names into the device code too, where these functions are not.
 */
#ifndef __CUDA_ARCH__
extern const struct apart_gpu apart_gpu = {apartLaunch, apartCall, apartErrorText};
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
    return sharedPages(apart_input(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void *outputPages(size_t bytes) {
    return sharedPages(apart_output(pagesOf(bytes) * pageBytes()), bytes);
}

static inline void *copiedPages(size_t bytes) {
    return sharedPages(apart_copied(pagesOf(bytes) * pageBytes()), bytes);
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
