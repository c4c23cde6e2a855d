// Right with streams that the solution does not use in these steps.
// clang-format off
// BEGIN SOLUTION launchWork
    for (int piece = 0; piece < PIECES; piece++) work<<<1, PIECE_THREADS, 0, cudaStreamFireAndForget>>>(out, piece);
// END SOLUTION

// BEGIN SOLUTION reduceOneChild
    unsigned int chunks = (n + chunk - 1) / chunk;
    reduceChunks<<<chunks, chunk, 0, cudaStreamTailLaunch>>>(g_idata, g_odata, n);
// END SOLUTION
