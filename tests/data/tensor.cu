// Products by tensor cores and loads of matrices. What ncu counted on an H200 (driver 580.159.04):
// 12800 instructions of tensor cores; 32 passes for each ldmatrix, 28 of them conflicts, and no
// shared load.
#include <cstdio>

enum {
    BLOCKS = 100,
    THREADS = 128,
    PRODUCTS = 32,
    LOADS = 2,
    STRIDE = 128 /* bytes from a row to the next */
};

__global__ void multiply(float *out) {
    float d[4] = {1, 2, 3, 4};
    unsigned a = 0x3C003C00;
#pragma unroll
    for (int i = 0; i < PRODUCTS; i++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, "
                     "{%4}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a));
    for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = d[i];
}

__global__ void loadRows(unsigned *out) {
    __shared__ __align__(16) unsigned words[32 * STRIDE / sizeof(unsigned)];
    unsigned base = (unsigned)__cvta_generic_to_shared(words), sum = 0;
    for (int i = 0; i < LOADS; i++) {
        unsigned r[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(base + threadIdx.x % 32 * STRIDE)
                     : "memory");
        sum += r[0] ^ r[1] ^ r[2] ^ r[3];
    }
    out[threadIdx.x] = sum;
}

int main() {
    float *out;
    cudaMalloc(&out, THREADS * 4 * sizeof *out);
    multiply<<<BLOCKS, THREADS>>>(out);
    loadRows<<<BLOCKS, THREADS>>>((unsigned *)out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
