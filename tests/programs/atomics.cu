// Atomic operations in global and shared memory: every operation and type, with and without use of
// the old value, all scopes.
#include "check.h"

enum { THREADS = 256, BLOCKS = 5, N = THREADS * BLOCKS, CELLS = 24 };

// CUDA has no sum of signed 64-bit integers; the unsigned one does.
template <class T> __device__ void atomic_sum(T *cell, T x) {
    atomicAdd(cell, x);
}
template <> __device__ void atomic_sum(long long *cell, long long x) {
    atomicAdd((unsigned long long *)cell, (unsigned long long)x);
}
// The operations whose outcome does not depend on the order.
template <class T> __device__ void integer_ops(T *cell, T x, int i) {
    atomic_sum(cell + 0, x);
    atomicMin(cell + 1, x);
    atomicMax(cell + 2, x);
    atomicAnd(cell + 3, ~((T)1 << (i % 29)));
    atomicOr(cell + 4, (T)1 << (i % 31));
    atomicXor(cell + 5, x);
}
template <class T> __global__ void integers(const T *in, T *global) {
    __shared__ T shared[6];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 6)
        shared[threadIdx.x] = threadIdx.x == 3   ? ~(T)0
                              : threadIdx.x == 1 ? in[0]
                              : threadIdx.x == 2 ? in[0]
                                                 : 0;
    __syncthreads();
    integer_ops(shared, in[i], i);
    integer_ops(global, in[i], i);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomic_sum(global + 6, shared[0]);
        atomicMin(global + 7, shared[1]);
        atomicMax(global + 8, shared[2]);
        atomicAnd(global + 9, shared[3]);
        atomicOr(global + 10, shared[4]);
        atomicXor(global + 11, shared[5]);
    }
}
template <class T> static void test_integers(const char *type) {
    std::vector<T> in(N), cells(12);
    for (T &x : in) x = (T)random64() / 2;
    T want[6] = {0, in[0], in[0], (T) ~(T)0, 0, 0};
    for (int k = 0; k < 12; k++) cells[k] = want[k % 6];
    for (int i = 0; i < N; i++) {
        want[0] = (T)((unsigned long long)want[0] + (unsigned long long)in[i]);
        want[1] = in[i] < want[1] ? in[i] : want[1];
        want[2] = in[i] > want[2] ? in[i] : want[2];
        want[3] &= ~((T)1 << (i % 29));
        want[4] |= (T)1 << (i % 31);
        want[5] ^= in[i];
    }
    T *global = to_device(cells);
    integers<<<BLOCKS, THREADS>>>(to_device(in), global);
    FINISH_KERNEL();
    cells = to_host(global, 12);
    for (int k = 0; k < 12; k++) same(type, k, cells[k], want[k % 6]);
}

// Old values: each ticket is drawn once; inc and dec wrap; CAS and exch hand values on.
__global__ void tickets(unsigned *counters, int *drawn, unsigned long long *chain,
                        float *exchanged) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    drawn[atomicAdd(counters, 1u)] = 1;
    atomicInc(counters + 1, 99); // 0..99, and round again
    atomicDec(counters + 2, 49); // 49..0
    unsigned last = atomicInc(counters + 3, ~0u);
    drawn[N + last] = 1;
    atomicSub(counters + 4, 3u);
    unsigned long long old = *chain, assumed;
    do { // x -> x * 3 + 1, one step a thread
        assumed = old;
        old = atomicCAS(chain, assumed, assumed * 3 + 1);
    } while (old != assumed);
    atomicAdd(exchanged + 1,
              atomicExch(exchanged, (float)i)); // everything but the last value comes back
    unsigned short half_word =
        atomicCAS((unsigned short *)(counters + 5) + (i & 1), (unsigned short)7, (unsigned short)i);
    if (half_word == 7) atomicAdd(counters + 6, 1u);
}
// Floating-point sums of integers: exact in any order.
__global__ void floats(float *f, double *d, float *shared_result) {
    __shared__ float sum;
    __shared__ double wide;
    if (threadIdx.x == 0) sum = 0, wide = 0;
    __syncthreads();
    atomicAdd(f, (float)(threadIdx.x % 8));
    atomicAdd(d, 0.25 * threadIdx.x);
    atomicAdd(&sum, 1.0f);
    atomicAdd(&wide, 0.5);
    __syncthreads();
    if (threadIdx.x == 0) shared_result[blockIdx.x] = sum + (float)wide;
}
__global__ void scopes(int *cells, unsigned long long *wide) {
    atomicAdd_block(cells + blockIdx.x, 1);
    atomicAdd_system(cells + BLOCKS, 1);
    atomicMax_system(cells + BLOCKS + 1, (int)(blockIdx.x * blockDim.x + threadIdx.x));
    atomicCAS_block(cells + BLOCKS + 2 + blockIdx.x, 0, (int)blockIdx.x + 1);
    atomicExch_system(cells + 2 * BLOCKS + 2, 4711);
    atomicOr_block(wide + blockIdx.x, 1ull << (threadIdx.x % 64));
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 2;" ::"l"(cells + 2 * BLOCKS + 3)
                 : "memory");
    unsigned old;
    asm volatile("atom.acq_rel.sys.global.add.u32 %0, [%1], 1;"
                 : "=r"(old)
                 : "l"(cells + 2 * BLOCKS + 4)
                 : "memory");
    if (old >= N) cells[2 * BLOCKS + 4] = -1; // each old value is below the number of threads
}

static void test_tickets() {
    std::vector<unsigned> counters = {0, 0, 0, 0, 0, 7 | 7 << 16, 0};
    unsigned *device_counters = to_device(counters);
    int *drawn = to_device(std::vector<int>(2 * N));
    unsigned long long *chain = to_device(std::vector<unsigned long long>(1, 1)), want = 1;
    float *exchanged = to_device(std::vector<float>(2, 0));
    tickets<<<BLOCKS, THREADS>>>(device_counters, drawn, chain, exchanged);
    FINISH_KERNEL();
    counters = to_host(device_counters, 7);
    same("tickets", 0, counters[0], N);
    same("atomicInc", 0, counters[1], N % 100);
    same("atomicDec", 0, counters[2], (50 - N % 50) % 50);
    same("atomicInc without limit", 0, counters[3], N);
    same("atomicSub", 0, counters[4], 0u - 3 * N);
    same("16-bit atomicCAS", 0, counters[6], 2);
    int i = 0;
    for (int x : to_host(drawn, 2 * N)) same("drawn once", i++, x, 1);
    for (i = 0; i < N; i++) want = want * 3 + 1;
    same("atomicCAS", 0, to_host(chain, 1)[0], want);
    std::vector<float> sum = to_host(exchanged, 2);
    same("atomicExch", 0, sum[0] + sum[1], (float)(N * (N - 1) / 2));
}

static void test_floats() {
    float *f = to_device(std::vector<float>(1, 0)), *per_block = poisoned<float>(BLOCKS);
    double *d = to_device(std::vector<double>(1, 0));
    floats<<<BLOCKS, THREADS>>>(f, d, per_block);
    FINISH_KERNEL();
    same("float", 0, to_host(f, 1)[0], (float)(N * 3.5));
    same("double", 0, to_host(d, 1)[0], 0.25 * BLOCKS * THREADS * (THREADS - 1) / 2);
    for (float x : to_host(per_block, BLOCKS)) same("shared", 0, x, (float)(THREADS * 1.5));
}

static void test_scopes() {
    int *cells = to_device(std::vector<int>(2 * BLOCKS + 5));
    unsigned long long *wide = to_device(std::vector<unsigned long long>(BLOCKS));
    scopes<<<BLOCKS, THREADS>>>(cells, wide);
    FINISH_KERNEL();
    std::vector<int> got = to_host(cells, 2 * BLOCKS + 5);
    for (int b = 0; b < BLOCKS; b++) {
        same("_block", b, got[b], THREADS);
        same("CAS_block", b, got[BLOCKS + 2 + b], b + 1);
        same("64-bit or", b, to_host(wide, BLOCKS)[b], ~0ull);
    }
    same("_system", 0, got[BLOCKS], N);
    same("max_system", 0, got[BLOCKS + 1], N - 1);
    same("red.relaxed", 0, got[2 * BLOCKS + 3], 2 * N);
    same("atom.acq_rel", 0, got[2 * BLOCKS + 4], N);
}

int main() {
    test_integers<int>("int");
    test_integers<unsigned>("unsigned");
    test_integers<long long>("long long");
    test_integers<unsigned long long>("unsigned long long");
    test_tickets();
    test_floats();
    test_scopes();
    return finish();
}
