// build one
// build two devices=2
// case memory | 0 | ^ok$
// case sizes | 0 | ^ok$
// case events | 0 | ^ok$
// case crossed | 0 | ^ok$
// case refused | 0 | ^ok$
// Two processes: one opens the other's device memory and events by their handles. The second is
// forked before the first call of CUDA.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_parent[2];
static bool is_child;

template <class T> static void send(const T &value) {
    if (write(is_child ? to_parent[1] : to_child[1], &value, sizeof value) != sizeof value) exit(9);
}

template <class T> static T receive() {
    T value;
    if (read(is_child ? to_child[0] : to_parent[0], &value, sizeof value) != sizeof value) exit(8);
    return value;
}

__global__ void add(int *to, int n, int what) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += what + i;
}

static void expect(const char *what, const int *device, int n, int first, int step) {
    std::vector<int> got = to_host(device, n);
    for (int i = 0; i < n; i++) same(what, i, got[i], first + step * i);
}

static cudaIpcMemHandle_t handle_of(void *pointer) {
    cudaIpcMemHandle_t handle;
    CHECK(cudaIpcGetMemHandle(&handle, pointer));
    return handle;
}

static int *opened(cudaIpcMemHandle_t handle) {
    void *pointer;
    CHECK(cudaIpcOpenMemHandle(&pointer, handle, cudaIpcMemLazyEnablePeerAccess));
    return (int *)pointer;
}

/* What one process's kernel and copy store, the other's load; both ways. What was there before the
 * handle is there. */
static void memory_parent() {
    const int N = 1000;
    int *p = to_device(std::vector<int>(N, 5));
    add<<<4, 256>>>(p, N, 1);
    FINISH_KERNEL();
    send(handle_of(p));
    receive<int>();
    expect("added by both", p, N, 106, 2);
    std::vector<int> sevens(N, 7);
    CHECK(cudaMemcpy(p, sevens.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize()); /* the copy of little pageable memory may still be under way */
    send(0);
    receive<int>();
}

static void memory_child() {
    const int N = 1000;
    int *p = opened(receive<cudaIpcMemHandle_t>());
    expect("before the handle", p, N, 6, 1);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, p));
    same("type", 0, (int)attributes.type, (int)cudaMemoryTypeDevice);
    add<<<4, 256>>>(p, N, 100);
    FINISH_KERNEL();
    send(0);
    receive<int>();
    expect("copied", p, N, 7, 0);
    CHECK(cudaIpcCloseMemHandle(p));
    send(0);
}

/* From a byte to 64 MiB; several at once, closed in another order. */
static const size_t SIZES[] = {4, 1000, 2 << 20, (2 << 20) + 4, 64 << 20};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

static void sizes_parent() {
    int *p[COUNT];
    for (int i = 0; i < COUNT; i++) {
        int last = 40 + i;
        CHECK(cudaMalloc(&p[i], SIZES[i]));
        CHECK(cudaMemset(p[i], 0, SIZES[i]));
        CHECK(cudaMemcpy((char *)p[i] + SIZES[i] - 4, &last, 4, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
        send(handle_of(p[i]));
    }
    receive<int>();
    for (int i = 0; i < COUNT; i++) {
        same("last", i, to_host((int *)((char *)p[i] + SIZES[i] - 4), 1)[0], 80 + i);
        CHECK(cudaFree(p[i]));
    }
}

static void sizes_child() {
    int *p[COUNT];
    for (int i = 0; i < COUNT; i++) p[i] = opened(receive<cudaIpcMemHandle_t>());
    for (int i = 0; i < COUNT; i++) {
        int *last = (int *)((char *)p[i] + SIZES[i] - 4), next = 80 + i;
        same("last", i, to_host(last, 1)[0], 40 + i);
        CHECK(cudaMemcpy(last, &next, 4, cudaMemcpyHostToDevice));
    }
    for (int i = 0; i < COUNT; i += 2) CHECK(cudaIpcCloseMemHandle(p[i]));
    for (int i = 1; i < COUNT; i += 2) CHECK(cudaIpcCloseMemHandle(p[i]));
    send(0);
}

/* An event of one process holds up the other's host, and its streams. A host function delays the
 * event. */
static void sleep_a_while(void *) {
    usleep(100000);
}

static void events_parent() {
    int *p = to_device(std::vector<int>(64, 0));
    cudaEvent_t event;
    cudaStream_t stream;
    cudaIpcEventHandle_t handle;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaIpcGetEventHandle(&handle, event));
    CHECK(cudaStreamCreate(&stream));
    send(handle_of(p));
    send(handle);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaLaunchHostFunc(stream, sleep_a_while, nullptr));
        add<<<1, 64, 0, stream>>>(p, 64, 10);
        CHECK(cudaLaunchHostFunc(stream, sleep_a_while, nullptr));
        CHECK(cudaEventRecord(event, stream));
        send(0);
        receive<int>();
        CHECK(cudaEventSynchronize(event)); /* recorded by the child */
        expect("of both", p, 64, (i + 1) * 110, (i + 1) * 2);
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(event));
    receive<int>();
}

static void events_child() {
    int *p = opened(receive<cudaIpcMemHandle_t>());
    cudaEvent_t event;
    CHECK(cudaIpcOpenEventHandle(&event, receive<cudaIpcEventHandle_t>()));
    CHECK(cudaEventQuery(event)); /* not recorded yet */
    for (int i = 0; i < 2; i++) {
        receive<int>();
        if (i == 0)
            CHECK(cudaEventSynchronize(event));
        else
            CHECK(cudaStreamWaitEvent(0, event, 0));
        add<<<1, 64>>>(p, 64, 100);
        CHECK(cudaEventRecord(event, 0));
        CHECK(cudaEventSynchronize(event));
        CHECK(cudaEventQuery(event));
        expect("of both", p, 64, (i + 1) * 110, (i + 1) * 2);
        send(0);
    }
    CHECK(cudaEventDestroy(event));
    CHECK(cudaIpcCloseMemHandle(p));
    send(0);
}

/* Memory of one device, opened by another one in the other process. */
static void crossed_parent() {
    int *p = to_device(std::vector<int>(64, 1));
    send(handle_of(p));
    receive<int>();
    expect("from another device", p, 64, 21, 1);
}

static void crossed_child() {
    int devices, can = 0;
    cudaIpcMemHandle_t handle = receive<cudaIpcMemHandle_t>();
    CHECK(cudaGetDeviceCount(&devices));
    if (devices > 1) CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
    CHECK(cudaSetDevice(can ? 1 : 0));
    int *p = opened(handle);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, p));
    same("device", 0, attributes.device, can ? 1 : 0);
    add<<<1, 64>>>(p, 64, 20);
    FINISH_KERNEL();
    CHECK(cudaIpcCloseMemHandle(p));
    send(0);
}

static void refused_parent() {
    int *device, *pinned, *managed, local = 0;
    cudaIpcMemHandle_t handle;
    CHECK(cudaMalloc(&device, 1 << 20));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMallocManaged(&managed, 4096));
    REFUSE(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorInvalidValue);
    REFUSE(cudaIpcGetMemHandle(&handle, &local), cudaErrorInvalidValue);
    REFUSE(cudaIpcGetMemHandle(&handle, pinned), cudaErrorInvalidValue);
    REFUSE(cudaIpcGetMemHandle(&handle, managed), cudaErrorInvalidValue);
    cudaEvent_t event, plain;
    cudaIpcEventHandle_t event_handle;
    REFUSE(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    REFUSE(cudaIpcGetEventHandle(&event_handle, plain), cudaErrorInvalidResourceHandle);
    CHECK(cudaIpcGetEventHandle(&event_handle, event));
    REFUSE(cudaIpcOpenEventHandle(&plain, event_handle), cudaErrorDeviceUninitialized);
    handle = handle_of(device);
    void *mine;
    REFUSE(cudaIpcOpenMemHandle(&mine, handle, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorDeviceUninitialized);
    send(handle);
    send(handle_of((char *)device + 4096)); /* inside: stands for the whole */
    send(event_handle);
    char *freed;
    CHECK(cudaMalloc(&freed, 8 << 20));
    handle = handle_of(freed);
    CHECK(cudaFree(freed));
    send(handle);
    receive<int>();
    CHECK(cudaFree(device));
    send(0);
    receive<int>();
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
}

static void refused_child() {
    void *p;
    int *own;
    cudaIpcMemHandle_t none, handle = receive<cudaIpcMemHandle_t>(),
                             inside = receive<cudaIpcMemHandle_t>();
    cudaIpcEventHandle_t no_event, event_handle = receive<cudaIpcEventHandle_t>();
    cudaIpcMemHandle_t freed = receive<cudaIpcMemHandle_t>();
    cudaEvent_t event;
    float ms;
    memset(&none, 0, sizeof none);
    memset(&no_event, 0, sizeof no_event);
    CHECK(cudaMalloc(&own, 64));
    REFUSE(cudaIpcOpenMemHandle(&p, none, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
    REFUSE(cudaIpcOpenMemHandle(&p, handle, 2), cudaErrorInvalidValue);
    REFUSE(cudaIpcOpenMemHandle(&p, handle, 0), cudaErrorInvalidValue);
    cudaError_t error = cudaIpcOpenMemHandle(&p, freed, cudaIpcMemLazyEnablePeerAccess);
    same("freed", 0, error == cudaErrorNotPermitted || error == cudaErrorInvalidValue,
         true); /* an H200 gave both */
    cudaGetLastError();
    REFUSE(cudaIpcOpenEventHandle(&event, no_event), cudaErrorMapBufferObjectFailed);
    CHECK(cudaIpcOpenEventHandle(&event, event_handle));
    REFUSE(cudaIpcGetEventHandle(&no_event, event), cudaErrorInvalidResourceHandle);
    REFUSE(cudaEventElapsedTime(&ms, event, event), cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(event));
    REFUSE(cudaIpcCloseMemHandle(own), cudaErrorInvalidValue);
    int *there = opened(handle);
    same("opened twice", 0, opened(handle) == there, true);
    same("opened by a pointer inside", 0, opened(inside) == there, true);
    REFUSE(cudaFree(there), cudaErrorInvalidValue);
    REFUSE(cudaIpcGetMemHandle(&none, there), cudaErrorInvalidValue);
    REFUSE(cudaIpcCloseMemHandle(there + 1), cudaErrorInvalidValue);
    CHECK(cudaIpcCloseMemHandle(there));
    CHECK(cudaIpcCloseMemHandle(there));
    CHECK(cudaMemset(there, 3, 1 << 20));
    send(0);
    receive<int>(); /* its owner has freed it */
    same("outlives its owner", 0, to_host(there, 1)[0], 0x03030303);
    CHECK(cudaIpcCloseMemHandle(there));
    REFUSE(cudaIpcCloseMemHandle(there), cudaErrorInvalidValue);
    CHECK(cudaFree(own));
    send(0);
}

static const struct {
    const char *name;
    void (*parent)(), (*child)();
} CASES[] = {{"memory", memory_parent, memory_child},
             {"sizes", sizes_parent, sizes_child},
             {"events", events_parent, events_child},
             {"crossed", crossed_parent, crossed_child},
             {"refused", refused_parent, refused_child}};

int main(int argc, char **argv) {
    int status = 0;
    if (pipe(to_child) || pipe(to_parent)) return 7;
    is_child = fork() == 0;
    for (auto &one : CASES)
        if (argc > 1 && !strcmp(argv[1], one.name)) (is_child ? one.child : one.parent)();
    if (is_child) return differences != 0;
    wait(&status);
    same("the child's exit status", 0, status, 0);
    return finish();
}
