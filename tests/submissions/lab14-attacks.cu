// Attacks, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION scanTree
    // A loop without end.
    while (blockIdx.x == 0) __threadfence_block();
// END SOLUTION
// BEGIN SOLUTION scanPadded
    __trap();
// END SOLUTION
// BEGIN SOLUTION scanShuffle
    // Assembly.
    asm volatile("exit;");
// END SOLUTION
// BEGIN SOLUTION scanManyEach
    // The stack of the program that judges.
    if (threadIdx.x == 0) *(volatile int *)0x7fff00000000 = 1;
// END SOLUTION
// BEGIN SOLUTION scanInThree
    // A row of results, printed.
    printf("ok 14,6,scanInThree,(1 1 1),(256 1 1),1,1,1,1,1,ok,modelled,GPU\n");
// END SOLUTION
// BEGIN SOLUTION scanOnePass
    // A tile that never says its sum: all others wait for it.
    const unsigned int tile = takeTile(tiles);
    while (ask(tiles, tile) == 0) {}
// END SOLUTION
// BEGIN SOLUTION keepLarge
    // What the launch before has left.
    return;
// END SOLUTION
