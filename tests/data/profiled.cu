/* profiled.cu: kernels whose counts are known by hand, for the tests of labprof on simt. One block
 * of 32 threads is one warp. */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define WARPS 4
#define N     (WARPS * 32)
#define SIDE  32

/* 4 sectors a request, every byte used. */
__global__ void coalesced(const int *in, int *out) {
    out[blockIdx.x * 32 + threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
}

/* A sector for every thread up to a stride of 8 ints. */
template <unsigned STRIDE> __global__ void strided(const int *in, int *out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i * STRIDE];
}

/* All threads in one bank: 32 passes to store, 32 to load. */
__global__ void conflicts(int *out) {
    __shared__ volatile int words[32 * 32];
    words[threadIdx.x * 32] = threadIdx.x;
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = words[((threadIdx.x + 1) % 32) * 32];
}

/* Two operations a thread, one of them fused. */
__global__ void flops(float *x) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    x[i] = fmaf(x[i], 2.0f, 1.0f);
}

/* The warp reads one word: 4 bytes of a sector's 32. */
__global__ void broadcast(const int *in, int *out) {
    out[blockIdx.x * 32 + threadIdx.x] = in[0];
}

/* The product of a matrix with itself, by blocks of 16 x 16: in each step a warp wants two words of
 * two rows, in two sectors, and 16 words of one row, which fill two. */
__global__ void product(const int *in, int *out) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, sum = 0;
    for (int k = 0; k < SIDE; k++) sum += in[row * SIDE + k] * in[k * SIDE + col];
    out[row * SIDE + col] = sum;
}

/* A child that does not exec: it launches a kernel, and leaves without exit handlers. */
static void forked(void) {
    float *x;
    if (fork() == 0) {
        cudaMalloc(&x, N * sizeof(float));
        flops<<<1, 32>>>(x);
        flops<<<2, 32>>>(x);
        _exit(cudaDeviceSynchronize());
    }
    int status = 1;
    wait(&status);
    printf("forked: %d\n", status);
}

/* profiled [fork|SIGNAL]: forks before its first call; or ends by that signal, after its kernels; 0
 * ends with exit code 9. */
int main(int argc, char **argv) {
    int *in, *out;
    bool forks = argc > 1 && !strcmp(argv[1], "fork");
    if (forks) forked();
    cudaMalloc(&in, N * 8 * sizeof(int));
    cudaMalloc(&out, SIDE * SIDE * sizeof(int));
    cudaMemset(in, 0, N * 8 * sizeof(int));
    coalesced<<<WARPS, 32>>>(in, out);
    strided<8><<<WARPS, 32>>>(in, out);
    conflicts<<<WARPS, 32>>>(out);
    flops<<<WARPS, 32>>>((float *)out);
    coalesced<<<WARPS, 32>>>(in, out);
    coalesced<<<WARPS, 2048>>>(in, out);
    printf("refused: %s\n", cudaGetErrorName(cudaGetLastError()));
    broadcast<<<WARPS, 32>>>(in, out);
    product<<<dim3(2, 2), dim3(16, 16)>>>(in, out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    fflush(stdout);
    if (argc < 2 || forks) return error != cudaSuccess;
    raise(atoi(argv[1]));
    return 9;
}
