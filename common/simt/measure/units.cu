/*
 * units.cu: latencies and rates of the units beside the lanes of a multiprocessor: its tensor cores
 * and its texture unit. The tensor cores' instructions are PTX for 9.0; built for older GPUs, the
 * program leaves them out.
 */
#include "calibrate.h"

enum { ROUNDS = 64, CHAINS = 4, RATE_WARPS = 16, SCHEDULERS = 4, QUADS = WARP / 4 };

/* ---- Cycles ---- */

static __device__ long long clocks; /* of the last kernel's first warp */

static __device__ void stop(long long begin) {
    if (!blockIdx.x && !threadIdx.x) clocks = clock64() - begin;
}

/* Clock cycles of one unit of work, where launch(n) does n of them. A GPU counts them itself: while
 * its tensor cores work, its clock is slower than else. A simulated GPU's clock64() counts
 * instructions. */
template <class Launch> static Figure workCycles(const Bench &bench, Launch launch) {
    const int n = roundsFor(bench, ROUNDS);
    if (bench.device.modelled) return unitCycles(bench, n, launch);
    std::vector<double> samples;
    auto count = [&](int units) {
        long long counted;
        launch(units);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyFromSymbol(&counted, clocks, sizeof counted));
        return (double)counted;
    };
    count(n);
    for (int pair = 0; pair < pairsOf(bench); pair++) {
        double once = count(n);
        samples.push_back((count(3 * n) - once) / (2.0 * n));
    }
    return figureOf(samples);
}

/* ---- Tensor cores: sum = a b + sum, over and over ---- */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define PRODUCT(...) asm volatile(__VA_ARGS__)
#else
#define PRODUCT(...)
#endif

/* Rows of 128 bits. */
struct Halves8 {
    typedef float Type;
    static __device__ void step(float sum[4]) {
        PRODUCT("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, "
                "{%4}, {%0, %1, %2, %3};"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(0));
    }
};
/* Rows of twice as many. */
struct Halves16 {
    typedef float Type;
    static __device__ void step(float sum[4]) {
        PRODUCT("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, "
                "%4}, {%4, %4}, "
                "{%0, %1, %2, %3};"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(0));
    }
};
/* Rows of 4 doubles. */
struct Doubles4 {
    typedef double Type;
    static __device__ void step(double sum[4]) {
        PRODUCT("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %4}, "
                "{%4}, {%0, %1, %2, %3};"
                : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                : "d"(0.0));
    }
};

/* Chains of products that do not depend on each other. */
template <class Op, int chains> __global__ void multiply(typename Op::Type *data, int rounds) {
    typename Op::Type sum[chains][4] = {};
    long long begin = clock64();
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++) Op::step(sum[i % chains]);
    }
    for (int c = 0; c < chains; c++) data[threadIdx.x] += sum[c][0];
    stop(begin);
}

template <class Op, int chains>
static Figure productCycles(const Bench &bench, int blocks, int warps) {
    typename Op::Type *data = deviceArray<typename Op::Type>(MOST_THREADS);
    Figure cycles =
        workCycles(bench, [&](int n) { multiply<Op, chains><<<blocks, warps * WARP>>>(data, n); });
    CHECK(cudaFree(data));
    return times(cycles, 1.0 / UNROLL_COUNT);
}

template <class Op> static Figure productLatency(const Bench &bench) {
    return productCycles<Op, 1>(bench, 1, 1);
}

/* Cycles for which a product keeps the tensor core of its scheduler. */
template <class Op> static Figure productBusy(const Bench &bench) {
    return times(productCycles<Op, CHAINS>(bench, oneEach(bench), RATE_WARPS),
                 (double)SCHEDULERS / RATE_WARPS);
}

static Figure difference(Figure more, Figure less) {
    Figure figure = {more.value - less.value, more.spread + less.spread};
    return figure;
}

static void printProducts(const Bench &bench) {
    cudaFuncAttributes built;
    CHECK(cudaFuncGetAttributes(&built, multiply<Halves8, 1>));
    if (built.ptxVersion < 90) return;
    const char *dependent = "dependent mma of a warp",
               *busy = "4 chains of mma in each of 16 warps";
    Figure latency = productLatency<Halves8>(bench), cycles = productBusy<Halves8>(bench);
    print("tensor_latency_cycles", latency, "cycles", dependent);
    print("tensor_step_latency_cycles", difference(productLatency<Halves16>(bench), latency),
          "cycles", "what rows of 256 bits take longer");
    print("tensor_cycles", cycles, "cycles", busy);
    print("tensor_step_cycles", difference(productBusy<Halves16>(bench), cycles), "cycles",
          "what rows of 256 bits take longer");
    print("tensor_fp64_latency_cycles", productLatency<Doubles4>(bench), "cycles", dependent);
    print("tensor_fp64_cycles", productBusy<Doubles4>(bench), "cycles", busy);
}

/* ---- The texture unit: each texel, which is 0, is the place of the next ---- */

template <int chains> __global__ void fetch(cudaTextureObject_t texture, float *data, int rounds) {
    float x[chains] = {};
    long long begin = clock64();
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++)
            x[i % chains] = tex2D<float>(texture, x[i % chains], x[i % chains]);
    }
    for (int c = 0; c < chains; c++) data[threadIdx.x] += x[c];
    stop(begin);
}

template <int chains>
static Figure fetchCycles(const Bench &bench, cudaTextureObject_t texture, int blocks,
                          int threads) {
    float *data = deviceArray<float>(MOST_THREADS);
    Figure cycles =
        workCycles(bench, [&](int n) { fetch<chains><<<blocks, threads>>>(texture, data, n); });
    CHECK(cudaFree(data));
    return times(cycles, 1.0 / UNROLL_COUNT);
}

static void printFetches(const Bench &bench) {
    const float zero = 0;
    cudaChannelFormatDesc texels = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&resource.res.array.array, &texels, 1, 1));
    CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, &zero, sizeof zero, sizeof zero, 1,
                              cudaMemcpyHostToDevice));
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    print("texture_latency_cycles", fetchCycles<1>(bench, texture, 1, WARP), "cycles",
          "dependent tex2D of one texel by a warp, and a move between two");
    Figure fetches = fetchCycles<CHAINS>(bench, texture, oneEach(bench), MOST_THREADS);
    print("texture_pass_cycles", times(fetches, 1.0 / QUADS / (MOST_THREADS / WARP)), "cycles",
          "4 chains of tex2D in each of 32 warps; for 4 threads of a fetch");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
}

int main() {
    Bench bench = openBench("units");
    printProducts(bench);
    printFetches(bench);
    return EXIT_OK;
}
