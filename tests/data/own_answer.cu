#include <stdio.h>
__global__ void answer(int *n) {
    *n = 6 * 7;
}
int main(void) {
    int *n, host;
    cudaMalloc(&n, sizeof *n);
    answer<<<1, 1>>>(n);
    cudaMemcpy(&host, n, sizeof *n, cudaMemcpyDefault);
    printf("6 times 7 is %d\n", host);
}
