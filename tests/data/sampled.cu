/* sampled.cu: kernels of big grids, for simt --sample: regular ones, and one whose blocks must run
 * in order. Looks at no result. */
#include <cstdio>

__global__ void scale(float *data, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = 2 * data[i];
}

__global__ void spread(float *to, const float *from, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[8 * i] = from[i];
}

__global__ void turn(float *to, const float *from, unsigned int width) {
    __shared__ float tile[16][17];
    unsigned int x = blockIdx.x * 16, y = blockIdx.y * 16;
    tile[threadIdx.y][threadIdx.x] = from[(y + threadIdx.y) * width + x + threadIdx.x];
    __syncthreads();
    to[(x + threadIdx.y) * width + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void inOrder(unsigned int *ticket, unsigned int *turns) {
    if (threadIdx.x == 0) turns[blockIdx.x] = atomicAdd(ticket, 1u);
}

int main() {
    const unsigned int n = (1u << 18) - 5, width = 512;
    float *a, *b;
    unsigned int *ticket;
    cudaMalloc(&a, 8 * sizeof(float) * (n + 5));
    cudaMalloc(&b, 8 * sizeof(float) * (n + 5));
    cudaMalloc(&ticket, sizeof(unsigned int) * 2048);
    cudaMemset(ticket, 0, sizeof(unsigned int));
    scale<<<(n + 127) / 128, 128>>>(a, n);
    spread<<<(n + 127) / 128, 128>>>(b, a, n);
    turn<<<dim3(width / 16, width / 16), dim3(16, 16)>>>(b, a, width);
    inOrder<<<1024, 32>>>(ticket, ticket + 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
