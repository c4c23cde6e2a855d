// Answers to questions of the labs' texts: another way to store a turned tile, a contiguous stretch
// for each thread, words in another order. tests/targets/notes.bats reads their counts.
//
// case | 0 | ^both transposes are right, both sums are [0-9]+$
#include "../../common/common.h"

enum { BDIM = 32, SIDE = 128, N = 1 << 16, THREADS = 256, STRETCH = 64 };

// Lab 4: neighbouring threads store along a row, and load a column of the tile.
__global__ void storeAlongRows(int *out, const int *in, int n, int m) {
    __shared__ int tile[BDIM * BDIM];
    int bx = blockIdx.x * blockDim.x, by = blockIdx.y * blockDim.y, tx = threadIdx.x,
        ty = threadIdx.y;
    tile[ty * BDIM + tx] = in[(by + ty) * m + bx + tx];
    __syncthreads();
    out[(bx + ty) * n + by + tx] = tile[tx * BDIM + ty];
}

// They store down a column, and load a row of the tile.
__global__ void storeDownColumns(int *out, const int *in, int n, int m) {
    __shared__ int tile[BDIM * BDIM];
    int bx = blockIdx.x * blockDim.x, by = blockIdx.y * blockDim.y, tx = threadIdx.x,
        ty = threadIdx.y;
    tile[ty * BDIM + tx] = in[(by + ty) * m + bx + tx];
    __syncthreads();
    out[(bx + tx) * n + by + ty] = tile[ty * BDIM + tx];
}

// Lab 6: a thread's numbers lie the whole grid apart.
__global__ void byGrid(const int *in, unsigned int *sum) {
    unsigned int mine = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        mine += in[i];
    atomicAdd(sum, mine);
}

// A thread's numbers lie side by side.
__global__ void byStretch(const int *in, unsigned int *sum) {
    unsigned int mine = 0, first = (blockIdx.x * blockDim.x + threadIdx.x) * STRETCH;
    // One word a load: volatile keeps the compiler from joining four.
    for (unsigned int i = first; i < first + STRETCH; i++) mine += *(const volatile int *)&in[i];
    atomicAdd(sum, mine);
}

// Lab 7: each warp's 32 words, the last one first.
__global__ void backwards(int *out, const int *in) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i ^ 31];
}

static bool isTransposed(const int *host, const int *device) {
    int *got = hostArray<int>(SIDE * SIDE);
    CHECK(cudaMemcpy(got, device, SIDE * SIDE * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < SIDE * SIDE; i++)
        right = right && got[i % SIDE * SIDE + i / SIDE] == host[i];
    free(got);
    return right;
}

int main() {
    int *numbers = hostArray<int>(N), *in, *out;
    unsigned int *d_sums, sums[2], want = 0;
    initialData(numbers, N);
    for (int i = 0; i < N; i++) want += numbers[i];
    CHECK(cudaMalloc(&in, N * sizeof(int)));
    CHECK(cudaMalloc(&out, N * sizeof(int)));
    CHECK(cudaMalloc(&d_sums, sizeof sums));
    CHECK(cudaMemcpy(in, numbers, N * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_sums, 0, sizeof sums));
    const dim3 grid(SIDE / BDIM, SIDE / BDIM), block(BDIM, BDIM);
    storeAlongRows<<<grid, block>>>(out, in, SIDE, SIDE);
    bool right = isTransposed(numbers, out);
    CHECK(cudaMemset(out, 0, N * sizeof(int)));
    storeDownColumns<<<grid, block>>>(out, in, SIDE, SIDE);
    right = right && isTransposed(numbers, out);
    byGrid<<<N / STRETCH / THREADS, THREADS>>>(in, &d_sums[0]);
    byStretch<<<N / STRETCH / THREADS, THREADS>>>(in, &d_sums[1]);
    backwards<<<N / THREADS, THREADS>>>(out, in);
    CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    if (right && sums[0] == want && sums[1] == want)
        printf("both transposes are right, both sums are %u\n", want);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(d_sums));
    free(numbers);
    return 0;
}
