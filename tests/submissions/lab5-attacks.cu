// Lab 5: launches that never end, a step each: none must have points.
// clang-format off
// BEGIN SOLUTION nestedChain
    // One after the other, for ever.
    chain[0] = depth;
    nestedChain<<<1, 1, 0, cudaStreamTailLaunch>>>(depth, links, chain);
// END SOLUTION

// BEGIN SOLUTION reduceOneChild
    // A child that never ends.
    if (threadIdx.x == 0) reduceOneChild<<<1, 1, 0, cudaStreamFireAndForget>>>(g_idata, g_odata, 0, n);
    while (chunk == 0);
// END SOLUTION
