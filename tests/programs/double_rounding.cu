// Double arithmetic in all four rounding modes, bit for bit as IEEE 754 has it.
#include "part_rounding.h"

#define MODE(m)                                                                                    \
    o[0] = __dadd_##m(x, y), o[1] = __dsub_##m(x, y), o[2] = __dmul_##m(x, y),                     \
    o[3] = __ddiv_##m(x, y);                                                                       \
    o[4] = __fma_##m(x, y, z), o[5] = __dsqrt_##m(x), o += OPERATIONS

__global__ void rounded(const double *a, const double *b, const double *c, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], y = b[i], z = c[i], *o = out + (size_t)i * ROUNDING_RESULTS;
    MODE(rn);
    MODE(rz);
    MODE(ru);
    MODE(rd);
}

int main() {
    test_rounding<double>("element * 24 + mode * 6 + operation", rounded);
    return finish();
}
