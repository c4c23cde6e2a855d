// Lab 16: attentionInParts is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION softmaxTwoPasses
    // Without the largest score exp overflows.
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= n) return;
    float sum = 0, mean = 0;
    for (unsigned int j = lane; j < n; j += WARP) {
        const float weight = expf(scores[(size_t)row * n + j]);
        sum += weight;
        mean += weight * values[j];
    }
    sum = warpSum(sum);
    mean = warpSum(mean);
    if (lane == 0) out[row] = mean / sum;
// END SOLUTION

// BEGIN SOLUTION softmaxOnline
    // Three passes.
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
    // Rows of a tile lie 64 halves apart, all in the same banks.
    __shared__ __align__(128) half As[TILE][TILE], Bs[TILE][TILE];
    const half *a = A + (size_t)blockIdx.y * TILE * depth, *b = B + blockIdx.x * TILE;
    Sums sums[2][2];
    clearSums(sums);
    for (unsigned int k = 0; k < depth; k += TILE) {
        for (unsigned int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
            const unsigned int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&a[(size_t)r * depth + k + c];
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&b[(size_t)(k + r) * cols + c];
        }
        __syncthreads();
        for (unsigned int d = 0; d < TILE; d += FRAGMENT)
            addProduct(sums, &As[partRow()][d], TILE, &Bs[d][partCol()], TILE);
        __syncthreads();
    }
    const size_t row = blockIdx.y * TILE + partRow();
    storeSums(sums, C + row * cols + blockIdx.x * TILE + partCol(), cols);
// END SOLUTION

// BEGIN SOLUTION productAsync
    // A warp that is ahead overwrites a tile that another one still multiplies.
    __shared__ __align__(128) half As[2][TILE][PITCH], Bs[2][TILE][PITCH];
    const half *a = A + (size_t)blockIdx.y * TILE * depth, *b = B + blockIdx.x * TILE;
    Sums sums[2][2];
    clearSums(sums);
    for (unsigned int k = 0; k < depth + TILE; k += TILE) {
        const unsigned int next = k / TILE % 2, now = 1 - next;
        if (k < depth) {
            for (unsigned int i = threadIdx.x; i < TILE * TILE / 8; i += THREADS) {
                const unsigned int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
                __pipeline_memcpy_async(&As[next][r][c], &a[(size_t)r * depth + k + c], 16);
                __pipeline_memcpy_async(&Bs[next][r][c], &b[(size_t)(k + r) * cols + c], 16);
            }
        }
        __pipeline_commit();
        if (k == 0) continue;
        __pipeline_wait_prior(1);
        __syncthreads();
        for (unsigned int d = 0; d < TILE; d += FRAGMENT)
            addProduct(sums, &As[now][partRow()][d], PITCH, &Bs[now][d][partCol()], PITCH);
    }
    const size_t row = blockIdx.y * TILE + partRow();
    storeSums(sums, C + row * cols + blockIdx.x * TILE + partCol(), cols);
// END SOLUTION

// BEGIN SOLUTION attentionInParts
    const unsigned int row = blockIdx.x * WARPS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const size_t first = ((size_t)blockIdx.z * padded + row) * padded;
    float most = -INFINITY, sum = 0;
    for (unsigned int j = lane; j < n; j += WARP) {
        const float score = scores[first + j];
        if (score > most) {
            sum *= expf(SCALE * (most - score));
            most = score;
        }
        sum += expf(SCALE * (score - most));
    }
    for (unsigned int distance = WARP / 2; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(ALL_LANES, most, distance), more = __shfl_xor_sync(ALL_LANES, sum, distance);
        const float higher = fmaxf(most, other);
        sum = (most > -INFINITY ? sum * expf(SCALE * (most - higher)) : 0) + (other > -INFINITY ? more * expf(SCALE * (other - higher)) : 0);
        most = higher;
    }
    const float share = 1 / sum;
    for (unsigned int j = lane; j < padded; j += WARP) {
        float weight = 0;
        if (row < n && j < n) weight = share * expf(SCALE * (scores[first + j] - most));
        weights[first + j] = __float2half(weight);
    }
// END SOLUTION

// BEGIN SOLUTION attentionTiled
    // Keys from n on count with their score, 0.
    __shared__ __align__(128) half Ks[TILE][PITCH], Vs[TILE][PITCH];
    const unsigned int lane = threadIdx.x % WARP;
    const size_t head = (size_t)blockIdx.z * padded;
    const size_t row = head + blockIdx.x * TILE + threadIdx.x / WARP * FRAGMENT;
    LeftHalves queries[4];
    float sums[4][2][4] = {}, most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
    for (int d = 0; d < 4; d++) queries[d] = loadQueries(Q, row, d * FRAGMENT);
    for (unsigned int key = 0; key < n; key += TILE) {
        beginCopy(Ks, Kt + head * DIMS + key, padded);
        beginCopy(Vs, V + (head + key) * DIMS, DIMS);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        float scores[4][2][4] = {};
        for (int d = 0; d < 4; d++)
            for (int k = 0; k < 4; k++) addHalves(scores[k], queries[d], loadRight(Ks, d * FRAGMENT, k * FRAGMENT));
        for (int r = 0; r < 2; r++) {
            float higher = most[r];
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < 4; i++) higher = fmaxf(higher, SCALE * scores[k][i / 2][2 * r + i % 2]);
            higher = rowMost(higher);
            const float shrink = expf(most[r] - higher);
            most[r] = higher;
            sum[r] *= shrink;
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < 4; i++) {
                    float *score = &scores[k][i / 2][2 * r + i % 2];
                    *score = expf(SCALE * *score - higher);
                    sum[r] += *score;
                    sums[k][i / 2][2 * r + i % 2] *= shrink;
                }
        }
        for (int k = 0; k < 4; k++) {
            const float (*w)[4] = scores[k];
            const LeftHalves weights = {{__floats2half2_rn(w[0][0], w[0][1]), __floats2half2_rn(w[0][2], w[0][3]),
                                         __floats2half2_rn(w[1][0], w[1][1]), __floats2half2_rn(w[1][2], w[1][3])}};
            for (int d = 0; d < 4; d++) addHalves(sums[d], weights, loadRight(Vs, k * FRAGMENT, d * FRAGMENT));
        }
        __syncthreads();
    }
    for (int r = 0; r < 2; r++) {
        const float share = 1 / rowSum(sum[r]);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 2; j++)
                O[(row + lane / 4 + 8 * r) * DIMS + lane % 4 * 2 + i * 8 + j] = sums[i / 2][i % 2][2 * r + j] * share;
    }
// END SOLUTION
