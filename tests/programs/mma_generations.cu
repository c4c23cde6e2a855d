// How many bits after the point of the largest term tensor cores keep depends on their generation:
// 25 from Hopper on, 24 on Turing, Ampere and Ada. There terms of 2^-25 beside 1 are lost; on
// Hopper four of them make one last bit.
//
// build turing arch=75 gpu=rtx2070
// build ampere arch=80 gpu=a100
// build hopper arch=90 gpu=h200
#include "check.h"

enum { ROWS = 16, COLUMNS = 8 };

/* A is a everywhere or, as its halves, in even and odd columns; B likewise in its rows; C is c. */
__global__ void multiply(float *out, unsigned a, unsigned b, float c) {
    float d[4] = {c, c, c, c};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, "
                 "{%5}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a), "r"(b));
    for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = d[i];
}

static float product(unsigned a, unsigned b, float c) {
    float *d_out = poisoned<float>(ROWS * COLUMNS);
    multiply<<<1, 32>>>(d_out, a, b, c);
    FINISH_KERNEL();
    std::vector<float> out = to_host(d_out, ROWS * COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++) same("another element", i, out[i], out[0]);
    release(d_out);
    return out[0];
}

int main() {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const unsigned one = 0x3C00, small = 0x0C00 /* 2^-12 */, smaller = 0x0800; /* 2^-13 */
    const float last = 1.0f / (1 << 23);
    same("8 ones", 0, product(one | one << 16, one | one << 16, 0), 8.0f);
    same("8 ones and a half", 0, product(one | one << 16, one | one << 16, 0.5f), 8.5f);
    same("2^-24 four times", 0, product(small, small, 1), 1 + 2 * last);
    same("2^-25 four times", 0, product(small, smaller, 1), properties.major >= 9 ? 1 + last : 1);
    return finish();
}
