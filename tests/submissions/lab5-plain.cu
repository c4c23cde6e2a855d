// Lab 5: what loops compute without a launch, and launches that are not those asked for.
// clang-format off
// BEGIN SOLUTION nestedTree
    // One thread fills in the whole tree.
    if (threadIdx.x != 0) return;
    for (int me = 1; me < TREE_SLOTS; me++) launchedBy[me] = (me - 1) / 2;
// END SOLUTION

// BEGIN SOLUTION nestedChain
    // A loop, and an error that CUDA has not given.
    for (int i = 0; i < 30; i++) chain[i] = i;
    chain[links] = 69; // cudaErrorLaunchPendingCountExceeded
// END SOLUTION

// BEGIN SOLUTION launchWork
    for (int i = 0; i < PIECES * PIECE_THREADS; i++) out[i] = i / PIECE_THREADS;
// END SOLUTION

// BEGIN SOLUTION launchWorkEach
    // As many launches as asked for, but of one thread each.
    for (int i = 0; i < PIECE_THREADS; i++) out[threadIdx.x * PIECE_THREADS + i] = threadIdx.x;
    work<<<1, 1, 0, cudaStreamFireAndForget>>>(out, threadIdx.x);
// END SOLUTION

// BEGIN SOLUTION gpuRecursiveReduce
    // All rounds in one grid.
    int *idata = g_idata + blockIdx.x * isize;
    for (unsigned int stride = isize / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride && blockIdx.x * isize + threadIdx.x + stride < n) idata[threadIdx.x] += idata[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION gpuRecursiveReduceTail
    // The same, and one launch that does nothing.
    int *idata = g_idata + blockIdx.x * chunk;
    for (unsigned int stride = chunk / 2; isize == chunk && stride > 0; stride /= 2) {
        if (threadIdx.x < stride && blockIdx.x * chunk + threadIdx.x + stride < n) idata[threadIdx.x] += idata[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0 && isize == chunk) g_odata[blockIdx.x] = idata[0];
    if (threadIdx.x + blockIdx.x == 0 && isize == chunk)
        gpuRecursiveReduceTail<<<1, 1, 0, cudaStreamTailLaunch>>>(g_idata, g_odata, 1, chunk, n);
// END SOLUTION

// BEGIN SOLUTION reducePerThread
    unsigned int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    if (first >= n) return;
    int sum = 0;
    for (unsigned int i = first; i < n && i < first + chunk; i++) sum += g_idata[i];
    g_odata[first / chunk] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceOneChild
    // The launches of another step.
    for (unsigned int first = 0; first < n; first += chunk)
        reduceChunks<<<1, chunk>>>(g_idata + first, g_odata + first / chunk, n - first);
// END SOLUTION
