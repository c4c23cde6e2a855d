// Mends that miss the fault, or only hide it.
// clang-format off
// A barrier too many elsewhere.
// BEGIN SOLUTION sumNeighbours
    __shared__ int tile[BLOCK];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    tile[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads();
        const int sum = tile[tid] + tile[(tid + 1) % BLOCK];
        tile[tid] = sum;
        __syncthreads();
        __syncthreads();
    }
    if (i < n) out[i] = tile[tid];
// END SOLUTION
// No barrier, no misused barrier.
// BEGIN SOLUTION maxOfBlocks
    __shared__ int tile[BLOCK];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    tile[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int width = BLOCK / 2; width >= WARP; width /= 2)
        if (tid < width) tile[tid] = max(tile[tid], tile[tid + width]);
    if (tid >= WARP) return;
    int most = tile[tid];
    for (unsigned int distance = WARP / 2; distance > 0; distance /= 2)
        most = max(most, __shfl_down_sync(ALL_LANES, most, distance));
    if (tid == 0) out[blockIdx.x] = most;
// END SOLUTION
// One too many, in place of one too few.
// BEGIN SOLUTION addByFours
    const unsigned int t = blockIdx.x * BLOCK + threadIdx.x, quads = n / 4, last = n + 1;
    if (t < quads) {
        const int4 q = ((const int4 *)in)[t];
        ((int4 *)out)[t] = make_int4(q.x + 1, q.y + 1, q.z + 1, q.w + 1);
    }
    const unsigned int i = 4 * quads + t;
    if (i < last) out[i] = in[i] + 1;
// END SOLUTION
// Wide after the overflow.
// BEGIN SOLUTION gatherStrided
    const int i = blockIdx.x * BLOCK + threadIdx.x, size = n;
    if (i < size) {
        int from = (int)((long long)(STRIDE * i - SHIFT) % size);
        if (from < 0) from += size;
        out[i] = in[from];
    }
// END SOLUTION
// Weights after the overrun: it now lies under them.
// BEGIN SOLUTION addRowBelow
    __shared__ int tile[ROWS][WARP];
    extern __shared__ int weights[];
    const unsigned int tid = threadIdx.x, row = tid / WARP, lane = tid % WARP;
    const unsigned int i = blockIdx.x * BLOCK + tid, below = i + BLOCK;
    tile[row][lane] = i < n ? in[i] : 0;
    if (row == 0) tile[row + ROWS][lane] = below < n ? in[below] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[row][lane] + (int)(lane % 3 + 1) * tile[row + 1][lane];
// END SOLUTION
// Zeros, but no barrier after them.
// BEGIN SOLUTION countDigits
    __shared__ int counts[DIGITS];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    if (tid < DIGITS) counts[tid] = 0;
    if (i < n) atomicAdd(&counts[in[i] % DIGITS], 1);
    __syncthreads();
    if (tid < DIGITS) out[blockIdx.x * DIGITS + tid] = counts[tid];
// END SOLUTION
// An atomic addition for everything.
// BEGIN SOLUTION sumAll
    const unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && in[i] != 0) atomicAdd(total, in[i]);
// END SOLUTION
// A barrier of the block for one warp.
// BEGIN SOLUTION sumOfBlocks
    __shared__ int tile[BLOCK];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    unsigned int width = BLOCK / 2;
    tile[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (; width >= WARP; width /= 2) {
        if (tid < width) tile[tid] += tile[tid + width];
        __syncthreads();
    }
    if (tid < WARP) {
        for (; width > 0; width /= 2) {
            if (tid < width) tile[tid] += tile[tid + width];
            __syncthreads();
        }
    }
    if (tid == 0) out[blockIdx.x] = tile[0];
// END SOLUTION
// A second fence where there is one already.
// BEGIN SOLUTION sumInOnePass
    __shared__ bool isLast;
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    int sum = sumOfBlock(i < n ? in[i] : 0);
    if (tid == 0) {
        sums[blockIdx.x] = sum;
        isLast = atomicAdd(tickets, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    __threadfence();
    if (!isLast) return;
    sum = 0;
    for (unsigned int b = tid; b < gridDim.x; b += BLOCK) sum += sums[b];
    sum = sumOfBlock(sum);
    if (tid == 0) *total = sum;
// END SOLUTION
// To destroy a stream is not to wait for it.
// BEGIN SOLUTION sumOnHost
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    doubleAll<<<blocksFor(n, BLOCK), BLOCK, 0, stream>>>(d_in, d_out, n);
    CHECK(cudaMemcpyAsync(doubled, d_out, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamDestroy(stream));
    for (unsigned int i = 0; i < n; i++) sum += doubled[i];
// END SOLUTION
// No vector loads, no misaligned ones.
// BEGIN SOLUTION addHalves
    const unsigned int i = blockIdx.x * BLOCK + threadIdx.x, half = n / 2;
    if (i < half) out[i] = in[i] + in[half + i];
// END SOLUTION
// Never released, never used after its release.
// BEGIN SOLUTION lookUp
    int *d_squares;
    CHECK(cudaMalloc(&d_squares, SQUARES * sizeof(int)));
    fillSquares<<<1, SQUARES>>>(d_squares);
    takeSquares<<<blocksFor(n, BLOCK), BLOCK>>>(d_in, d_squares, d_out, n);
// END SOLUTION
