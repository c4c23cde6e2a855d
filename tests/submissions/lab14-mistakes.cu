// Lab 14: scanManyEach is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION scanTree
    // No barrier between the way up and the way down.
    __shared__ unsigned int tree[2 * MOST_THREADS];
    const unsigned int tid = threadIdx.x, tile = 2 * blockDim.x;
    const unsigned int i = blockIdx.x * tile + tid, j = i + blockDim.x;
    const unsigned int first = i < n ? in[i] : 0, second = j < n ? in[j] : 0;
    tree[tid] = first;
    tree[tid + blockDim.x] = second;
    unsigned int distance = 1;
    for (unsigned int pairs = blockDim.x; pairs > 0; pairs /= 2) {
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1;
        if (tid < pairs) tree[right] += tree[right - distance];
        distance *= 2;
    }
    if (tid == 0) tree[tile - 1] = 0;
    for (unsigned int pairs = 1; pairs <= blockDim.x; pairs *= 2) {
        distance /= 2;
        if (pairs > 32) __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1, left = right - distance;
        if (tid < pairs) {
            const unsigned int before = tree[right];
            tree[right] += tree[left];
            tree[left] = before;
        }
    }
    __syncthreads();
    if (i < n) out[i] = tree[tid] + first;
    if (j < n) out[j] = tree[tid + blockDim.x] + second;
// END SOLUTION

// BEGIN SOLUTION scanPadded
    // The tree without free words.
    __shared__ unsigned int tree[2 * MOST_THREADS];
    const unsigned int tid = threadIdx.x, tile = 2 * blockDim.x;
    const unsigned int i = blockIdx.x * tile + tid, j = i + blockDim.x;
    const unsigned int first = i < n ? in[i] : 0, second = j < n ? in[j] : 0;
    tree[tid] = first;
    tree[tid + blockDim.x] = second;
    unsigned int distance = 1;
    for (unsigned int pairs = blockDim.x; pairs > 0; pairs /= 2) {
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1;
        if (tid < pairs) tree[right] += tree[right - distance];
        distance *= 2;
    }
    if (tid == 0) tree[tile - 1] = 0;
    for (unsigned int pairs = 1; pairs <= blockDim.x; pairs *= 2) {
        distance /= 2;
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1, left = right - distance;
        if (tid < pairs) {
            const unsigned int before = tree[right];
            tree[right] += tree[left];
            tree[left] = before;
        }
    }
    __syncthreads();
    if (i < n) out[i] = tree[tid] + first;
    if (j < n) out[j] = tree[tid + blockDim.x] + second;
// END SOLUTION

// BEGIN SOLUTION scanShuffle
    // A lane without a left neighbour at this distance adds its own sum.
    __shared__ unsigned int sums[WARP];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    unsigned int sum = i < n ? in[i] : 0;
    for (unsigned int distance = 1; distance < WARP; distance *= 2)
        sum += __shfl_up_sync(ALL_LANES, sum, distance);
    if (tid % WARP == WARP - 1) sums[tid / WARP] = sum;
    __syncthreads();
    for (unsigned int w = 0; w < tid / WARP; w++) sum += sums[w];
    if (i < n) out[i] = sum;
// END SOLUTION

// BEGIN SOLUTION scanManyEach
    __shared__ unsigned int sums[WARP];
    const unsigned int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, first = firstQuad(blockIdx.x);
    uint4 quads[QUADS];
    unsigned int before = 0;
    for (unsigned int k = 0; k < QUADS; k++) {
        quads[k] = loadQuad(in, first + k * WARP, n);
        const unsigned int own = quads[k].x + quads[k].y + quads[k].z + quads[k].w;
        unsigned int sum = own;
        for (unsigned int distance = 1; distance < WARP; distance *= 2) {
            const unsigned int left = __shfl_up_sync(ALL_LANES, sum, distance);
            sum += lane >= distance ? left : 0;
        }
        quads[k].x += before + sum - own;
        quads[k].y += quads[k].x;
        quads[k].z += quads[k].y;
        quads[k].w += quads[k].z;
        before = __shfl_sync(ALL_LANES, quads[k].w, WARP - 1);
    }
    if (lane == WARP - 1) sums[warp] = before;
    __syncthreads();
    for (unsigned int w = 0; w < warp; w++)
        for (unsigned int k = 0; k < QUADS; k++) {
            quads[k].x += sums[w];
            quads[k].y += sums[w];
            quads[k].z += sums[w];
            quads[k].w += sums[w];
        }
    for (unsigned int k = 0; k < QUADS; k++) storeQuad(out, first + k * WARP, n, quads[k]);
// END SOLUTION

// BEGIN SOLUTION scanInThree
    // What lies before the tile is added up anew.
    const unsigned int first = firstQuad(blockIdx.x);
    unsigned int before = 0;
    for (unsigned int i = threadIdx.x % WARP; i < blockIdx.x * blockDim.x * EACH; i += WARP)
        before += in[i];
    for (unsigned int lane = WARP / 2; lane > 0; lane /= 2)
        before += __shfl_xor_sync(ALL_LANES, before, lane);
    uint4 quads[QUADS];
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = loadQuad(in, first + k * WARP, n);
    scanTile(quads);
    for (unsigned int k = 0; k < QUADS; k++) {
        const uint4 q = quads[k];
        storeQuad(out, first + k * WARP, n,
                  make_uint4(q.x + before, q.y + before, q.z + before, q.w + before));
    }
// END SOLUTION

// BEGIN SOLUTION scanOnePass
    // The tile is that of the block's index, and what lies before it is never asked for.
    const unsigned int first = firstQuad(blockIdx.x);
    uint4 quads[QUADS];
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = loadQuad(in, first + k * WARP, n);
    scanTile(quads);
    for (unsigned int k = 0; k < QUADS; k++) storeQuad(out, first + k * WARP, n, quads[k]);
// END SOLUTION

// BEGIN SOLUTION keepLarge
    // Each takes the next free place: the numbers are there, but not in their order.
    const unsigned int first = firstQuad(blockIdx.x);
    for (unsigned int k = 0; k < QUADS; k++) {
        const uint4 q = loadQuad(in, first + k * WARP, n);
        if (q.x >= LIMIT) out[atomicAdd(tiles.next, 1)] = q.x;
        if (q.y >= LIMIT) out[atomicAdd(tiles.next, 1)] = q.y;
        if (q.z >= LIMIT) out[atomicAdd(tiles.next, 1)] = q.z;
        if (q.w >= LIMIT) out[atomicAdd(tiles.next, 1)] = q.w;
    }
    if (threadIdx.x == 0) atomicExch(count, atomicAdd(tiles.next, 0));
// END SOLUTION
