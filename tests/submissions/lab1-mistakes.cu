// Lab 1: mathKernel3 and tripsAsGiven are right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION mathKernel2
    // Step 1's condition.
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    float c_value = tid % 2 == 0 ? 100.0f : 200.0f;
    if (tid < n) c[tid] = c_value;
// END SOLUTION

// BEGIN SOLUTION mathKernel3
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    const bool odd = tid & 1;
    c[tid] = 100.0f * (1 + odd);
// END SOLUTION

// BEGIN SOLUTION mathKernel4Parity
    // No thread is told that it is one too many.
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    c[tid] = tid % 2 == 0 ? settleDown(s[tid]) : settleRoot(s[tid]);
// END SOLUTION

// BEGIN SOLUTION quadHoisted
    // Step 7 once more: right, but nothing is hoisted.
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    Quad q = quads[blockIdx.x % QUADS];
    if (hitsTriangle1(rays[tid])) {
        c[tid] = brightness(q.p1, q.p2, q.p3);
    } else {
        c[tid] = brightness(q.p2, q.p3, q.p4);
    }
// END SOLUTION

// BEGIN SOLUTION tripsAsGiven
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) {
        float x = 1;
        int left = rounds[tid];
        while (left-- > 0) x = rootRound(x, s[tid]);
        c[tid] = x;
    }
// END SOLUTION

// BEGIN SOLUTION tripsSorted
    // The result lies where the thread is, not where the job is.
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    int job = order[tid];
    float x = 1;
    for (int i = 0; i < rounds[job]; i++) x = rootRound(x, s[job]);
    c[tid] = x;
// END SOLUTION

// BEGIN SOLUTION mathKernel4Predicate
    // Step 4 once more, with another name and other brackets.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;;
    if ((i % 2) == 0)
        c[i] = settleDown(s[i]);
    else
        c[i] = settleRoot(s[i]);
// END SOLUTION
