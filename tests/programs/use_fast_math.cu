// A whole program under -use_fast_math: approximate division and square root, flushed denormals,
// fast transcendentals.
//
// build fast -use_fast_math
// build prec -prec-div=false -prec-sqrt=false
#include "check.h"

enum { N = 4096 };

__global__ void compute(const float *a, const float *b, float *quotient, float *root, float *wave,
                        float *logistic) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    quotient[i] = a[i] / b[i];
    root[i] = sqrtf(b[i]);
    wave[i] = sinf(a[i]) * cosf(a[i]);
    logistic[i] = 1.0f / (1.0f + expf(-a[i])) + tanhf(a[i]) + powf(b[i], 0.3f) + logf(b[i]);
}

int main() {
    std::vector<float> a(N), b(N);
    for (int i = 0; i < N; i++) a[i] = (float)random_in(-3, 3), b[i] = (float)random_in(0.1, 100);
    float *x = to_device(a), *y = to_device(b), *r = poisoned<float>(4 * N);
    compute<<<N / 256, 256>>>(x, y, r, r + N, r + 2 * N, r + 3 * N);
    FINISH_KERNEL();
    std::vector<float> got = to_host(r, 4 * N);
    for (int i = 0; i < N; i++) {
        double p = a[i], q = b[i];
        within_ulps("quotient", i, got[i], p / q, 2.5);
        within_ulps("square root", i, got[N + i], sqrt(q), 3.5);
        close_to("wave", i, got[2 * N + i], sin(p) * cos(p), 2e-6);
        close_to("logistic", i, got[3 * N + i], 1 / (1 + exp(-p)) + tanh(p) + pow(q, 0.3) + log(q),
                 1e-3);
    }
    return finish();
}
