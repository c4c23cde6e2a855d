// kinds.cu KERNEL: a kernel for each kind of operation that the see page has a sentence for, in two
// blocks of two warps. `kinds` alone names them.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>
#include <mma.h>

enum { BLOCKS = 2, THREADS = 64, WORDS = 4096 };
#define INDEX (blockIdx.x * THREADS + threadIdx.x)

__constant__ int table[64];
__device__ int sink[WORDS];

__device__ unsigned sharedAddress(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Widths, strides, an offset that no sector begins at, a request that few lanes make. */
__global__ void globalMemory(int *in, int *out) {
    unsigned i = INDEX;
    int4 wide = ((int4 *)in)[i];
    int sum = in[i + 1] + in[i * 8] + __ldg(in + i) + ((char *)in)[i] + (int)((double *)in)[i];
    if (threadIdx.x % 7 == 3) sum += in[0];
    ((int2 *)out)[i] = make_int2(sum, wide.x + wide.w);
    if (i % 32 < 5) out[i * 9 + 1000] = sum;
}

__global__ void sharedMemory(int *in, int *out) {
    __shared__ __align__(16) int tile[THREADS * 33];
    unsigned t = threadIdx.x;
    tile[t * 32] = in[t];
    tile[t * 33] = in[t + 1];
    __syncthreads();
    int4 wide = ((int4 *)tile)[t];
    double pair = ((double *)tile)[t * 2];
    out[INDEX] = tile[t * 2] + tile[5] + ((char *)tile)[t] + wide.y + (int)pair;
}

__global__ void localMemory(int *in, int *out) {
    int own[16];
    double two[4];
    for (int i = 0; i < 16; i++) own[i] = in[i + threadIdx.x];
    for (int i = 0; i < 4; i++) two[in[i] & 3] = i;
    own[threadIdx.x & 15] = 1;
    ((char *)own)[threadIdx.x & 31] = 2;
    out[INDEX] = own[in[threadIdx.x] & 15] + own[in[0] & 15] + (int)two[in[1] & 3];
}

/* Lanes of one access go to three spaces. */
__device__ __noinline__ int through(int *p) {
    *p += 1;
    return *p;
}
__global__ void genericMemory(int *in, int *out) {
    __shared__ int tile[THREADS];
    int own[2] = {in[0], in[1]};
    int *places[3] = {tile + threadIdx.x, own + (in[2] & 1), out + 512 + INDEX};
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[INDEX] = through(places[threadIdx.x % 3]) + through(places[0]) + own[0];
}

__global__ void atomics(int *in, int *out) {
    __shared__ int count[4];
    __shared__ unsigned long long wide;
    unsigned t = threadIdx.x;
    if (t < 4) count[t] = 0;
    if (t == 0) wide = 0;
    __syncthreads();
    atomicAdd(&count[t % 4], 1);
    out[INDEX] = atomicMax(&count[t % 3], (int)t) + (int)atomicAdd(&wide, t);
    atomicAdd(&sink[t * 3], 1);
    asm volatile("red.global.add.u32 [%0], 1;" : : "l"(sink + t * 5) : "memory");
    out[INDEX] +=
        atomicAdd(&sink[t / 8], 2) + atomicCAS(&sink[t], 1, 3) + atomicExch(&sink[500], t);
}

__global__ void constants(int *in, int *out) {
    out[INDEX] = table[in[0] & 63] + table[threadIdx.x] + table[threadIdx.x / 8];
}

__global__ void images(cudaTextureObject_t line, cudaTextureObject_t plane,
                       cudaSurfaceObject_t surface, int *out) {
    int t = threadIdx.x;
    float sum = tex1Dfetch<float>(line, t * 3) + tex2D<float>(plane, t % 8 + 0.5f, t / 8 + 0.5f);
    surf2Dwrite(sum, surface, (t % 8) * 4, t / 8);
    __syncthreads();
    out[INDEX] = (int)surf2Dread<float>(surface, (t % 8) * 4, 7 - t / 8);
}

__global__ void together(int *in, int *out) {
    int v = in[INDEX], sum = __shfl_down_sync(~0u, v, 3) + __shfl_xor_sync(~0u, v, 5);
    sum += __shfl_sync(~0u, v, v & 7, 8) + __shfl_up_sync(~0u, v, 1);
    sum += __all_sync(~0u, v > 3) + __any_sync(~0u, v > 3) + (int)__ballot_sync(~0u, v % 3 == 0);
    sum += (int)__match_any_sync(~0u, v % 5), sum += (int)__reduce_add_sync(~0u, v);
    int same;
    sum += (int)__match_all_sync(~0u, 7, &same) + same + (int)__activemask();
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }"
                 : "=r"(same));
    __syncwarp();
    if (v % 2) sum += (int)__reduce_max_sync(__activemask(), v);
    out[INDEX] = sum + same;
}

__global__ void matrices(half *in, float *out) {
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half tile[256];
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    for (int i = threadIdx.x; i < 256; i += THREADS) tile[i] = in[i];
    __syncthreads();
    load_matrix_sync(a, tile, 16);
    load_matrix_sync(b, in, 16);
    fill_fragment(c, 0.0f);
    mma_sync(c, a, b, c);
    store_matrix_sync(out + blockIdx.x * 256, c, 16, mem_row_major);
    unsigned r0, r1, row = sharedAddress(tile + threadIdx.x % 16 * 16);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(row)
                 : "memory");
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r1) : "r"(r0));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"
                 :
                 : "r"(row), "r"(r1)
                 : "memory");
}

__global__ void copies(int *in, int *out) {
    __shared__ __align__(16) int tile[THREADS * 4];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(sharedAddress(&barrier)));
    __pipeline_memcpy_async(tile + t * 4, in + t * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0); // all copies
    __syncthreads();
    out[INDEX] = tile[t * 4 + 3];
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;"
                     :
                     : "r"(sharedAddress(&barrier)));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], 1024, [%2];"
                     :
                     : "r"(sharedAddress(tile)), "l"(__cvta_generic_to_global(in)),
                       "r"(sharedAddress(&barrier))
                     : "memory");
    }
    __syncthreads();
    out[INDEX] += tile[t];
}

/* A branch that divides, one that a GPU predicates, a jump by a table, a loop that lanes leave. */
__global__ void branches(int *in, int *out) {
    int v = in[INDEX];
    if (threadIdx.x % 2) {
        for (int i = 0; i < 9; i++) v = v * 3 + in[v & 255];
    } else {
        for (int i = 0; i < 7; i++) v = v / 3 + in[v & 127];
    }
    if (v < 7) v += 3;
    switch (threadIdx.x % 6) {
    case 0: v += in[7]; break;
    case 1: v *= in[9] + 1; break;
    case 2: v ^= in[v & 15] / 3; break;
    case 3: v -= in[11] % 5; break;
    case 4: v |= in[v & 31]; break;
    default: v = ~v;
    }
    if (threadIdx.x == 40) return;
    out[INDEX] = v;
}

__device__ __noinline__ int square(int v) {
    return v < 0 ? 0 : v * v + sink[v & 3];
}
__device__ __noinline__ int twice(int v) {
    return square(v & 3) * 2 + sink[v & 7];
}
__device__ __noinline__ int down(int v) {
    return v <= 0 ? 1 : down(v - 1) + v;
}
__global__ void calls(int *in, int *out) {
    int (*chosen)(int) = in[INDEX] % 2 ? twice : square;
    int v = twice(in[threadIdx.x]);
    if (v % 3) v += square(v & 15);
    if (threadIdx.x == 0) printf("block %u\n", blockIdx.x);
    out[INDEX] = v + chosen(v & 7) + down((int)threadIdx.x & 3);
}

__global__ void barriersAndFences(int *in, int *out) {
    unsigned t = threadIdx.x;
    int n = __syncthreads_count(in[t] > 3) + __syncthreads_or(in[t] > 5);
    if (t / 32 == 0)
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, 64;" ::: "memory");
    sink[INDEX] = n;
    __threadfence();
    __nanosleep(20);
    asm volatile("prefetch.global.L2 [%0];" : : "l"(in + t));
    out[INDEX] = n;
}

__global__ void arithmetic(float *in, float *out) {
    float v = in[INDEX], sum = v * v + in[0];
    double d = (double)v * 3.0 + v;
    half2 h = __hadd2(__float2half2_rn(v), __float2half2_rn(1.0f));
    out[INDEX] = sum + __sinf(v) + sqrtf(v) + (float)d + (v > 2 ? __low2float(h) : v) + v / 3;
}

__global__ void child(int *out) {
    out[256 + INDEX] = (int)threadIdx.x;
}
__global__ void parent(int *in, int *out) {
    if (threadIdx.x < 2) child<<<in[threadIdx.x] % 2 + 1, 32>>>(out);
    out[INDEX] = in[threadIdx.x];
}

static cudaTextureObject_t textureOf(const cudaResourceDesc &resource) {
    cudaTextureDesc how = {};
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    return texture;
}

static void runImages(float *in, int *out) {
    cudaResourceDesc line = {}, plane = {};
    cudaChannelFormatDesc word = cudaCreateChannelDesc<float>();
    cudaArray_t texels, points;
    cudaSurfaceObject_t surface = 0;
    cudaMallocArray(&texels, &word, 8, 8);
    cudaMallocArray(&points, &word, 8, 8, cudaArraySurfaceLoadStore);
    line.resType = cudaResourceTypeLinear;
    line.res.linear.devPtr = in;
    line.res.linear.desc = word;
    line.res.linear.sizeInBytes = WORDS * sizeof *in;
    plane.resType = cudaResourceTypeArray;
    plane.res.array.array = texels;
    cudaTextureObject_t one = textureOf(line), two = textureOf(plane);
    plane.res.array.array = points;
    cudaCreateSurfaceObject(&surface, &plane);
    images<<<BLOCKS, THREADS>>>(one, two, surface, out);
}

#define KERNEL(name, type)                                                                         \
    {                                                                                              \
#name, [](void *in, void *out) { name<<<BLOCKS, THREADS>>>((type *)in, (type *)out); }     \
    }
static const struct {
    const char *name;
    void (*run)(void *in, void *out);
} KERNELS[] = {
    KERNEL(globalMemory, int),
    KERNEL(sharedMemory, int),
    KERNEL(localMemory, int),
    KERNEL(genericMemory, int),
    KERNEL(atomics, int),
    KERNEL(constants, int),
    {"images", [](void *in, void *out) { runImages((float *)in, (int *)out); }},
    KERNEL(together, int),
    {"matrices",
     [](void *in, void *out) { matrices<<<BLOCKS, THREADS>>>((half *)in, (float *)out); }},
    KERNEL(copies, int),
    KERNEL(branches, int),
    KERNEL(calls, int),
    KERNEL(barriersAndFences, int),
    KERNEL(arithmetic, float),
    KERNEL(parent, int),
};

int main(int argc, char **argv) {
    int *in, *out;
    cudaMallocManaged(&in, WORDS * sizeof *in);
    cudaMallocManaged(&out, WORDS * sizeof *out);
    for (int i = 0; i < WORDS; i++) in[i] = i * 7 % 23;
    cudaMemcpyToSymbol(table, in, sizeof table);
    for (const auto &kernel : KERNELS) {
        if (argc < 2) puts(kernel.name);
        if (argc > 1 && strcmp(argv[1], kernel.name) == 0) kernel.run(in, out);
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (error) fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
