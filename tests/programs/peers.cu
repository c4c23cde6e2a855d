// build one
// build two devices=2
// build four devices=4
// case copies | 0 | ^ok$
// case kernels | 0 | ^ok$
// case managed | 0 | ^ok$
// case refused | 0 | ^ok$
// Peers: devices that copy to each other and access each other's memory. With one device there is
// no peer, and all that asks for one is refused.
#include "check.h"

static int devices;

__global__ void add(int *to, const int *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += from[i];
}

__global__ void count(int *counters, int n) {
    atomicAdd(&counters[(blockIdx.x * blockDim.x + threadIdx.x) % n], 1);
}

static std::vector<int> numbers(int n, int first) {
    std::vector<int> v(n);
    for (int i = 0; i < n; i++) v[i] = first + i;
    return v;
}

/* cudaMemcpy of little pageable memory returns before the device has it, so another device must
 * wait for that. */
static int *made_on(int device, const std::vector<int> &values) {
    CHECK(cudaSetDevice(device));
    int *p = to_device(values);
    CHECK(cudaDeviceSynchronize());
    return p;
}

static void expect(const char *what, const int *device, const std::vector<int> &want) {
    std::vector<int> got = to_host(device, want.size());
    for (size_t i = 0; i < want.size(); i++) same(what, (long)i, got[i], want[i]);
}

static bool can_access(int device, int peer) {
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
    return can;
}

/* Copies from each device to the next, in every way; with and without peer access the same arrives.
 */
static void copy_all(int a, int b) {
    const int N = 5000;
    size_t bytes = N * sizeof(int);
    int *from = made_on(a, numbers(N, 1)), *to = made_on(b, numbers(N, -N));
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
    expect("device to device", to, numbers(N, 1));
    CHECK(cudaMemset(to, 0, bytes));
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    expect("default", to, numbers(N, 1));
    CHECK(cudaMemset(to, 0, bytes));
    CHECK(cudaMemcpyPeer(to, b, from, a, bytes));
    expect("peer", to, numbers(N, 1));
    CHECK(cudaSetDevice(a)); /* a fill needs access, a copy does not */
    CHECK(cudaMemset(from, 0, bytes));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyPeerAsync(from, a, to, b, bytes, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    expect("back", from, numbers(N, 1));
    CHECK(cudaMemcpy2D(to, 200, from, 400, 200, 10, cudaMemcpyDefault)); /* every other row */
    expect("rows", to + 50, numbers(50, 101));
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = make_cudaPitchedPtr(from, 80, 80, 10); /* layers of 10 rows of 20 numbers */
    box.dstPtr = make_cudaPitchedPtr(to, 40, 40, 5);
    box.srcDevice = a;
    box.dstDevice = b;
    box.srcPos = make_cudaPos(8, 1, 1);
    box.extent = make_cudaExtent(40, 5, 2);
    CHECK(cudaMemcpy3DPeer(&box));
    expect("box, first row", to, numbers(10, 1 + 200 + 20 + 2));
    expect("box, second row", to + 10, numbers(10, 1 + 200 + 40 + 2));
    expect("box, second layer", to + 50, numbers(10, 1 + 400 + 20 + 2));
    CHECK(cudaSetDevice(b));
    CHECK(cudaMemset(to, 0, bytes));
    CHECK(cudaMemcpy3DPeerAsync(&box, 0));
    expect("box, later", to + 50, numbers(10, 1 + 400 + 20 + 2));
}

static void copies() {
    for (int a = 0; a < devices; a++) {
        int b = (a + 1) % devices;
        copy_all(a, b);
        CHECK(cudaSetDevice(a));
        if (a == b || !can_access(a, b)) continue;
        CHECK(cudaDeviceEnablePeerAccess(b, 0));
        copy_all(a, b);
    }
}

/* Device a sums what the next device has, and counts in its memory. */
static void kernels() {
    const int N = 4000;
    for (int a = 0; a < devices; a++) {
        int b = (a + 1) % devices;
        int *from = made_on(b, numbers(N, 10)), *counters = made_on(b, std::vector<int>(8, 0));
        int *to = made_on(a, numbers(N, 1));
        if (a != b && !can_access(a, b)) continue;
        if (a != b) CHECK(cudaDeviceEnablePeerAccess(b, 0));
        add<<<N / 128 + 1, 128>>>(to, from, N);
        add<<<N / 128 + 1, 128>>>(from, to, N); /* stores there */
        count<<<16, 64>>>(counters, 8);
        FINISH_KERNEL();
        std::vector<int> sum(N), twice(N);
        for (int i = 0; i < N; i++) sum[i] = 11 + 2 * i, twice[i] = 21 + 3 * i;
        expect("sum", to, sum);
        expect("stored in a peer", from, twice);
        expect("counted in a peer", counters, std::vector<int>(8, 128));
    }
}

/* Managed and pinned memory need no peer access. */
static void managed() {
    int *shared, *pinned;
    CHECK(cudaMallocManaged(&shared, 8 * sizeof(int)));
    CHECK(cudaMallocHost(&pinned, 8 * sizeof(int)));
    for (int i = 0; i < 8; i++) shared[i] = pinned[i] = 0;
    for (int device = 0; device < devices; device++) {
        CHECK(cudaSetDevice(device));
        count<<<4, 32>>>(shared, 8);
        count<<<4, 32>>>(pinned, 8);
        FINISH_KERNEL();
        cudaMemLocation place = {cudaMemLocationTypeDevice, device};
        CHECK(cudaMemPrefetchAsync(shared, 8 * sizeof(int), place, 0, 0));
        CHECK(cudaDeviceSynchronize());
    }
    for (int i = 0; i < 8; i++) {
        same("managed", i, shared[i], 16 * devices);
        same("pinned", i, pinned[i], 16 * devices);
    }
    CHECK(cudaFree(shared));
    CHECK(cudaFreeHost(pinned));
}

static void refused() {
    int can = -1, *p;
    CHECK(cudaMalloc(&p, 4));
    REFUSE(cudaDeviceCanAccessPeer(&can, 0, devices), cudaErrorInvalidDevice);
    REFUSE(cudaDeviceCanAccessPeer(&can, -1, 0), cudaErrorInvalidDevice);
    same("its own peer", 0, can_access(0, 0), false);
    REFUSE(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    REFUSE(cudaDeviceEnablePeerAccess(devices, 0), cudaErrorInvalidDevice);
    REFUSE(cudaDeviceDisablePeerAccess(devices), cudaErrorInvalidDevice);
    REFUSE(cudaMemcpyPeer(p, 0, p, devices, 4), cudaErrorInvalidDevice);
    REFUSE(cudaMemcpyPeer(p, 0, &can, 0, 4), cudaErrorInvalidValue);
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = box.dstPtr = make_cudaPitchedPtr(p, 4, 4, 1);
    box.extent = make_cudaExtent(4, 1, 1);
    box.dstDevice = devices;
    REFUSE(cudaMemcpy3DPeer(&box), cudaErrorInvalidDevice);
    box.dstDevice = 0;
    box.extent.width = 8;
    REFUSE(cudaMemcpy3DPeer(&box), cudaErrorInvalidValue);
    box.extent.width = 0;
    CHECK(cudaMemcpy3DPeer(&box));
    CHECK(cudaFree(p));
    cudaAtomicOperation operations[2] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationCAS};
    unsigned capabilities[2];
    CHECK(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
    REFUSE(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 0, 0),
           cudaErrorInvalidValue);
    REFUSE(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, devices),
           cudaErrorInvalidDevice);
    REFUSE(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0),
           cudaErrorInvalidDevice);
    REFUSE(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, devices),
           cudaErrorInvalidDevice);
    if (devices == 1 || !can_access(0, 1)) return;
    CHECK(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 1));
    const int WANT[] = {0, 1, 1, 1, 0}; /* of two H200s with NVLink */
    for (int i = 0; i < 5; i++) {
        CHECK(cudaDeviceGetP2PAttribute(&can, (cudaDeviceP2PAttr)(i + 1), 0, 1));
        same("attribute of the pair", i + 1, can, WANT[i]);
    }
    REFUSE(cudaDeviceGetP2PAttribute(&can, (cudaDeviceP2PAttr)6, 0, 1), cudaErrorInvalidValue);
    REFUSE(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    REFUSE(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    REFUSE(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceReset()); /* ends it */
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaDeviceDisablePeerAccess(1));
    REFUSE(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    CHECK(cudaGetDeviceCount(&devices));
    if (!strcmp(name, "copies")) copies();
    if (!strcmp(name, "kernels")) kernels();
    if (!strcmp(name, "managed")) managed();
    if (!strcmp(name, "refused")) refused();
    return finish();
}
