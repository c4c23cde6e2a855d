// A kernel whose PTX keeps more values alive than a block of 1024 threads has registers for. ptxas
// orders the code so that they fit, so the launch is right, and no estimate from the PTX may refuse
// it.
#include "check.h"

enum { THREADS = 1024, VALUES = 80 };

__global__ void rotate(int *values) {
    int old[VALUES];
    for (int i = 0; i < VALUES; i++) old[i] = values[i * THREADS + threadIdx.x];
    for (int i = 0; i < VALUES; i++)
        values[i * THREADS + threadIdx.x] = old[(i + 1) % VALUES] + old[i];
}

int main() {
    std::vector<int> values(VALUES * THREADS);
    for (int &value : values) value = (int)(random32() % 1000);
    int *device = to_device(values);
    rotate<<<1, THREADS>>>(device);
    FINISH_KERNEL();
    std::vector<int> got = to_host(device, values.size());
    for (int i = 0; i < VALUES; i++)
        for (int t = 0; t < THREADS; t++)
            same("rotate", i, got[i * THREADS + t],
                 values[(i + 1) % VALUES * THREADS + t] + values[i * THREADS + t]);
    return finish();
}
