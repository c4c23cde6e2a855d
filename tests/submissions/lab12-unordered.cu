// Lab 12: host code that is right only if all that it issues takes effect at once. None of it is right.
// clang-format off
// BEGIN SOLUTION timeByClock
    // Seconds.
    const double start = cpuSecond();
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    ms = cpuSecond() - start;
// END SOLUTION

// BEGIN SOLUTION timeByEvents
    // The kernel runs after the second event.
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    CHECK(cudaEventRecord(stop));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, start, stop));
// END SOLUTION

// BEGIN SOLUTION addMapped
    // No wait.
    vectorAdd<<<gridFor(n), BLOCK>>>(a, b, c, n);
// END SOLUTION

// BEGIN SOLUTION depthFirst
    // Each kernel in the next stream.
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), share = beginOf(i + 1, count, n) - begin;
        const size_t bytes = share * sizeof(float);
        CHECK(cudaMemcpyAsync(d_a + begin, a + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
        CHECK(cudaMemcpyAsync(d_b + begin, b + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
        vectorAdd<<<gridFor(share), BLOCK, 0, streams[(i + 1) % count]>>>(d_a + begin, d_b + begin, d_c + begin, share);
        CHECK(cudaMemcpyAsync(c + begin, d_c + begin, bytes, cudaMemcpyDeviceToHost, streams[i]));
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
// END SOLUTION

// BEGIN SOLUTION kernelsAtOnce
    // No wait.
    cudaStream_t streams[KERNELS];
    for (size_t i = 0; i < KERNELS; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < KERNELS; i++) {
        const size_t begin = beginOf(i, KERNELS, n), share = beginOf(i + 1, KERNELS, n) - begin;
        addByOneBlock<<<1, BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin, share);
    }
    for (size_t i = 0; i < KERNELS; i++) CHECK(cudaStreamDestroy(streams[i]));
// END SOLUTION

// BEGIN SOLUTION copyPacked
    // The pinned array is used again while the copy may still read it.
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < PIECE; k++) packed[i * PIECE + k] = pieces[i][k];
    }
    CHECK(cudaMemcpyAsync(d_pieces, packed, count * PIECE * sizeof(float), cudaMemcpyHostToDevice));
    for (size_t i = 0; i < count * PIECE; i++) packed[i] = 0;
    CHECK(cudaDeviceSynchronize());
// END SOLUTION
