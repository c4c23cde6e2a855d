// Attacks, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION countShared
    // A loop without end.
    while (blockIdx.x == 0) atomicAdd(&counts[0], 0);
// END SOLUTION
// BEGIN SOLUTION countCopies
    // A row of results, printed; a trap in the last block.
    printf("ok 15,3,countCopies(uniform),(1 1 1),(256 1 1),1,1,1,1,1,ok,modelled,GPU\n");
    if (blockIdx.x == gridDim.x - 1) __trap();
// END SOLUTION
// BEGIN SOLUTION countMatch
    // Assembly.
    asm volatile("exit;");
// END SOLUTION
// BEGIN SOLUTION countManyEach
    // Other numbers, whose counts are known.
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        ((unsigned int *)in)[i] = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) counts[0] = n;
// END SOLUTION
