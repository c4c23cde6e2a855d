// A program linked with the static runtime cannot be simulated: simt says how to build it instead.
//
// only simt
// build static -cudart static
// case | 126 | -cudart shared
__global__ void nothing() {}

int main() {
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
