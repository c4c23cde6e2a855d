// What a program may do to the launcher: exit, crash, wait, print, leak, run beside another.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>
__global__ void nothing() {}
__global__ void left(int n) {
    for (long long begin = clock64(); clock64() - begin < n;) {
    }
}
__global__ void right(int n) {
    for (long long begin = clock64(); clock64() - begin < n;) {
    }
}
__global__ void join() {}
__global__ void prints(int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) printf("line %d\n", i);
}
__global__ void waits(volatile int *flag) {
    while (*flag == 0)
        ;
}
// A graph with two branches.
static int branches() {
    cudaStream_t a, b;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&a), cudaStreamCreate(&b), cudaEventCreate(&forked), cudaEventCreate(&joined);
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, a), cudaStreamWaitEvent(b, forked, 0);
    left<<<1, 32, 0, a>>>(40000), right<<<1, 32, 0, b>>>(40000);
    cudaEventRecord(joined, b), cudaStreamWaitEvent(a, joined, 0);
    join<<<1, 32, 0, a>>>();
    cudaStreamEndCapture(a, &graph), cudaGraphInstantiate(&exec, graph, 0);
    return cudaGraphLaunch(exec, a) || cudaStreamSynchronize(a);
}
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "branches")) return branches();
    if (!strcmp(what, "reach")) {
        int *p;
        cudaMalloc(&p, 4096);
        return p[3];
    }
    if (!strcmp(what, "print")) {
        size_t bytes = 1;
        cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes),
            cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize);
        fprintf(stderr, "buffer %zu\n", bytes);
        prints<<<1, 32>>>(atoi(argv[2]));
        return cudaDeviceSynchronize();
    }
    void *p;
    cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 9;
    printf("%s\n", device.name);
    cudaMalloc(&p, 1000);
    cudaMemset(p, 0, 1000);
    nothing<<<2, 32>>>();
    nothing<<<2, 2000>>>();
    if (strcmp(what, "unasked")) cudaGetLastError();
    timeval now;
    if (!strcmp(what, "clock")) gettimeofday(&now, NULL);
    cudaEvent_t event;
    if (!*what) cudaEventCreate(&event);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "exit")) exit(7);
    if (!strcmp(what, "segv")) *(volatile int *)8 = 0;
    for (int i = 0; !strcmp(what, "many") && i < 100; i++) cudaDeviceSynchronize();
    if (!strcmp(what, "wait")) waits<<<1, 32>>>((int *)p);
    if (strcmp(what, "leak")) cudaFree(p);
    if (!strcmp(what, "library"))
        printf("%d %d\n", cudaLibraryGetKernelCount(NULL, NULL),
               cudaLibraryGetKernelCount(NULL, NULL));
    printf("argument %s\n", what);
    return 0;
}
