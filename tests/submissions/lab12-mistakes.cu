// Lab 12 with the mistakes that students make, one a step.
// clang-format off
// BEGIN SOLUTION addOnDevice
    // Right, but the memory is never freed; the result in a stretch of the process' own memory in between.
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_c, *own = (float *)malloc(bytes);
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaMemcpy(own, d_c, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) c[i] = own[i];
// END SOLUTION

// BEGIN SOLUTION timeByClock
    // Seconds, not milliseconds; and no wait.
    const double start = cpuSecond();
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n / 2);
    ms = cpuSecond() - start;
// END SOLUTION

// BEGIN SOLUTION timeByEvents
    // The time is read before the second event was recorded.
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaEventElapsedTime(&ms, start, stop));
// END SOLUTION

// BEGIN SOLUTION pinnedArray
    // Ordinary memory.
    array = (float *)malloc(n * sizeof(float));
// END SOLUTION

// BEGIN SOLUTION addMapped
    // Copies, where none are needed.
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK(cudaMalloc(&d_b, n * sizeof(float)));
    CHECK(cudaHostGetDevicePointer(&d_c, c, 0));
    CHECK(cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
// END SOLUTION

// BEGIN SOLUTION managedArray
    // Memory that only the device reaches.
    CHECK(cudaMalloc(&array, n * sizeof(float)));
// END SOLUTION

// BEGIN SOLUTION stayOnDevice
    // Copies around each addition.
    copyEachTime(a, b, c, d_b, d_c, n);
// END SOLUTION

// BEGIN SOLUTION depthFirst
    // Streams, but copies that wait, in the default stream.
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), share = beginOf(i + 1, count, n) - begin;
        CHECK(cudaMemcpy(d_a + begin, a + begin, share * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_b + begin, b + begin, share * sizeof(float), cudaMemcpyHostToDevice));
        vectorAdd<<<gridFor(share), BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin, share);
        CHECK(cudaMemcpy(c + begin, d_c + begin, share * sizeof(float), cudaMemcpyDeviceToHost));
    }
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamDestroy(streams[i]));
// END SOLUTION

// BEGIN SOLUTION breadthFirst
    // Step 12 once more.
    depthFirst(a, b, c, d_a, d_b, d_c, n, count);
// END SOLUTION

// BEGIN SOLUTION kernelsAtOnce
    // The last share is forgotten.
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    const size_t share = n / KERNELS;
    for (size_t i = 0; i < KERNELS; i++)
        addByOneBlock<<<1, BLOCK, 0, stream>>>(d_a + i * share, d_b + i * share, d_c + i * share, share);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
// END SOLUTION

// BEGIN SOLUTION copyPacked
    // As step 16 does it.
    copyPieces(pieces, count, d_pieces);
// END SOLUTION

// BEGIN SOLUTION addOnAllDevices
    // All on device 0, without a peer.
    float *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK(cudaMalloc(&d_b, n * sizeof(float)));
    CHECK(cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
// END SOLUTION
