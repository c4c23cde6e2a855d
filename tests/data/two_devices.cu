// What two devices do at the same time, by the name of an experiment.
#include <cstdio>
#include <cstring>
__device__ int device_of_launch = -1;
__global__ void read(const int *from, int *to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}
__global__ void note(int device) {
    device_of_launch = device;
}
static float ms(cudaEvent_t from, cudaEvent_t to) {
    float ms = -1;
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to);
    return ms;
}
int main(int argc, char **argv) {
    const int N = 1 << 22;
    const char *what = argv[1];
    int *from[2], *to[2];
    cudaStream_t stream[2];
    cudaEvent_t begin, other, end;
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaMalloc(&from[i], N * sizeof(int));
        cudaMalloc(&to[i], N * sizeof(int));
        cudaMemset(from[i], 0, N * sizeof(int));
        cudaStreamCreate(&stream[i]);
    }
    if (!strcmp(what, "stray")) {
        read<<<64, 256>>>(from[0], to[1], N);
        return printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())) < 0;
    }
    if (!strcmp(what, "peer")) {
        cudaDeviceEnablePeerAccess(0, 0);
        read<<<64, 256>>>(from[0], to[1], N);
        read<<<64, 256>>>(from[1], to[1], N);
        return cudaDeviceSynchronize();
    }
    if (!strcmp(what, "stream")) {
        int noted[2];
        note<<<1, 1, 0, stream[0]>>>(0); /* device 1 is the current one */
        for (int i = 0; i < 2; i++) {
            cudaSetDevice(i);
            cudaDeviceSynchronize();
            cudaMemcpyFromSymbol(&noted[i], device_of_launch, sizeof(int));
        }
        return printf("%d %d\n", noted[0], noted[1]) < 0;
    }
    cudaEventCreate(&other);
    cudaSetDevice(0);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    /* The second time, the other device does the same beside it. */
    for (int both = 0; both < 2; both++) {
        cudaDeviceSynchronize();
        cudaEventRecord(begin, stream[0]);
        read<<<64, 256, 0, stream[0]>>>(from[0], to[0], N);
        if (both) {
            cudaSetDevice(1);
            read<<<64, 256, 0, stream[1]>>>(from[1], to[1], N);
            cudaEventRecord(other, stream[1]);
            cudaStreamWaitEvent(stream[0], other, 0);
            cudaSetDevice(0);
        }
        cudaEventRecord(end, stream[0]);
        printf("%.4f ", ms(begin, end));
    }
    cudaEventRecord(begin, stream[0]);
    for (int i = 0; i < 2; i++) read<<<64, 256, 0, stream[0]>>>(from[0], to[0], N);
    cudaEventRecord(end, stream[0]);
    printf("%.4f\n", ms(begin, end));
    return 0;
}
