// A kernel that launches a kernel says so, and which device function it lacks, when it does so: one that only could,
// runs.
//
// only simt
// build rdc -rdc=true -lcudadevrt
// case launch | 1 | cudaErrorNotSupported | device function __cudaCDP2.*dynamic parallelism
// case launch | 1 | cudaErrorNotSupported | in kernel parent
// case keep | 0 | ^ok$
#include "check.h"

__global__ void child(int *out) {
    out[threadIdx.x] = 2;
}
__global__ void parent(int *out, bool launches) {
    out[threadIdx.x] = 1;
    if (launches && threadIdx.x == 0) child<<<1, 32>>>(out);
}

int main(int, char **arguments) {
    int *out = poisoned<int>(32);
    parent<<<1, 32>>>(out, !strcmp(arguments[1], "launch"));
    FINISH_KERNEL();
    same("parent's value", 31, to_host(out, 32)[31], 1);
    return finish();
}
