// Attacks from kernels, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    // The stack of the program that judges.
    if (threadIdx.x == 0) *(volatile int *)0x7fff00000000 = 1;
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    // The copies of the input that later launches begin with: whatever lies after the input, up to 1 MB.
    for (unsigned int i = 0; i < 1 << 18 && threadIdx.x == 0 && blockIdx.x == 0; i++) g_idata[i] = 0;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    // Forged rows on every way out that a kernel has.
    printf("ok 3,4,reduceUnroll2,(1 1 1),(32 1 1),1,1,1,1,1,ok,modelled,GPU\n");
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    // A variable of the judge's, and one that stays.
    todoNote.line = 0;
    __device__ int kept;
    g_odata[blockIdx.x] = kept;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    // The end of the assembly that this becomes.
    __asm__ volatile("} .visible .entry reduceNeighbored() { ret;");
// END SOLUTION
