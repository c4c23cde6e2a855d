// Small kernels of each kind that a GPU's counters tell apart. plots/reference/h200/nvprof.csv has
// what an H200 counts in each; tests/data/counts.awk tells where simt differs.
#include <cuda_fp16.h>
#include <stdio.h>

__global__ void half1(__half *x) {
    __half a = x[threadIdx.x];
    a = __hadd(a, a);
    a = __hmul(a, x[32]);
    a = __hfma(a, a, x[33]);
    x[threadIdx.x] = a;
}
__global__ void half2x(__half2 *x) {
    __half2 a = x[threadIdx.x];
    a = __hadd2(a, a);
    a = __hmul2(a, x[32]);
    a = __hfma2(a, a, x[33]);
    x[threadIdx.x] = a;
}
__global__ void floats(float *x) {
    float a = x[threadIdx.x];
    a = __fadd_rn(a, a);
    a = __fmul_rn(a, x[32]);
    a = fmaf(a, a, x[33]);
    a = __sinf(a);
    a = rsqrtf(a);
    if (a > x[34]) a = x[35];
    x[threadIdx.x] = a;
}
__global__ void doubles(double *x) {
    double a = x[threadIdx.x];
    a = __dadd_rn(a, a);
    a = __dmul_rn(a, x[32]);
    a = fma(a, a, x[33]);
    x[threadIdx.x] = a;
}
__global__ void converts(int *x, float *f, double *d) {
    f[threadIdx.x] = (float)x[threadIdx.x];
    d[threadIdx.x] = (double)f[threadIdx.x + 64];
    x[threadIdx.x] = (int)f[threadIdx.x + 128];
}
__global__ void integers(unsigned *x) {
    unsigned a = x[threadIdx.x];
    a = a * 3 + x[32];
    a ^= x[33];
    a >>= a & 7;
    a = __popc(a) + __clz(a);
    if (a > x[34]) a = x[35];
    x[threadIdx.x] = a;
}
__global__ void shuffles(int *x) {
    int a = x[threadIdx.x];
    a = __shfl_xor_sync(~0u, a, 1);
    a += __ballot_sync(~0u, a > 3);
    x[threadIdx.x] = a;
}
__global__ void control(int *x, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] > 5) s += x[i + 32];
        __syncthreads();
    }
    x[threadIdx.x] = s;
}
__global__ void global_atomics(int *x) {
    x[threadIdx.x + 64] = atomicAdd(x, threadIdx.x);
    x[threadIdx.x + 128] = atomicCAS(x + 1, 3, 4);
    atomicAdd(x + threadIdx.x, 1);
    x[threadIdx.x + 192] = atomicExch(x + 2, 7);
}
__global__ void shared_atomics(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[0], 1);
    x[threadIdx.x] = atomicCAS(&s[threadIdx.x], 0, 1);
    atomicMax(&s[32], (int)threadIdx.x);
    x[threadIdx.x + 32] = s[0] + s[32];
}
__global__ void surfaces(cudaSurfaceObject_t s) {
    int v;
    surf1Dread(&v, s, threadIdx.x * 4);
    surf1Dwrite(v + 1, s, threadIdx.x * 4 + 128);
}
__global__ void locals(int *x, int n) {
    int a[64];
    for (int i = 0; i < n; i++) a[x[i]] = i;
    x[threadIdx.x] = a[x[threadIdx.x]];
}

__global__ void local_sum(float *x, int n) {
    __shared__ float s[33 * 32];
    float v[8];
    for (int i = 0; i < 8; i++) v[i] = x[threadIdx.x * 8 + i];
    for (int r = 0; r < n; r++) {
        s[threadIdx.x * 33] = v[r & 7];
        __syncthreads();
        v[(r + 3) & 7] += s[((threadIdx.x + r) & 31) * 33];
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) x[threadIdx.x * 8 + i] = v[i];
}
__global__ void many(const float4 *a, float4 *b, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = a[i];
        v.x += v.y;
        b[i] = v;
    }
}
__global__ void textures(cudaTextureObject_t t, float *x) {
    x[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x * 3) + tex1Dfetch<float>(t, 5);
}
__global__ void surface_atomics(cudaSurfaceObject_t s, int *x) {
    unsigned long long a = s;
    asm volatile("sured.b.1d.add.u32.trap [%0, {%1}], %2;" ::"l"(a), "r"(threadIdx.x * 4), "r"(1));
    x[threadIdx.x] = 1;
}

template <class T> static T *memory() {
    void *p;
    cudaMalloc(&p, 1 << 16);
    cudaMemset(p, 0, 1 << 16);
    return (T *)p;
}

static cudaSurfaceObject_t surface() {
    cudaResourceDesc r = {};
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    cudaMallocArray(&r.res.array.array, &ints, 1024, 0, cudaArraySurfaceLoadStore);
    cudaCreateSurfaceObject(&s, &r);
    return s;
}

static cudaTextureObject_t texture() {
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory<float>();
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 4096;
    cudaCreateTextureObject(&t, &r, &how, 0);
    return t;
}

int main() {
    float4 *a, *b;
    half1<<<1, 32>>>(memory<__half>());
    half2x<<<1, 32>>>(memory<__half2>());
    floats<<<1, 32>>>(memory<float>());
    doubles<<<1, 32>>>(memory<double>());
    converts<<<1, 32>>>(memory<int>(), memory<float>(), memory<double>());
    integers<<<1, 32>>>(memory<unsigned>());
    shuffles<<<1, 32>>>(memory<int>());
    control<<<1, 32>>>(memory<int>(), 10);
    global_atomics<<<1, 32>>>(memory<int>());
    shared_atomics<<<1, 32>>>(memory<int>());
    locals<<<1, 32>>>(memory<int>(), 10);
    surfaces<<<1, 32>>>(surface());
    local_sum<<<1, 32>>>(memory<float>(), 10);
    cudaMalloc(&a, 16 << 20);
    cudaMalloc(&b, 16 << 20);
    cudaMemset(a, 0, 16 << 20);
    many<<<264, 256>>>(a, b, 1 << 20);
    textures<<<1, 32>>>(texture(), memory<float>());
    surface_atomics<<<1, 32>>>(surface(), memory<int>());
    cudaError_t error = cudaDeviceSynchronize();
    if (error) printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
