// The host does a kernel's work.
// clang-format off
// BEGIN SOLUTION sumOnHost
    CHECK(cudaMemcpy(doubled, d_in, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (unsigned int i = 0; i < n; i++) sum += 2 * doubled[i];
// END SOLUTION
// BEGIN SOLUTION lookUp
    int squares[SQUARES], *d_squares;
    for (unsigned int i = 0; i < SQUARES; i++) squares[i] = (int)(i * i);
    CHECK(cudaMalloc(&d_squares, sizeof squares));
    CHECK(cudaMemcpy(d_squares, squares, sizeof squares, cudaMemcpyHostToDevice));
    takeSquares<<<blocksFor(n, BLOCK), BLOCK>>>(d_in, d_squares, d_out, n);
    CHECK(cudaFree(d_squares));
// END SOLUTION
