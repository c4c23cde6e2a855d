/* student.c: the student's program around the student's functions (process.h). The judge trusts
 * nothing here: the student's code could replace it and would gain nothing. Calls of the CUDA
 * runtime become requests to the judge. */
#include "student.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct turn *const turn = (struct turn *)STUDENT_OUTPUTS;

/* ---- The CUDA runtime, as far as the functions use it ---- */

struct dim3 {
    unsigned int x, y, z;
};

enum { INVALID_FUNCTION = 98 }; /* a cudaError_t */

static struct {
    struct dim3 grid, block;
    size_t shared;
    void *stream;
} configuration;
static int last_error;

static int remember(int error) {
    if (error != 0) last_error = error;
    return error;
}

static int ask(enum turn_want want) {
    turn->want = want;
    sched_yield();
    return turn->answer;
}

/* Asks the judge for a call of the runtime with these arguments; the call's value, if any, is then
 * in turn->value. */
static int ask_for(enum student_runtime call, const uint64_t arguments[TURN_WORDS]) {
    turn->kernel = call;
    memcpy(turn->arguments, arguments, sizeof turn->arguments);
    return ask(TURN_CALL);
}

unsigned int __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                         void *stream) {
    configuration.grid = grid, configuration.block = block;
    configuration.shared = shared, configuration.stream = stream;
    return 0;
}

int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared,
                               void **stream) {
    *grid = configuration.grid, *block = configuration.block;
    *shared = configuration.shared, *stream = configuration.stream;
    return 0;
}

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream) {
    uint32_t i = 0;
    while (i < student_kernels_n && student_kernels[i].function != function) i++;
    if (i == student_kernels_n) return remember(INVALID_FUNCTION);
    turn->kernel = i;
    turn->grid[0] = grid.x, turn->grid[1] = grid.y, turn->grid[2] = grid.z;
    turn->block[0] = block.x, turn->block[1] = block.y, turn->block[2] = block.z;
    turn->shared_bytes = (uint32_t)shared;
    turn->stream = (uint64_t)stream;
    for (size_t k = 0; k < student_kernels[i].arguments_n; k++)
        memcpy(&turn->arguments[k], arguments[k], student_kernels[i].sizes[k]);
    return remember(ask(TURN_LAUNCH));
}

/* CUDA 13 launches through a handle; here the handle is the function. */
int __cudaGetKernel(const void **kernel, const void *function) {
    *kernel = function;
    return 0;
}

int __cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments,
                       size_t shared, void *stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

/* CALL(NAME, PARAMETERS, ARGUMENTS...) is cudaNAME, which gives nothing but its error. GIVE(NAME,
 * TYPE, PARAMETERS, ARGUMENTS...) stores a value of TYPE in *to, its first parameter. */
#define WORD(x) (uint64_t)(x)
#define ASK(name, a, b, c, d, e, f, g, h, ...)                                                     \
    ask_for(STUDENT_##name, (const uint64_t[TURN_WORDS]){WORD(a), WORD(b), WORD(c), WORD(d),       \
                                                         WORD(e), WORD(f), WORD(g), WORD(h)})
#define CALL(name, parameters, ...)                                                                \
    int cuda##name parameters {                                                                    \
        return remember(ASK(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0));                           \
    }
#define GIVE(name, type, parameters, ...)                                                          \
    int cuda##name parameters {                                                                    \
        const int error = ASK(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0);                          \
        if (error == 0) memcpy(to, (const void *)&turn->value, sizeof(type));                      \
        return remember(error);                                                                    \
    }

CALL(DeviceEnablePeerAccess, (int peer, unsigned flags), peer, flags)
CALL(DeviceSynchronize, (void), 0)
CALL(EventDestroy, (void *event), event)
CALL(EventRecord, (void *event, void *stream), event, stream)
CALL(EventSynchronize, (void *event), event)
CALL(Free, (void *array), array)
CALL(FreeAsync, (void *array, void *stream), array, stream)
CALL(FreeHost, (void *array), array)
CALL(Memcpy, (void *to, const void *from, size_t bytes, int kind), to, from, bytes, kind)
CALL(Memcpy2D,
     (void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t height,
      int kind),
     to, pitch, from, from_pitch, width, height, kind)
CALL(Memcpy2DAsync,
     (void *to, size_t pitch, const void *from, size_t from_pitch, size_t width, size_t height,
      int kind, void *stream),
     to, pitch, from, from_pitch, width, height, kind, stream)
CALL(MemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream), to, from,
     bytes, kind, stream)
CALL(MemcpyPeer, (void *to, int to_device, const void *from, int device, size_t bytes), to,
     to_device, from, device, bytes)
CALL(MemcpyPeerAsync,
     (void *to, int to_device, const void *from, int device, size_t bytes, void *stream), to,
     to_device, from, device, bytes, stream)
CALL(GetDeviceProperties, (void *to, int device), to, device)
CALL(Memset, (void *to, int value, size_t bytes), to, value, bytes)
CALL(MemsetAsync, (void *to, int value, size_t bytes, void *stream), to, value, bytes, stream)
CALL(SetDevice, (int device), device)
CALL(StreamDestroy, (void *stream), stream)
CALL(StreamSynchronize, (void *stream), stream)
CALL(StreamWaitEvent, (void *stream, void *event, unsigned flags), stream, event, flags)
GIVE(DeviceCanAccessPeer, int, (int *to, int device, int peer), device, peer)
GIVE(EventCreateWithFlags, void *, (void **to, unsigned flags), flags)
GIVE(EventElapsedTime, float, (float *to, void *start, void *stop), start, stop)
GIVE(GetDevice, int, (int *to), 0)
GIVE(GetDeviceCount, int, (int *to), 0)
GIVE(HostAlloc, void *, (void **to, size_t bytes, unsigned flags), bytes, flags)
GIVE(HostGetDevicePointer, void *, (void **to, void *array, unsigned flags), array, flags)
GIVE(Malloc, void *, (void **to, size_t bytes), bytes)
GIVE(MallocAsync, void *, (void **to, size_t bytes, void *stream), bytes, stream)
GIVE(MallocManaged, void *, (void **to, size_t bytes, unsigned flags), bytes, flags)
GIVE(StreamCreateWithPriority, void *, (void **to, unsigned flags, int priority), flags, priority)

int cudaEventCreate(void **event) {
    return cudaEventCreateWithFlags(event, 0);
}

int cudaStreamCreateWithFlags(void **stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

int cudaStreamCreate(void **stream) {
    return cudaStreamCreateWithFlags(stream, 0);
}

/* The two numbers of the range are the halves of a word. */
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    const int error = ASK(DeviceGetStreamPriorityRange, 0, 0, 0, 0, 0, 0, 0, 0);
    if (least != NULL) *least = (int)(uint32_t)turn->value;
    if (greatest != NULL) *greatest = (int)(turn->value >> 32);
    return remember(error);
}

int cudaStreamGetPriority(void *stream, int *priority) {
    const int error = ASK(StreamGetPriority, stream, 0, 0, 0, 0, 0, 0, 0);
    if (error == 0) *priority = (int)turn->value;
    return remember(error);
}

/* The name in the headers of CUDA 12. */
int cudaGetDeviceProperties_v2(void *to, int device) {
    return cudaGetDeviceProperties(to, device);
}

int cudaMallocHost(void **array, size_t bytes) {
    return cudaHostAlloc(array, bytes, 0);
}

/* Not ready is an answer, which no later call reports. */
int cudaEventQuery(void *event) {
    return ASK(EventQuery, event, 0, 0, 0, 0, 0, 0, 0, 0);
}

int cudaStreamQuery(void *stream) {
    return ASK(StreamQuery, stream, 0, 0, 0, 0, 0, 0, 0, 0);
}

int cudaPeekAtLastError(void) {
    return last_error;
}

int cudaGetLastError(void) {
    int error = last_error;
    last_error = 0;
    return error;
}

/* There is no output to print the texts to. */
const char *cudaGetErrorString(int error) {
    return error == 0 ? "no error" : "an error";
}

const char *cudaGetErrorName(int error) {
    return error == 0 ? "cudaSuccess" : "cudaError";
}

/* Registering kernels and variables has no effect. */
void **__cudaRegisterFatBinary(void *binary) {
    (void)binary;
    return NULL;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle) {
    (void)handle;
}

void __cudaRegisterFunction(void) {}

void __cudaRegisterVar(void) {}

/* ---- The program ---- */

/* Maps a shared area at the judge's address. */
static bool map_area(char *at, size_t bytes, int protection, int fd) {
    return mmap(at, bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0) == (void *)at &&
           close(fd) == 0;
}

/* The argument is the size of an area, in bytes. */
int main(int argc, char **argv) {
    const size_t bytes = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    if (!map_area(STUDENT_INPUTS, bytes, PROT_READ, STUDENT_INPUTS_FD) ||
        !map_area(STUDENT_OUTPUTS, bytes, PROT_READ | PROT_WRITE, STUDENT_OUTPUTS_FD))
        return EXIT_FAILURE;
    for (;;) {
        ask(TURN_DONE);
        student_do(turn);
    }
}
