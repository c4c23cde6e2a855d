// Functions and constants of the student's own, in the place for them.
// clang-format off
// BEGIN HELPERS
constexpr int NEXT = 1;

__device__ bool exists(unsigned int index, unsigned int end) {
    return index < end;
}

struct Chunk {
    int *data;
    unsigned int left;
};

__device__ Chunk chunkOf(int *all, unsigned int n) {
    Chunk chunk = {all + blockIdx.x * blockDim.x, n - blockIdx.x * blockDim.x};
    return chunk;
}
// END HELPERS

// BEGIN SOLUTION reduceNeighboredLess
    Chunk chunk = chunkOf(g_idata, n);
    for (unsigned int stride = NEXT; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * threadIdx.x;
        if (index < blockDim.x && exists(index + stride, chunk.left))
            chunk.data[index] += chunk.data[index + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) g_odata[blockIdx.x] = chunk.data[0];
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    Chunk chunk = chunkOf(g_idata, n);
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride && exists(threadIdx.x + stride, chunk.left))
            chunk.data[threadIdx.x] += chunk.data[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) g_odata[blockIdx.x] = chunk.data[0];
// END SOLUTION
