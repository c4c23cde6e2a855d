/* judge.h: the head of the instructor's program, which makes it the judge of process.h. */
#ifndef GRADE_STUDENT_JUDGE_H
#define GRADE_STUDENT_JUDGE_H

#include "process.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/* Calls about streams and events. */
static int studentCallStream(const struct turn *turn, uint64_t *value) {
    const uint64_t *a = turn->arguments;
    const bool byEvent = turn->kernel <= STUDENT_EventSynchronize;
    const bool withStream = !byEvent || turn->kernel == STUDENT_EventRecord;
    cudaStream_t stream = 0;
    cudaEvent_t event = NULL, end = NULL;
    float ms = 0;
    int priority = 0;
    cudaError_t error = cudaSuccess;
    if (turn->kernel == STUDENT_StreamCreateWithPriority) {
        error = cudaStreamCreateWithPriority(&stream, (unsigned int)a[0], (int)a[1]);
        *value = error == cudaSuccess ? studentNumber(&studentStreams, stream) : 0;
        return error;
    }
    if (turn->kernel == STUDENT_EventCreateWithFlags) {
        error = cudaEventCreateWithFlags(&event, (unsigned int)a[0]);
        *value = error == cudaSuccess ? studentNumber(&studentEvents, event) : 0;
        return error;
    }
    const uint64_t ofEvent = turn->kernel == STUDENT_StreamWaitEvent ? a[1] : a[0];
    const uint64_t ofStream = turn->kernel == STUDENT_EventRecord ? a[1] : a[0];
    if ((byEvent || turn->kernel == STUDENT_StreamWaitEvent) &&
        !studentFind(studentEvents, ofEvent, &event))
        return cudaErrorInvalidResourceHandle;
    if (withStream && !studentStream(ofStream, &stream)) return cudaErrorInvalidResourceHandle;
    switch (turn->kernel) {
    case STUDENT_EventDestroy:
        studentEvents[a[0] - STUDENT_FIRST_NUMBER] = NULL;
        return cudaEventDestroy(event);
    case STUDENT_EventElapsedTime:
        if (!studentFind(studentEvents, a[1], &end)) return cudaErrorInvalidResourceHandle;
        error = cudaEventElapsedTime(&ms, event, end);
        *value = studentWord(ms);
        student_count(STUDENT_times, error == cudaSuccess);
        return error;
    case STUDENT_EventQuery:
        error = cudaEventQuery(event);
        if (error == cudaSuccess) student_count_awaited(0);
        return error;
    case STUDENT_EventRecord: return cudaEventRecord(event, stream);
    case STUDENT_EventSynchronize: student_count_awaited(0); return cudaEventSynchronize(event);
    case STUDENT_StreamDestroy:
        if (a[0] < STUDENT_FIRST_NUMBER) return cudaErrorInvalidResourceHandle;
        studentStreams[a[0] - STUDENT_FIRST_NUMBER] = NULL;
        return cudaStreamDestroy(stream);
    case STUDENT_StreamGetPriority:
        error = cudaStreamGetPriority(stream, &priority);
        *value = (uint64_t)priority;
        return error;
    case STUDENT_StreamQuery:
        error = cudaStreamQuery(stream);
        if (error == cudaSuccess) student_count_awaited(ofStream);
        return error;
    case STUDENT_StreamSynchronize:
        student_count_awaited(ofStream);
        return cudaStreamSynchronize(stream);
    default: return cudaStreamWaitEvent(stream, event, (unsigned int)a[2]);
    }
}

/* Calls about memory. */
static int studentCallMemory(const struct turn *turn, uint64_t *value) {
    const uint64_t *a = turn->arguments;
    void *to = (void *)a[0], *made = NULL;
    const void *from = (const void *)a[1];
    cudaStream_t stream = 0;
    cudaError_t error = cudaSuccess;
    switch (turn->kernel) {
    case STUDENT_Free:
    case STUDENT_FreeAsync:
        if (!studentStream(turn->kernel == STUDENT_FreeAsync ? a[1] : 0, &stream))
            return cudaErrorInvalidResourceHandle;
        error = turn->kernel == STUDENT_FreeAsync ? cudaFreeAsync(to, stream) : cudaFree(to);
        student_count(STUDENT_frees, error == cudaSuccess && to != NULL);
        if (turn->kernel == STUDENT_Free) student_count_awaited(0);
        return error;
    case STUDENT_FreeHost: return studentFreePinned(to);
    case STUDENT_HostAlloc: return studentPinned(a[0], value);
    case STUDENT_HostGetDevicePointer: error = cudaHostGetDevicePointer(&made, to, 0); break;
    case STUDENT_Malloc:
    case STUDENT_MallocAsync:
        if (!studentStream(turn->kernel == STUDENT_MallocAsync ? a[1] : 0, &stream))
            return cudaErrorInvalidResourceHandle;
        error = turn->kernel == STUDENT_MallocAsync ? cudaMallocAsync(&made, a[0], stream)
                                                    : cudaMalloc(&made, a[0]);
        student_count(STUDENT_allocations, made != NULL);
        break;
    case STUDENT_MallocManaged:
        error = cudaMallocManaged(&made, a[0]);
        student_count(STUDENT_managed, made != NULL);
        break;
    case STUDENT_Memcpy: return studentCopy(to, from, a[2], (cudaMemcpyKind)a[3], 0, true);
    case STUDENT_Memcpy2D:
    case STUDENT_Memcpy2DAsync: return studentCopyRows(a, turn->kernel == STUDENT_Memcpy2D);
    case STUDENT_MemcpyAsync: return studentCopy(to, from, a[2], (cudaMemcpyKind)a[3], a[4], false);
    case STUDENT_MemcpyPeer:
    case STUDENT_MemcpyPeerAsync:
        if (!studentOnDevice(to) || !studentOnDevice((const void *)a[2]))
            return cudaErrorInvalidValue;
        if (!studentStream(a[5], &stream)) return cudaErrorInvalidResourceHandle;
        error =
            turn->kernel == STUDENT_MemcpyPeer
                ? cudaMemcpyPeer(to, (int)a[1], (const void *)a[2], (int)a[3], a[4])
                : cudaMemcpyPeerAsync(to, (int)a[1], (const void *)a[2], (int)a[3], a[4], stream);
        student_count(STUDENT_copies_of_peers, error == cudaSuccess);
        return error;
    default: /* cudaMemset and cudaMemsetAsync */
        if (!studentOnDevice(to)) return cudaErrorInvalidValue;
        if (turn->kernel == STUDENT_Memset) return cudaMemset(to, (int)a[1], a[2]);
        if (!studentStream(a[3], &stream)) return cudaErrorInvalidResourceHandle;
        return cudaMemsetAsync(to, (int)a[1], a[2], stream);
    }
    *value = (uint64_t)made;
    return error;
}

/* Makes the call that the student's process asks for. */
static int studentCall(const struct turn *turn, uint64_t *value) {
    const int device = (int)turn->arguments[0];
    int number = 0, greatest = 0;
    cudaError_t error = cudaSuccess;
    switch (turn->kernel) {
    case STUDENT_DeviceCanAccessPeer:
        error = cudaDeviceCanAccessPeer(&number, device, (int)turn->arguments[1]);
        break;
    case STUDENT_DeviceEnablePeerAccess: return cudaDeviceEnablePeerAccess(device, 0);
    case STUDENT_DeviceGetStreamPriorityRange:
        error = cudaDeviceGetStreamPriorityRange(&number, &greatest);
        *value = (uint32_t)number | (uint64_t)greatest << 32;
        return error;
    case STUDENT_DeviceSynchronize: student_count_awaited(0); return cudaDeviceSynchronize();
    case STUDENT_GetDevice: error = cudaGetDevice(&number); break;
    case STUDENT_GetDeviceCount: error = cudaGetDeviceCount(&number); break;
    case STUDENT_GetDeviceProperties:
        return studentProperties((void *)turn->arguments[0], (int)turn->arguments[1]);
    case STUDENT_SetDevice: return cudaSetDevice(device);
    case STUDENT_EventCreateWithFlags:
    case STUDENT_EventDestroy:
    case STUDENT_EventElapsedTime:
    case STUDENT_EventQuery:
    case STUDENT_EventRecord:
    case STUDENT_EventSynchronize:
    case STUDENT_StreamCreateWithPriority:
    case STUDENT_StreamDestroy:
    case STUDENT_StreamGetPriority:
    case STUDENT_StreamQuery:
    case STUDENT_StreamSynchronize:
    case STUDENT_StreamWaitEvent: return studentCallStream(turn, value);
    case STUDENT_Free:
    case STUDENT_FreeAsync:
    case STUDENT_FreeHost:
    case STUDENT_HostAlloc:
    case STUDENT_HostGetDevicePointer:
    case STUDENT_Malloc:
    case STUDENT_MallocAsync:
    case STUDENT_MallocManaged:
    case STUDENT_Memcpy:
    case STUDENT_Memcpy2D:
    case STUDENT_Memcpy2DAsync:
    case STUDENT_MemcpyAsync:
    case STUDENT_MemcpyPeer:
    case STUDENT_MemcpyPeerAsync:
    case STUDENT_Memset:
    case STUDENT_MemsetAsync: return studentCallMemory(turn, value);
    default: return cudaErrorNotSupported;
    }
    *value = (uint64_t)number;
    return error;
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

#endif
