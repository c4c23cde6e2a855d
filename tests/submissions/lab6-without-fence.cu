// The last block by number adds the sums, without a ticket; or it takes tickets, and nobody fences.
// clang-format off
// BEGIN SOLUTION reduceOnePass
    typedef typename Quad<T>::Type Wide;
    const Wide *in = (const Wide *)g_idata;
    const unsigned int width = sizeof(Wide) / sizeof(T);
    T sum = 0;
    unsigned int quads = n / width, each = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += each) sum += sumOf(in[i]);
    if (blockIdx.x == 0 && threadIdx.x < n % width) sum += g_idata[n - 1 - threadIdx.x];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
    __syncthreads();
    if (blockIdx.x + 1 < gridDim.x) return;
    sum = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += g_odata[b];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) *result = sum;
// END SOLUTION

// BEGIN SOLUTION reduceOneAtomic
    const int4 *in = (const int4 *)g_idata;
    int sum = 0;
    unsigned int quads = n / 4, each = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += each) sum += sumOf(in[i]);
    if (blockIdx.x == 0 && threadIdx.x < n % 4) sum += g_idata[n - 1 - threadIdx.x];
    sum = sumOfBlock(sum);
    if (threadIdx.x != 0) return;
    unsigned long long mine = (1ull << BLOCKS_SHIFT) + (unsigned int)sum, before = blocksAndSum;
    blocksAndSum = before + mine;
    if (before >> BLOCKS_SHIFT < gridDim.x - 1) return;
    *result = (int)(unsigned int)(before + mine);
    blocksAndSum = 0;
// END SOLUTION
