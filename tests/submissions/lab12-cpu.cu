// Lab 12: the CPU adds, after empty kernels and copies of 4 bytes that look like work. None may
// earn points.
// clang-format off
// BEGIN SOLUTION addOnDevice
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_c, own = 0;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, &own, 4, cudaMemcpyHostToDevice));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, 0);
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
// END SOLUTION

// BEGIN SOLUTION timeByClock
    // Around nothing.
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    const double start = cpuSecond();
    ms = (cpuSecond() - start) * 1000 + 1e-9;
// END SOLUTION

// BEGIN SOLUTION timeByEvents
    float *sum = (float *)malloc(n * sizeof(float)), *inputs = (float *)malloc(2 * n * sizeof(float));
    CHECK(cudaMemcpy(inputs, d_a, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(inputs + n, d_b, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) sum[i] = inputs[i] + inputs[n + i];
    CHECK(cudaMemcpy(d_c, sum, n * sizeof(float), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, 0);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
// END SOLUTION

// BEGIN SOLUTION addMapped
    vectorAdd<<<gridFor(n), BLOCK>>>(a, b, c, 0);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
// END SOLUTION

// BEGIN SOLUTION stayOnDevice
    for (int round = 0; round < ROUNDS; round++) vectorAdd<<<gridFor(n), BLOCK>>>(d_c, d_b, d_c, 0);
    for (size_t i = 0; i < n; i++) c[i] = a[i];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++) c[i] += b[i];
    }
// END SOLUTION

// BEGIN SOLUTION depthFirst
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaMemcpyAsync(d_a, a, 4, cudaMemcpyHostToDevice, streams[i]));
        CHECK(cudaMemcpyAsync(d_b, b, 4, cudaMemcpyHostToDevice, streams[i]));
        vectorAdd<<<gridFor(n), BLOCK, 0, streams[i]>>>(d_a, d_b, d_c, 0);
        CHECK(cudaMemcpyAsync(c, d_c, 4, cudaMemcpyDeviceToHost, streams[i]));
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
// END SOLUTION

// BEGIN SOLUTION breadthFirst
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < 2 * count; i++) CHECK(cudaMemcpyAsync(d_a, a, 4, cudaMemcpyHostToDevice, streams[i / 2]));
    for (size_t i = 0; i < count; i++) vectorAdd<<<gridFor(n), BLOCK, 0, streams[i]>>>(d_a, d_b, d_c, 0);
    for (size_t i = 0; i < count; i++) CHECK(cudaMemcpyAsync(c, d_c, 4, cudaMemcpyDeviceToHost, streams[i]));
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
// END SOLUTION

// BEGIN SOLUTION kernelsAtOnce
    cudaStream_t streams[KERNELS];
    for (size_t i = 0; i < KERNELS; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < KERNELS; i++) {
        addByOneBlock<<<1, BLOCK, 0, streams[i]>>>(d_a, d_b, d_c, 0);
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    float *sum = (float *)malloc(n * sizeof(float)), *inputs = (float *)malloc(2 * n * sizeof(float));
    CHECK(cudaMemcpy(inputs, d_a, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(inputs + n, d_b, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) sum[i] = inputs[i] + inputs[n + i];
    CHECK(cudaMemcpy(d_c, sum, n * sizeof(float), cudaMemcpyHostToDevice));
// END SOLUTION

// BEGIN SOLUTION addOnAllDevices
    int devices;
    float *sum = (float *)malloc(n * sizeof(float)), *d_own;
    CHECK(cudaGetDeviceCount(&devices));
    for (int device = 0; device < devices; device++) {
        CHECK(cudaSetDevice(device));
        vectorAdd<<<gridFor(n), BLOCK>>>(d_c, d_c, d_c, 0);
    }
    CHECK(cudaMalloc(&d_own, 4));
    CHECK(cudaMemcpyPeer(d_c, 0, d_own, devices - 1, 4));
    CHECK(cudaFree(d_own));
    CHECK(cudaSetDevice(0));
    for (size_t i = 0; i < n; i++) sum[i] = a[i] + b[i];
    CHECK(cudaMemcpy(d_c, sum, n * sizeof(float), cudaMemcpyHostToDevice));
// END SOLUTION
