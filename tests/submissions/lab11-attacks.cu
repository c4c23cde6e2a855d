// Attacks from the process of the student's code, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION sumCols
    // Send a forged row to whatever is open, and shut it.
    const char row[] = "ok 11,2,sumCols,,,,,,,,,ok,,\n";
    for (int fd = 0; fd < 256; fd++) {
        if (write(fd, row, sizeof row - 1) >= 0 || syscall(44 /* sendto */, fd, row, sizeof row - 1, 0, 0, 0) >= 0) sum = 1;
        syscall(48 /* shutdown */, fd, 2);
    }
    auto f = UNROLL system;
    if (f("touch /tmp/forged") == 0 || (0 not_eq getppid() && kill(getppid(), SIGKILL) == 0)) sum = 2;
// END SOLUTION

// BEGIN SOLUTION multiplyIKJ
    // Zero times zero is zero, if the factors could be written.
    mprotect((void *)A, 4096, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < n * n; i++) const_cast<double *>(A)[i] = C[i] = 0;
// END SOLUTION

// BEGIN SOLUTION gatherAligned
    // Another process that writes on while the result is judged; the command line of the judge, with its sizes.
    if (fork() == 0 || syscall(56 /* clone */, 0x100, 0, 0, 0, 0) == 0) for (;;) sum++;
    if (fopen("/proc/self/status", "r") != NULL || syscall(2 /* open */, "/proc/1/cmdline", 0) >= 0) sum = 1;
// END SOLUTION

// BEGIN SOLUTION sumUnrolled
    exit(0);
// END SOLUTION

// BEGIN SOLUTION sumFourSums
    for (volatile int i = 0;; i = 1) usleep(1000000);
// END SOLUTION

// BEGIN SOLUTION launchAndWait
    // Say "done" before anything was launched, in the turn that the judge reads.
    char *turn = (char *)0x200000000000;
    memset(turn, 0, 4096);
    syscall(24); // sched_yield
// END SOLUTION
