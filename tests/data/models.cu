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
/* A switch of six cases jumps by a table. */
__global__ void cases(int *words, int n, int kind) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        switch (kind) {
        case 0: atomicMax(words + i % 32, i); break;
        case 1: atomicMin(words + i % 32, i); break;
        case 2: atomicCAS(words + i % 32, i, i + 1); break;
        case 3: atomicAnd(words + i % 32, i); break;
        case 4: atomicExch(words + i % 32, i); break;
        case 5: atomicOr(words + i % 32, i); break;
        }
}
/* One block does a thousand times as much as the others: of 4096, one that is not traced; of 19,
 * one whose trace is longer than what is replayed. */
__global__ void uneven(int *words, int n, int longest) {
    int word = threadIdx.x, rounds = blockIdx.x == longest ? 1000 * n : n;
#pragma unroll 1
    for (int k = 0; k < rounds; k++) word = word * 3 + (word >> 3);
    words[threadIdx.x] = word;
}
/* Each lane goes a long way of its own. */
__global__ void stairs(int *words, int n) {
    int word = words[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        if (k > 90 * threadIdx.x)
            for (int i = 0; i < (k & 3) + 1; i++) word = word * 5 ^ words[word & 1023] + i;
        __syncthreads();
    }
    words[threadIdx.x] = word;
}
/* Each thread has a line of its own, and stores to one word of it again and again. */
__global__ void apart(volatile int *words, int n) {
    for (int k = 0; k < n; k++) words[threadIdx.x * 32] = k;
}
/* All words come over the link, once. */
__global__ void linked(float *words) {
    words[blockIdx.x * 256 + threadIdx.x] += 1;
}
/* Blocks read the same, each word when the one before is there: all zeros. */
__global__ void chain(const int *words, int *out, int n, int times) {
    int word = 0;
    for (int t = 0; t < times; t++)
        for (int k = 0; k < n; k++) word += words[16 * k + word];
    out[threadIdx.x] = word;
}
/* Each operation on 64 bits becomes two alike, which are no copies of the loop. */
__global__ void both_halves(unsigned long long *out, int n, int shift) {
    unsigned long long v = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int i = 0; i < 4; i++) v = (v >> (shift & 31)) ^ (unsigned)shift;
    }
    out[threadIdx.x] = v;
}
/* ptxas keeps so small an array in registers. */
__global__ void kept(int *out, int n) {
    int a[4], v = blockIdx.x * 256 + threadIdx.x;
    for (int i = 0; i < 4; i++) a[i] = v + i;
    for (int k = 0; k < n; k++) {
        a[(v * 7 + k) & 3] += 5;
        v += a[(v + k + 2) & 3];
    }
    out[threadIdx.x] = v;
}
/* One sector in each line of 64 MB, eight times. */
__global__ void one_a_line(const int *words, int *out, int n) {
    int sum = 0;
    for (int i = blockIdx.x * 768 + threadIdx.x; i < n; i += 2496 * 768)
        sum += words[i * 32 & 0xffffff];
    out[threadIdx.x] = sum;
}
/* ptxas puts the addition under a predicate: half of the threads do it, then a quarter ... */
__global__ void fewer(float *out) {
    __shared__ float sums[128];
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
        __syncthreads();
    }
    out[blockIdx.x] = sums[0];
}
int main(int argc, char **argv) {
    float *in, *out;
    int *count, n = 1 << 16;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, 1500 * 256 * sizeof *out);
    cudaMalloc(&count, sizeof *count);
    if (argc > 1 && argv[1][0] == 'o') {
        int *words;
        cudaMalloc(&words, 64 << 20);
        one_a_line<<<2496, 768>>>(words, (int *)out, 1 << 22);
        return cudaDeviceSynchronize();
    }
    if (argc > 1 && argv[1][0] == 'h') {
        float *words; /* the host's */
        cudaHostAlloc(&words, (32768 * 256) * sizeof *words, cudaHostAllocMapped);
        linked<<<32768, 256>>>(words);
        return cudaDeviceSynchronize();
    }
    if (argc > 2) { // chain, blocks
        cudaMemcpy(in, calloc(n, sizeof *in), n * sizeof *in, cudaMemcpyHostToDevice);
        if (argv[2][0] == 'L') // 212 KB: an H200's L1 has 216
            chain<<<1, 256>>>((int *)in, (int *)out, 212 * 16, 2);
        else
            chain<<<atoi(argv[2]), 256>>>((int *)in, (int *)out, n / 16, 1);
        return cudaDeviceSynchronize();
    }
    if (argc > 1) {
        if (argv[1][0] == 'a') apart<<<1, 256>>>((int *)out, 256);
        if (argv[1][0] == 'b') both_halves<<<1, 32>>>((unsigned long long *)out, 2000, 3);
        if (argv[1][0] == 'f') fewer<<<4, 128>>>(out);
        if (argv[1][0] == 'k') kept<<<1024, 256>>>((int *)out, 48);
        if (argv[1][0] == 'c') cases<<<6048, 256>>>((int *)out, 6048 * 256, 2);
        if (argv[1][0] == 's' && argv[1][1] == 't') stairs<<<1, 64>>>((int *)out, 3000);
        if (argv[1][0] == 'u') uneven<<<4096, 32>>>((int *)out, 100, 1001);
        if (argv[1][0] == 't') uneven<<<19, 256>>>((int *)out, 100, 7);
        if (argv[1][0] == 'i') integers<<<1024, 256>>>((int *)out, 200);
        if (argv[1][0] == 'l') wide_integers<<<1024, 256>>>((int *)out, 200);
        if (argv[1][0] == 'r') roots<<<1024, 256>>>((int *)out, 200);
        if (argv[1][0] == 's' && argv[1][1] == 'e') selections<<<2048, 128>>>((int *)out, 200);
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
