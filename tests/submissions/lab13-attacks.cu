// Attacks, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION sumNeighbours
    // A loop without end.
    while (blockIdx.x == 0) __threadfence_block();
// END SOLUTION
// BEGIN SOLUTION maxOfBlocks
    __trap();
// END SOLUTION
// BEGIN SOLUTION addByFours
    // Assembly.
    asm volatile("exit;");
// END SOLUTION
// BEGIN SOLUTION gatherStrided
    // The stack of the program that judges.
    if (threadIdx.x == 0) *(volatile int *)0x7fff00000000 = 1;
// END SOLUTION
// BEGIN SOLUTION addRowBelow
    // The copies of the input that later launches begin with: what lies after the input.
    for (unsigned int j = 0; j < 1 << 18 && threadIdx.x + blockIdx.x == 0; j++) ((int *)in)[j] = 0;
// END SOLUTION
// BEGIN SOLUTION countDigits
    // A row of results, printed.
    printf("ok 13,7,countDigits,(1 1 1),(256 1 1),1,1,1,1,1,ok,modelled,GPU\n");
// END SOLUTION
// BEGIN SOLUTION sumAll
    // Other numbers, whose sum is known.
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    for (unsigned int j = 0; j < n; j++) ((int *)in)[j] = 0;
    *total = 0;
// END SOLUTION
// BEGIN SOLUTION sumInOnePass
    // A variable of the judge's.
    todoNote.line = 0;
// END SOLUTION
// BEGIN SOLUTION sumOfBlocks
    // What the launch before has left.
    return;
// END SOLUTION
// BEGIN SOLUTION addHalves
    // All the memory that a kernel can get.
    for (;;) memset(malloc(1 << 20), 1, 1 << 20);
// END SOLUTION
// The host does a kernel's work.
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
