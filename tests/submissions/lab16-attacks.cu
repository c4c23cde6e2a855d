// Attacks, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION softmaxTwoPasses
    // A loop without end.
    while (blockIdx.x == 0) __threadfence_block();
// END SOLUTION
// BEGIN SOLUTION softmaxOnline
    __trap();
// END SOLUTION
// BEGIN SOLUTION productShared
    // Other factors, whose product is known.
    const size_t count = (size_t)gridDim.x * TILE * cols;
    for (size_t i = threadIdx.x; i < count && blockIdx.x + blockIdx.y == 0; i += THREADS) {
        ((half *)A)[i] = __float2half(0.0f);
        C[i] = 0;
    }
// END SOLUTION
// BEGIN SOLUTION productAsync
    // The stack of the program that judges.
    if (threadIdx.x == 0) *(volatile int *)0x7fff00000000 = 1;
// END SOLUTION
// BEGIN SOLUTION attentionInParts
    // A row of results, printed.
    printf("ok 16,7,attentionInParts,(1 1 1),(128 1 1),1,1,1,1,1,ok,modelled,GPU\n");
// END SOLUTION
// BEGIN SOLUTION attentionTiled
    // Assembly.
    asm volatile("exit;");
// END SOLUTION
