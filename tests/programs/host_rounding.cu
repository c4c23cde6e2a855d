// The host's rounding and its floating-point exceptions that trap are the host's: kernels do not
// see them, calls keep them.
#include "check.h"

#include <cfenv>

__global__ void divide(float *out, float a, float b, double c) {
    out[0] = a / b;
    out[1] = (float)(1 / c);
    out[2] = a / (b - b);
    out[3] = sqrtf(-a);
}

int main() {
    float *out = poisoned<float>(4);
    volatile float one = 1, three = 3;
    fesetround(FE_DOWNWARD);
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
    divide<<<1, 32>>>(out, 1, 3, 3);
    FINISH_KERNEL();
    int traps = fegetexcept(), rounding = fegetround();
    float below = one / three;
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    same("traps", 0, traps, FE_DIVBYZERO | FE_INVALID);
    same("rounding", 0, rounding, FE_DOWNWARD);
    same("third on the host", 0, below, 0x1.555554p-2f);
    std::vector<float> got = to_host(out, 4);
    same("third", 0, got[0], 0x1.555556p-2f);
    same("third of a double", 0, got[1], 0x1.555556p-2f);
    same("infinite", 0, std::isinf(got[2]), true);
    same("not a number", 0, std::isnan(got[3]), true);
    return finish();
}
