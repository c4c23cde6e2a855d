// What compute capability 9.0 adds and simt does not simulate: vector atomics, bulk copies.
//
// only simt
// alone simt names what it lacks at the start of every program in the source
// build sm90 arch=90 gpu=h200
// case vector_atomic | 1 | cudaErrorNotSupported | atom.global.add.v4.f32
// case vector_atomic | 1 | cudaErrorNotSupported | at add_vectors
// case bulk_copy | 1 | cudaErrorNotSupported | cp.async.bulk.commit_group
// case bulk_copy | 1 | cudaErrorNotSupported | at wait_there
#include "check.h"

__global__ void add_vectors(float4 *p) {
    atomicAdd(p, make_float4(1, 2, 3, 4));
}
__global__ void wait_there() {
    asm volatile("cp.async.bulk.commit_group;");
}
__global__ void __cluster_dims__(2, 1, 1) in_clusters(int *p) {
    *p = 1;
}

int main(int, char **arguments) {
    float4 *p = poisoned<float4>(1);
    if (!strcmp(arguments[1], "vector_atomic"))
        add_vectors<<<1, 1>>>(p);
    else
        wait_there<<<1, 32>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return finish();
}
