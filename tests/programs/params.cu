// Kernel parameters: every scalar type with its alignment, structures by value up to 4 KB, members
// indexed at run time.
#include "check.h"

struct Small {
    char a;
    double b;
    short c[3];
};
struct Big {
    int cells[1000];
    float4 tail;
};
struct Empty {};

__global__ void scalars(char a, short b, int c, long long d, float e, double f, bool g,
                        unsigned char h, int *p, Small s, Empty, int3 v, double *out) {
    *out = a + 10.0 * b + 100.0 * c + d + e + f + g + h + *p + s.a + s.b + s.c[0] + s.c[2] + v.x +
           v.y * 2 + v.z * 3;
}
__global__ void indexed(const Big big, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) out[i] = big.cells[(i * 7) % 1000] + (int)big.tail.z;
}
__global__ void changed(Big big, int *out) { // a private copy that each thread may write
    big.cells[threadIdx.x] += threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += big.cells[k];
    out[threadIdx.x] = sum;
}
__device__ __noinline__ int through_pointer(const Big *big, int i) {
    return big->cells[i] * 2;
}
__global__ void address_taken(__grid_constant__ const Big big, int *out) {
    out[threadIdx.x] = through_pointer(&big, threadIdx.x);
}

int main() {
    Big big;
    for (int i = 0; i < 1000; i++) big.cells[i] = i * 3;
    big.tail = make_float4(1, 2, 3, 4);
    std::vector<int> one(1, 12345);
    double *result = poisoned<double>(1);
    int *out = poisoned<int>(1000);
    Small small = {5, 0.125, {6, 7, 8}};
    scalars<<<1, 1>>>(-3, -300, 70000, 1ll << 40, 0.5f, 0.25, true, 200, to_device(one), small,
                      Empty(), make_int3(1, 2, 3), result);
    FINISH_KERNEL();
    double want = -3 - 3000 + 7000000.0 + (double)(1ll << 40) + 0.75 + 1 + 200 + 12345 + 5 + 0.125 +
                  6 + 8 + 1 + 4 + 9;
    same("scalars", 0, to_host(result, 1)[0], want);
    indexed<<<8, 128>>>(big, out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 1000);
    for (int i = 0; i < 1000; i++) same("indexed", i, got[i], i * 7 % 1000 * 3 + 3);
    changed<<<1, 64>>>(big, out);
    FINISH_KERNEL();
    got = to_host(out, 64);
    for (int i = 0; i < 64; i++) same("changed", i, got[i], 3 * 63 * 64 / 2 + i);
    address_taken<<<1, 64>>>(big, out);
    FINISH_KERNEL();
    got = to_host(out, 64);
    for (int i = 0; i < 64; i++) same("address_taken", i, got[i], i * 6);
    return finish();
}
