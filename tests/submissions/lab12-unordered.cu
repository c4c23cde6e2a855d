// Lab 12: host code that is right only if all that it issues takes effect at once. None of it is
// right.
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
// BEGIN SOLUTION breadthFirst
    // Each copy back in the next stream.
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), bytes = (beginOf(i + 1, count, n) - begin) * sizeof(float);
        CHECK(cudaMemcpyAsync(d_a + begin, a + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
        CHECK(cudaMemcpyAsync(d_b + begin, b + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), share = beginOf(i + 1, count, n) - begin;
        vectorAdd<<<gridFor(share), BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin, share);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), bytes = (beginOf(i + 1, count, n) - begin) * sizeof(float);
        CHECK(cudaMemcpyAsync(c + begin, d_c + begin, bytes, cudaMemcpyDeviceToHost, streams[(i + 1) % count]));
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
// END SOLUTION

// BEGIN SOLUTION addOnAllDevices
    // Each device writes to d_c by a copy in its own stream, and nothing waits for device 1.
    float *parts[MOST_DEVICES][3];
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    for (int device = 0; device < devices; device++) {
        const size_t begin = beginOf(device, devices, n), share = beginOf(device + 1, devices, n) - begin;
        float **part = parts[device];
        CHECK(cudaSetDevice(device));
        for (int i = 0; i < 3; i++) CHECK(cudaMalloc(&part[i], share * sizeof(float)));
        CHECK(cudaMemcpyAsync(part[0], a + begin, share * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpyAsync(part[1], b + begin, share * sizeof(float), cudaMemcpyHostToDevice));
        vectorAdd<<<gridFor(share), BLOCK>>>(part[0], part[1], part[2], share);
    }
    cudaStream_t other;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int device = 0; device < devices; device++) {
        const size_t begin = beginOf(device, devices, n), share = beginOf(device + 1, devices, n) - begin;
        CHECK(cudaMemcpyPeerAsync(d_c + begin, 0, parts[device][2], device, share * sizeof(float), other));
    }
    CHECK(cudaStreamSynchronize(other));
    for (int device = 0; device < devices; device++) {
        CHECK(cudaSetDevice(device));
        for (int i = 0; i < 3; i++) CHECK(cudaFree(parts[device][i]));
    }
    CHECK(cudaSetDevice(0));
// END SOLUTION

