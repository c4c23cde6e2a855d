// Right results without the ideas: three passes; sums of floats; copies that nothing goes on
// beside; a thread that does all of a query.
// clang-format off
// BEGIN SOLUTION softmaxTwoPasses softmaxOnline
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n) return;
    const float *s = scores + (size_t)row * n;
    float most = -INFINITY, sum = 0, mean = 0;
    for (unsigned int j = lane; j < n; j += WARP) most = fmaxf(most, s[j]);
    most = warpMost(most);
    for (unsigned int j = lane; j < n; j += WARP) sum += expf(s[j] - most);
    for (unsigned int j = lane; j < n; j += WARP) mean += expf(s[j] - most) * values[j];
    sum = warpSum(sum);
    mean = warpSum(mean);
    if (lane == 0) out[row] = mean / sum;
// END SOLUTION

// BEGIN SOLUTION productShared
    __shared__ half As[TILE][TILE + 2], Bs[TILE][TILE + 2];
    const unsigned int col = threadIdx.x % TILE, half0 = threadIdx.x / TILE * 32;
    float sums[32] = {};
    for (unsigned int k = 0; k < depth; k += TILE) {
        for (unsigned int r = threadIdx.x / TILE; r < TILE; r += 2) {
            As[r][col] = A[(size_t)(blockIdx.y * TILE + r) * depth + k + col];
            Bs[r][col] = B[(size_t)(k + r) * cols + blockIdx.x * TILE + col];
        }
        __syncthreads();
        for (unsigned int d = 0; d < TILE; d++)
            for (unsigned int r = 0; r < 32; r++) sums[r] += __half2float(As[half0 + r][d]) * __half2float(Bs[d][col]);
        __syncthreads();
    }
    for (unsigned int r = 0; r < 32; r++) C[(size_t)(blockIdx.y * TILE + half0 + r) * cols + blockIdx.x * TILE + col] = sums[r];
// END SOLUTION

// BEGIN SOLUTION productAsync
    __shared__ __align__(128) half As[TILE][PITCH], Bs[TILE][PITCH];
    const half *a = A + (size_t)blockIdx.y * TILE * depth, *b = B + blockIdx.x * TILE;
    Sums sums[2][2];
    clearSums(sums);
    for (unsigned int k = 0; k < depth; k += TILE) {
        for (unsigned int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
            const unsigned int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
            __pipeline_memcpy_async(&As[r][c], &a[(size_t)r * depth + k + c], 16);
            __pipeline_memcpy_async(&Bs[r][c], &b[(size_t)(k + r) * cols + c], 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (unsigned int d = 0; d < TILE; d += FRAGMENT)
            addProduct(sums, &As[partRow()][d], PITCH, &Bs[d][partCol()], PITCH);
        __syncthreads();
    }
    const size_t row = blockIdx.y * TILE + partRow();
    storeSums(sums, C + row * cols + blockIdx.x * TILE + partCol(), cols);
// END SOLUTION

// BEGIN SOLUTION attentionInParts
    if (threadIdx.x >= WARPS) return;
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x;
    const size_t first = ((size_t)blockIdx.z * padded + row) * padded;
    float most = -INFINITY, sum = 0;
    for (unsigned int j = 0; j < n; j++) most = fmaxf(most, SCALE * scores[first + j]);
    for (unsigned int j = 0; j < n; j++) sum += expf(SCALE * scores[first + j] - most);
    for (unsigned int j = 0; j < padded; j++)
        weights[first + j] = __float2half(row < n && j < n ? expf(SCALE * scores[first + j] - most) / sum : 0.0f);
// END SOLUTION

// BEGIN SOLUTION attentionTiled
    if (threadIdx.x >= TILE) return;
    const size_t head = (size_t)blockIdx.z * padded, row = head + blockIdx.x * TILE + threadIdx.x;
    float most = -INFINITY, sum = 0, means[DIMS] = {};
    for (unsigned int j = 0; j < n; j++) {
        float score = 0;
        for (unsigned int d = 0; d < DIMS; d++) score += __half2float(Q[row * DIMS + d]) * __half2float(Kt[head * DIMS + d * padded + j]);
        score *= SCALE;
        const float higher = fmaxf(most, score), shrink = expf(most - higher), weight = expf(score - higher);
        most = higher;
        sum = sum * shrink + weight;
        for (unsigned int d = 0; d < DIMS; d++) means[d] = means[d] * shrink + weight * __half2float(V[(head + j) * DIMS + d]);
    }
    for (unsigned int d = 0; d < DIMS; d++) O[row * DIMS + d] = means[d] / sum;
// END SOLUTION
