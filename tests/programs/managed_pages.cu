// Pages of managed memory move to the side that touches them, and that takes time: first and second
// launches, the host's reads between them, advice, prefetching, sparse touches; and system calls
// reach memory that is on the device.
// unchecked only times are new in it: managed has the accesses
#include "check.h"

#include <functional>
#include <unistd.h>

constexpr int N = 1 << 20; // 4 MiB a vector

__global__ void sum(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void touch(float *v, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) v[i] += 1;
}

static float ms_of(const std::function<void()> &body) {
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    body();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return ms;
}

static void longer(const char *what, float a, float b, float times) {
    if (!(a > times * b)) printf("%s: %g ms, not over %g times %g ms\n", what, a, times, b);
    same(what, 0, a > times * b, true);
}

struct Vectors {
    float *a, *b, *c;
    Vectors() {
        for (float **v : {&a, &b, &c}) CHECK(cudaMallocManaged(v, N * sizeof(float)));
        for (int i = 0; i < N; i++) a[i] = i, b[i] = 2;
    }
    ~Vectors() {
        for (float *v : {a, b, c}) CHECK(cudaFree(v));
    }
    void add() const { sum<<<N / 256, 256>>>(a, b, c, N); }
};

static void test_touches() {
    Vectors v;
    float first = ms_of([&] { v.add(); }), second = ms_of([&] { v.add(); });
    longer("the first launch and the second", first, second, 20);
    volatile float read = 0;
    float host = ms_of([&] {
        for (int i = 0; i < N; i += 1024) read += v.c[i];
    });
    float nothing = ms_of([] {}), again = ms_of([&] { v.add(); }), after = ms_of([&] { v.add(); });
    longer("the host's reads", host, nothing, 20);
    longer("a launch after the host's reads", again, after, 10);
    longer("three vectors and one", first, again, 1.5);
    float one = ms_of([&] { read = v.c[0]; });
    longer("the host's reads of all and of one", host, one, 4);
    for (int i = 0; i < N; i++) same("sum", i, v.c[i], i + 2.0f);
}

// A system call for the program reads and writes memory that is on the device.
static void test_system_calls() {
    Vectors v;
    int ends[2];
    float got[4] = {};
    v.add();
    CHECK(cudaDeviceSynchronize());
    same("pipe", 0, pipe(ends), 0);
    same("write", 0, (int)write(ends[1], v.c + 1000, sizeof got), (int)sizeof got);
    same("read", 0, (int)read(ends[0], v.a, sizeof got), (int)sizeof got);
    v.add();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++) same("written", i, v.c[i], 1002.0f + i + 2);
    close(ends[0]);
    close(ends[1]);
}

static void test_advice() {
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    volatile float read = 0;
    float launches[2], prefetched, faulted;
    for (int mostly = 0; mostly < 2; mostly++) {
        Vectors v;
        if (mostly) CHECK(cudaMemAdvise(v.a, N * sizeof(float), cudaMemAdviseSetReadMostly, gpu));
        v.add();
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < N; i += 1024) read += v.a[i];
        launches[mostly] = ms_of([&] { v.add(); });
    }
    longer("moved back and read-mostly", launches[0], launches[1], 10);
    Vectors v;
    CHECK(cudaMemPrefetchAsync(v.a, N * sizeof(float), gpu, 0, 0));
    CHECK(cudaMemPrefetchAsync(v.b, N * sizeof(float), gpu, 0, 0));
    CHECK(cudaMemPrefetchAsync(v.c, N * sizeof(float), gpu, 0, 0));
    prefetched = ms_of([&] { v.add(); });
    Vectors w;
    faulted = ms_of([&] { w.add(); });
    longer("faults and a prefetch", faulted, prefetched, 20);
    CHECK(cudaMemPrefetchAsync(w.c, N * sizeof(float), host, 0, 0));
    float back = ms_of([&] {
        for (int i = 0; i < N; i += 1024) read += w.c[i];
    });
    float from = ms_of([&] {
        for (int i = 0; i < N; i += 1024) read += v.c[i];
    });
    longer("reads with faults and after a prefetch", from, back, 10);
}

// A float in each 2 MiB takes a fault, and no more.
static void test_sparse() {
    Vectors v;
    float sparse = ms_of([&] { touch<<<1, 32>>>(v.a, N, N / 2); }),
          rest = ms_of([&] { touch<<<N / 256, 256>>>(v.a, N, 1); });
    longer("the rest and two pages", rest, sparse, 2);
    same("touched", 0, v.a[0], 2.0f);
    same("touched", N - 1, v.a[N - 1], N - 1 + 1.0f);
}

int main() {
    test_touches();
    test_system_calls();
    test_advice();
    test_sparse();
    return finish();
}
