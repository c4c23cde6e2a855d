// One thread of a block, or of all, does everything.
// clang-format off
// BEGIN SOLUTION sumNeighbours
    __shared__ int tile[BLOCK];
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    for (unsigned int i = 0; i < BLOCK; i++) tile[i] = first + i < n ? in[first + i] : 0;
    for (int round = 0; round < ROUNDS; round++) {
        const int left = tile[0];
        for (unsigned int i = 0; i < BLOCK; i++) tile[i] += i + 1 < BLOCK ? tile[i + 1] : left;
    }
    for (unsigned int i = 0; i < BLOCK && first + i < n; i++) out[first + i] = tile[i];
// END SOLUTION
// BEGIN SOLUTION maxOfBlocks
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    int most = 0;
    for (unsigned int i = first; i < first + BLOCK && i < n; i++) most = max(most, in[i]);
    out[blockIdx.x] = most;
// END SOLUTION
// BEGIN SOLUTION addByFours
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    for (unsigned int i = first; i < first + BLOCK && i < n; i++) out[i] = in[i] + 1;
// END SOLUTION
// BEGIN SOLUTION gatherStrided
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    for (unsigned int i = first; i < first + BLOCK && i < n; i++)
        out[i] = in[((long long)STRIDE * i + n - SHIFT % n) % n];
// END SOLUTION
// BEGIN SOLUTION addRowBelow
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    for (unsigned int i = first; i < first + BLOCK && i < n; i++)
        out[i] = in[i] + (int)(i % WARP % 3 + 1) * (i + WARP < n ? in[i + WARP] : 0);
// END SOLUTION
// BEGIN SOLUTION countDigits
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    int *counts = out + blockIdx.x * DIGITS;
    for (unsigned int digit = 0; digit < DIGITS; digit++) counts[digit] = 0;
    for (unsigned int i = first; i < first + BLOCK && i < n; i++) counts[in[i] % DIGITS]++;
// END SOLUTION
// BEGIN SOLUTION sumAll
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = 0; i < n; i++) sum += in[i];
    *total = sum;
// END SOLUTION
// BEGIN SOLUTION sumOfBlocks
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK;
    int sum = 0;
    for (unsigned int i = first; i < first + BLOCK && i < n; i++) sum += in[i];
    out[blockIdx.x] = sum;
// END SOLUTION
// BEGIN SOLUTION sumInOnePass
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = 0; i < n; i++) sum += in[i];
    *total = sum;
// END SOLUTION
// BEGIN SOLUTION addHalves
    if (threadIdx.x > 0) return;
    const unsigned int first = blockIdx.x * BLOCK, half = n / 2;
    for (unsigned int i = first; i < first + BLOCK && i < half; i++) out[i] = in[i] + in[half + i];
// END SOLUTION
