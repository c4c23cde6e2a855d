// A sum by a kernel, for programs and libraries with the static runtime.
__global__ static void add(int n, int *sum) {
    if (threadIdx.x < n) atomicAdd(sum, threadIdx.x);
}

extern "C" int sum(int n) {
    int *device, host = -1;
    if (cudaMalloc(&device, sizeof host) || cudaMemset(device, 0, sizeof host)) return -1;
    add<<<1, 128>>>(n, device);
    cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
    return cudaFree(device) ? -1 : host;
}
