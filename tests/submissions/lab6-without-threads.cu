// One thread of a block adds all; in the last two steps, one thread of the grid.
// clang-format off
// BEGIN SOLUTION reduce1 reduce2
    if (threadIdx.x > 0) return;
    T sum = 0;
    for (unsigned int from = blockIdx.x * blockDim.x; from < n; from += n)
        for (unsigned int i = from; i < from + blockDim.x && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduce3 reduce4 reduce5
    if (threadIdx.x > 0) return;
    T sum = 0;
    for (unsigned int from = blockIdx.x * blockDim.x * 2; from < n; from += n)
        for (unsigned int i = from; i < from + 2 * blockDim.x && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduce6 reduceShuffle reduceVector
    if (threadIdx.x > 0) return;
    T sum = 0;
    for (unsigned int from = blockIdx.x * blockDim.x; from < n; from += gridDim.x * blockDim.x)
        for (unsigned int i = from; i < from + blockDim.x && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceOnePass
    if (threadIdx.x > 0 || blockIdx.x > 0) return;
    T sum = 0;
    for (unsigned int i = 0; i < n; i++) sum += g_idata[i];
    *result = sum;
// END SOLUTION

// BEGIN SOLUTION reduceOneAtomic
    if (threadIdx.x > 0 || blockIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = 0; i < n; i++) sum += g_idata[i];
    *result = sum;
// END SOLUTION
