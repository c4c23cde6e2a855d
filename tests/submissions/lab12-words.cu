/* Right code with calls that the solution does without: each must be taken. */
// BEGIN SOLUTION addOnDevice
cudaDeviceProp properties;
CHECK(cudaGetDeviceProperties(&properties, 0));
const size_t bytes = n * sizeof(float);
float *d_a, *d_b, *d_c;
if (properties.maxThreadsPerBlock < BLOCK || properties.major < 7) return;
CHECK(cudaMallocAsync(&d_a, bytes, cudaStreamPerThread));
CHECK(cudaMallocAsync(&d_b, bytes, cudaStreamPerThread));
CHECK(cudaMallocAsync(&d_c, bytes, cudaStreamPerThread));
CHECK(cudaMemcpyAsync(d_a, a, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread));
CHECK(cudaMemcpyAsync(d_b, b, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread));
vectorAdd<<<gridFor(n), BLOCK, 0, cudaStreamPerThread>>>(d_a, d_b, d_c, n);
CHECK(cudaMemcpyAsync(c, d_c, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread));
CHECK(cudaFreeAsync(d_a, cudaStreamPerThread));
CHECK(cudaFreeAsync(d_b, cudaStreamPerThread));
CHECK(cudaFreeAsync(d_c, cudaStreamPerThread));
CHECK(cudaStreamSynchronize(cudaStreamPerThread));
// END SOLUTION

// BEGIN SOLUTION timeByEvents
cudaEvent_t start, stop;
CHECK(cudaEventCreate(&start));
CHECK(cudaEventCreate(&stop));
CHECK(cudaEventRecord(start, cudaStreamLegacy));
vectorAdd<<<gridFor(n), BLOCK, 0, cudaStreamLegacy>>>(d_a, d_b, d_c, n);
CHECK(cudaEventRecord(stop, cudaStreamLegacy));
CHECK(cudaEventSynchronize(stop));
CHECK(cudaEventElapsedTime(&ms, start, stop));
CHECK(cudaEventDestroy(start));
CHECK(cudaEventDestroy(stop));
// END SOLUTION

// BEGIN SOLUTION stayOnDevice
const size_t bytes = n * sizeof(float);
CHECK(cudaMemcpy2D(d_c, bytes, a, bytes, bytes, 1, cudaMemcpyHostToDevice));
CHECK(cudaMemcpy2D(d_b, sizeof(float), b, sizeof(float), sizeof(float), n, cudaMemcpyHostToDevice));
for (int round = 0; round < ROUNDS; round++) vectorAdd<<<gridFor(n), BLOCK>>>(d_c, d_b, d_c, n);
CHECK(cudaMemcpy2D(c, bytes, d_c, bytes, bytes, 1, cudaMemcpyDeviceToHost));
// END SOLUTION

// BEGIN SOLUTION depthFirst
cudaStream_t streams[MOST_STREAMS];
int least, greatest, priority;
CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
for (size_t i = 0; i < count; i++) {
    CHECK(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(streams[i], &priority));
    if (priority != greatest || greatest > least) return;
}
for (size_t i = 0; i < count; i++) {
    const size_t begin = beginOf(i, count, n), share = beginOf(i + 1, count, n) - begin;
    const size_t bytes = share * sizeof(float);
    CHECK(cudaMemcpyAsync(d_a + begin, a + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
    CHECK(cudaMemcpyAsync(d_b + begin, b + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
    vectorAdd<<<gridFor(share), BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin,
                                                        share);
    CHECK(cudaMemcpyAsync(c + begin, d_c + begin, bytes, cudaMemcpyDeviceToHost, streams[i]));
}
for (size_t i = 0; i < count; i++) {
    CHECK(cudaStreamSynchronize(streams[i]));
    CHECK(cudaStreamDestroy(streams[i]));
}
// END SOLUTION
