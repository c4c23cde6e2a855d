// Attacks on lab 12, one a step: none must have points.
// clang-format off
// BEGIN SOLUTION addOnDevice
    // The CPU adds.
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
// END SOLUTION

// BEGIN SOLUTION timeByClock
    // A wait for what no one has launched, and a time that is none.
    ms = 1e-9;
// END SOLUTION

// BEGIN SOLUTION timeByEvents
    // The result from the CPU, by a copy; a kernel for nothing; a time that no event gave.
    float *sum = (float *)malloc(n * sizeof(float)), *inputs = (float *)malloc(2 * n * sizeof(float));
    CHECK(cudaMemcpy(inputs, d_a, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(inputs + n, d_b, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) sum[i] = inputs[i] + inputs[n + i];
    CHECK(cudaMemcpy(d_c, sum, n * sizeof(float), cudaMemcpyHostToDevice));
    vectorAdd<<<1, 1>>>(d_a, d_b, d_c, 1);
    ms = 1e-6f;
// END SOLUTION

// BEGIN SOLUTION pinnedArray
    // The judge's own pinned arrays, one after the other: with a count at an address that outlives the call.
    size_t *calls = (size_t *)0x200000800000, page = 4096, bytes = (n * sizeof(float) / page + 1) * page;
    const size_t call = (*calls)++ % 3;
    array = (float *)(call < 2 ? 0x300000000000 + (2 + call) * bytes : 0x200000001000 + bytes);
// END SOLUTION

// BEGIN SOLUTION addMapped
    // The inputs, which are read only here, are changed by a copy of the judge.
    CHECK(cudaMemcpy((void *)a, c, n * sizeof(float), cudaMemcpyHostToHost));
// END SOLUTION

// BEGIN SOLUTION managedArray
    // An address that is none.
    array = (float *)8;
// END SOLUTION

// BEGIN SOLUTION stayOnDevice
    // A copy to where the judge keeps its turn.
    CHECK(cudaMemcpy((void *)0x200000000000, d_c, 4096, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy((void *)0x1FFFFFFFF000, d_c, 8192, cudaMemcpyDeviceToHost));
// END SOLUTION

// BEGIN SOLUTION depthFirst
    // Streams that no one has made.
    vectorAdd<<<1, 1, 0, (cudaStream_t)77>>>(a, b, c, n);
    CHECK(cudaGetLastError());
// END SOLUTION

// BEGIN SOLUTION breadthFirst
    // The judge's memory is freed, and asked for again.
    float *d_own;
    CHECK(cudaFree(d_c));
    CHECK(cudaMalloc(&d_own, 1 << 30));
    CHECK(cudaFreeHost(c));
// END SOLUTION

// BEGIN SOLUTION kernelsAtOnce
    // The judge's event, which has the number that the first own one would have.
    float ms;
    CHECK(cudaEventElapsedTime(&ms, (cudaEvent_t)1, (cudaEvent_t)2));
// END SOLUTION

// BEGIN SOLUTION copyPacked
    // What the judge keeps, at addresses of its program.
    CHECK(cudaMemcpy(d_pieces, (const void *)0x555555554000, count * PIECE * sizeof(float), cudaMemcpyHostToDevice));
// END SOLUTION

// BEGIN SOLUTION addOnAllDevices
    // A device that there is not.
    CHECK(cudaSetDevice(99));
// END SOLUTION
