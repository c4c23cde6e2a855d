// A kernel that launches another, and calls what the simulator lacks if it is told to.
#include <cstdio>
__global__ void child(int *p) {
    *p = 7;
}
__global__ void parent(int *p) {
    child<<<1, 1>>>(p);
    if (*p == 5) cudaMemset2DAsync(p, 4, 0, 4, 1, 0);
}
int main(int argc, char **) {
    int *p, value = argc > 1 ? 5 : 0;
    cudaMalloc(&p, 4);
    cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice);
    parent<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    printf("%d %s\n", value, cudaGetErrorName(cudaGetLastError()));
}
