// A program linked with the static runtime cannot be simulated: simt says how to build it instead.
//
// only simt
// build static -cudart static
// case | 2 | cudart shared
int main() {
    void *p;
    return cudaMalloc(&p, 4) != cudaSuccess;
}
