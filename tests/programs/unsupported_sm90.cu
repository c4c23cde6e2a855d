// What compute capability 9.0 adds and simt does not simulate: copies of tensors, and clusters
// of several blocks.
//
// only simt
// alone simt names what it lacks at the start of every program in the source
// build sm90 arch=90 gpu=h200
// case | 1 | cudaErrorNotSupported | cp.async.bulk.tensor
// case | 1 | cudaErrorNotSupported | at copy_there
#include "check.h"

__global__ void copy_there(int *p) {
    __shared__ __align__(16) int value[4];
    asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];" ::"l"(p),
                 "r"(0), "r"((unsigned)__cvta_generic_to_shared(value)));
}
__global__ void __cluster_dims__(2, 1, 1) in_clusters(int *p) {
    *p = 1;
}

int main() {
    copy_there<<<1, 32>>>(poisoned<int>(4));
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return finish();
}
