// What simt's device runtime lacks is named when a kernel calls it: one that only could, runs.
//
// only simt
// alone simt names what it lacks at the start of every program in the source
// build rdc -rdc=true
// case call | 1 | cudaErrorNotSupported | device function (__cudaCDP2Memset2DAsync|cnp)
// case call | 1 | cudaErrorNotSupported | at parent
// case keep | 0 | ^ok$
#include "check.h"

__global__ void parent(int *out, bool calls) {
    out[threadIdx.x] = 1;
    if (calls && threadIdx.x == 0) cudaMemset2DAsync(out, 64, 0, 8, 2, 0);
}

int main(int, char **arguments) {
    int *out = poisoned<int>(32);
    parent<<<1, 32>>>(out, !strcmp(arguments[1], "call"));
    FINISH_KERNEL();
    same("parent's value", 31, to_host(out, 32)[31], 1);
    return finish();
}
