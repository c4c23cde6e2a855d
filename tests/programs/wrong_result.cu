// A wrong program, to test the tests: the differences are shown, and the exit status is 1.
//
// case | 1 | wrong \[3\]: got 4 \(0x4\), want 3
// case | 1 | ^6 results differ$
// case | 1 | float \[0\]: got 0.100000001 \(0x3dcccccd\), want nan
#include "check.h"

__global__ void wrong(int *out) {
    out[threadIdx.x] = threadIdx.x + threadIdx.x / 3 % 2;
}

int main() {
    int *out = poisoned<int>(8);
    wrong<<<1, 8>>>(out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 8);
    same("float", 0, 0.1f, NAN);
    within_ulps("ulp", 0, 1.0f, 1.0L + 0x1p-21L, 3);
    close_to("near", 0, NAN, 1, 10);
    for (int i = 0; i < 8; i++) same("wrong", i, got[i], i);
    return finish();
}
