// Kernels whose time depends on whether machine code or PTX is modelled.
__global__ void wide(float *out, int n) {
    __shared__ float words[1024];
    float sum = 0;
    words[threadIdx.x] = n;
    __syncthreads();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 32; k++)
            sum += words[32 * i + k]; /* eight loads of four words in machine code */
    out[threadIdx.x] = sum;
}
__global__ void sums(const float *in, float *out, int *count, int n, int rounds) {
    __shared__ float tile[256];
    float sum = 0;
    for (int i = 0; i < rounds; i++) {
        tile[threadIdx.x] =
            in[(blockIdx.x * 37 + i * 256 + threadIdx.x * (blockIdx.x % 3 + 1)) % n];
        __syncthreads();
        for (int k = threadIdx.x % 8; k < 32; k++) sum += tile[(threadIdx.x + k) % 256];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
    if (threadIdx.x < blockIdx.x % 64) atomicAdd(count, 1);
}
__global__ void
integers(int *words, int n) { /* ptxas unrolls it by 16 and by 4; there is no access in the loop */
    int i = blockIdx.x * blockDim.x + threadIdx.x, word = words[i];
    for (int k = 0; k < n; k++) word = word * 3 + (word >> 3);
    words[i] = word;
}
/* An instruction of 64 bits becomes two to five. */
__global__ void wide_integers(int *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long word = words[i];
    for (int k = 0; k < n; k++) word = word * 3 + (word >> 3);
    words[i] = (int)word;
}
/* A square root's instructions are alike, but no copies. */
__global__ void roots(int *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float word = words[i];
    for (int k = 0; k < n; k++) word = sqrtf(word + 4) * 0.5f;
    words[i] = (int)word;
}
/* ptxas makes selections of the branch, so all warps issue what few of them enter. */
__global__ void selections(int *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, word = words[i];
#pragma unroll 1
    for (int k = 0; k < n; k++)
        if ((word + i / 32 + k) % 16 == 0) {
            word = (max(word, k) + 8 & 255) * 13 - k;
            word ^= word << 5;
        }
    words[i] = word;
}
int main(int argc, char **argv) {
    float *in, *out;
    int *count, n = 1 << 16;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, 1500 * 256 * sizeof *out);
    cudaMalloc(&count, sizeof *count);
    if (argc > 1) {
        if (argv[1][0] == 'i') integers<<<1024, 256>>>((int *)out, 200);
        if (argv[1][0] == 'l') wide_integers<<<1024, 256>>>((int *)out, 200);
        if (argv[1][0] == 'r') roots<<<1024, 256>>>((int *)out, 200);
        if (argv[1][0] == 's') selections<<<2048, 128>>>((int *)out, 200);
        if (argv[1][0] == 'w') wide<<<1, 1024>>>(out, 32);
        return cudaDeviceSynchronize();
    }
    cudaMemset(in, 0, n * sizeof *in);
    cudaMemset(count, 0, sizeof *count);
    for (int blocks = 1; blocks <= 1500; blocks = 3 * blocks + 1)
        sums<<<blocks, 256>>>(in, out, count, n, 4);
    for (int again = 0; again < 5; again++) {
        cudaMemset(count, 0, sizeof *count);
        sums<<<100, 256>>>(in, out, count, n, 16); // long enough to be repeated
    }
    return cudaDeviceSynchronize();
}
