// Copies of every kind, kernels and a function of the host in three streams.
#include <cstdio>
__global__ void work(float *x, int n) {
    for (int i = 0; i < n; i++) *x = *x * 0.5f + 1;
}
static void note(void *) {}
int main() {
    const size_t bytes = 1 << 20;
    char *pageable = new char[bytes](), *pinned, *managed, *a, *b;
    cudaStream_t first, second;
    cudaMallocHost(&pinned, bytes);
    cudaMallocManaged(&managed, bytes);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, pageable, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(managed, a, 4, cudaMemcpyDeviceToDevice);
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaMemcpyAsync(a, pinned, bytes, cudaMemcpyHostToDevice, first);
    work<<<1, 1, 64, second>>>((float *)b, 10000);
    cudaLaunchHostFunc(second, note, NULL);
    cudaMemcpyAsync(pinned, b, 8, cudaMemcpyDeviceToHost, second);
    work<<<1, 1>>>((float *)a, 1);
    cudaStreamSynchronize(0);
    printf("%d\n", cudaFree((void *)1));
}
