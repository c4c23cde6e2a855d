// More attacks, by calls of the operating system that the judge looks at.
// clang-format off
// BEGIN SOLUTION sumCols
    // Changes of the page without a walk down the columns: closing and opening, again and again, where they are counted.
    for (size_t i = 0; i < rows * cols; i++) sum += matrix[i];
    for (int i = 0; i < 10000 && rows > 600; i++) {
        mprotect((void *)matrix, 4096, PROT_NONE);
        mprotect((void *)matrix, 4096, PROT_READ);
    }
// END SOLUTION

// BEGIN SOLUTION multiplyIKJ
    // All pages opened at once, so that no jump is seen.
    const size_t page = 4096;
    mprotect((void *)((size_t)B / page * page), n * n * sizeof(double), PROT_READ);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (size_t k = 0; k < n; k++) C[i * n + j] += A[i * n + k] * B[k * n + j];
        }
    }
// END SOLUTION

// BEGIN SOLUTION gatherAligned
    // The shared memory once more, to be written.
    for (int fd = 0; fd < 16; fd++) mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
// END SOLUTION

// BEGIN SOLUTION sumUnrolled
    // Another program in the place of this one.
    char *const arguments[] = {(char *)"true", NULL};
    execv("/usr/bin/true", arguments);
// END SOLUTION

// BEGIN SOLUTION sumFourSums
    // A request that there is not.
    *(unsigned int *)(0x200000000000 + sizeof(long) * 13) = 99;
    memset((void *)0x200000000000, 99, 4096);
    syscall(24); // sched_yield
// END SOLUTION

// BEGIN SOLUTION launchAndWait
    // The kernel writes where the judge keeps what is shared.
    fillWords<<<1, 256>>>((unsigned int *)0x200000000000, 256);
    CHECK(cudaDeviceSynchronize());
// END SOLUTION
