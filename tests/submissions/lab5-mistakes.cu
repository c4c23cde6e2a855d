// Lab 5: launchWorkEach is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION nestedTree
    // Only one of two threads launches.
    int me = 2 * launcher + 1 + threadIdx.x;
    launchedBy[me] = launcher;
    if (threadIdx.x == 0 && depth + 1 < TREE_LEVELS) nestedTree<<<1, 2>>>(depth + 1, me, launchedBy);
// END SOLUTION

// BEGIN SOLUTION nestedChain
    // What CUDA says in the end is not noted.
    chain[depth] = depth;
    if (depth + 1 < links) nestedChain<<<1, 1>>>(depth + 1, links, chain);
// END SOLUTION

// BEGIN SOLUTION launchWork
    // One piece too many.
    for (int piece = 0; piece <= PIECES; piece++) work<<<1, PIECE_THREADS>>>(out, piece);
// END SOLUTION

// BEGIN SOLUTION launchWorkEach
    int mine = threadIdx.x;
    work<<<1, PIECE_THREADS>>>(out, mine);
// END SOLUTION

// BEGIN SOLUTION gpuRecursiveReduce
    // The last chunk is as long as the others to this one.
    unsigned int tid = threadIdx.x, first = blockIdx.x * isize, stride = isize / 2;
    int *idata = g_idata + first;
    if (tid < stride) idata[tid] += idata[tid + stride];
    __syncthreads();
    if (tid == 0 && stride > 1)
        gpuRecursiveReduce<<<1, stride>>>(idata, g_odata + blockIdx.x, stride, n);
    else if (tid == 0)
        g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceOneChild
    // The last chunk, which is shorter, is left out.
    reduceChunks<<<n / chunk, chunk>>>(g_idata, g_odata, n);
// END SOLUTION
