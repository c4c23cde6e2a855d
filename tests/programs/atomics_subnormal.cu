// atomicAdd of floats to global memory takes subnormal operands and results for zeros of their
// sign, as measured on an H200; in shared memory, and of doubles, it does not. What was in memory
// is returned as it was.
#include "check.h"

struct Case {
    float was, added, becomes, becomes_shared;
};

__global__ void add(const Case *cases, float *cells, float *results) {
    __shared__ float cell;
    const Case &c = cases[blockIdx.x];
    float *r = results + 4 * blockIdx.x, *global = cells + blockIdx.x;
    *global = c.was;
    cell = c.was;
    r[0] = atomicAdd(global, c.added);
    r[1] = *(volatile float *)global;
    r[2] = atomicAdd(&cell, c.added);
    r[3] = *(volatile float *)&cell;
    *global = c.was;
    atomicAdd(global, c.added); // a reduction
}

// Which memory it is shows only when the kernel runs.
__global__ void anywhere(const Case *cases, float *cells, float *results, bool shared) {
    __shared__ float cell;
    float *p = shared ? &cell : cells + blockIdx.x;
    *p = cases[blockIdx.x].was;
    atomicAdd(p, cases[blockIdx.x].added);
    results[blockIdx.x] = *(volatile float *)p;
}

__global__ void exchange(float *cell, double *wide, float *old) {
    *old = atomicExch(cell, 1e-40f);
    atomicAdd(wide, 1e-310);
}

int main() {
    std::vector<Case> cases = {{1e-40f, 1e-40f, 0, 1e-40f + 1e-40f},
                               {1.1755e-38f, -5.9e-39f, 1.1755e-38f, 1.1755e-38f - 5.9e-39f},
                               {1.5e-38f, -1.2e-38f, 0, 1.5e-38f - 1.2e-38f},
                               {-1e-40f, -0.0f, -0.0f, -1e-40f},
                               {3, 4, 7, 7}};
    int n = (int)cases.size();
    Case *device_cases = to_device(cases);
    float *cells = poisoned<float>(n), *results = poisoned<float>(4 * n);
    add<<<n, 1>>>(device_cases, cells, results);
    FINISH_KERNEL();
    std::vector<float> got = to_host(results, 4 * n), left = to_host(cells, n);
    for (int i = 0; i < n; i++) {
        same("old", i, got[4 * i], cases[i].was);
        same("global", i, got[4 * i + 1], cases[i].becomes);
        same("old in shared memory", i, got[4 * i + 2], cases[i].was);
        same("shared", i, got[4 * i + 3], cases[i].becomes_shared);
        same("without a result", i, left[i], cases[i].becomes);
    }
    for (bool shared : {false, true}) {
        anywhere<<<n, 1>>>(device_cases, cells, results, shared);
        FINISH_KERNEL();
        got = to_host(results, n);
        for (int i = 0; i < n; i++)
            same(shared ? "generic, shared" : "generic", i, got[i],
                 shared ? cases[i].becomes_shared : cases[i].becomes);
    }
    std::vector<float> start(1, 1e-41f);
    std::vector<double> wide_start(1, 1e-310);
    float *cell = to_device(start);
    double *wide = to_device(wide_start);
    exchange<<<1, 1>>>(cell, wide, results);
    FINISH_KERNEL();
    same("exchanged", 0, to_host(results, 1)[0], 1e-41f);
    same("exchange", 0, to_host(cell, 1)[0], 1e-40f);
    same("double", 0, to_host(wide, 1)[0], 1e-310 + 1e-310);
    return finish();
}
