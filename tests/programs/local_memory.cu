// Local memory: arrays indexed at run time, bytes, shorts, doubles and structures in them, pointers
// into them, big frames, alloca.
#include "check.h"

#include <alloca.h>

enum { N = 128 };
struct Item {
    short key;
    char text[5];
    double weight;
};

__host__ __device__ __noinline__ void fill(unsigned char *bytes, int n, int seed) {
    for (int i = 0; i < n; i++) bytes[i] = (unsigned char)(seed + i * i);
}
__host__ __device__ double everything(int seed) {
    unsigned char bytes[37];
    long grid[5][7];
    Item items[6];
    int *links[6], targets[6];
    fill(bytes, 37, seed);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++) grid[i][j] = bytes[(i * 7 + j + seed) % 37] * (i - j);
    for (int i = 0; i < 6; i++) {
        items[i].key = (short)grid[i % 5][seed % 7];
        items[i].weight = bytes[seed % 37] * 0.5;
        memset(items[i].text, i, sizeof items[i].text);
        targets[i] = i * seed;
        links[i] = &targets[(i + seed) % 6];
    }
    Item copy = items[seed % 6];
    double sum = copy.key + copy.weight + copy.text[seed % 5];
    for (int i = 0; i < 6; i++) sum += *links[i] * (i + 1);
    return sum;
}
// Narrow elements with signs, at offsets that all lanes share; some lanes leave theirs as they are.
__host__ __device__ int narrow(int seed, int n) {
    signed char bytes[12];
    short words[12];
    int sum = 0;
    for (int i = 0; i < n; i++) {
        bytes[i] = (signed char)(seed * 37 + i * 91);
        words[i] = (short)(seed * 999 + i * 7001);
    }
    for (int i = 0; i < n; i++) {
        if (seed % 3) bytes[i] ^= 0x55;
        if (seed % 5) words[i] = (short)(words[i] + i);
    }
    for (int i = 0; i < n; i++) sum = sum * 31 + bytes[i] * words[n - 1 - i];
    return sum;
}
// Knuth's heap permutations: a frame that is swapped about at run time.
__host__ __device__ int permutations(int seed) {
    int v[6], count[6] = {0}, hash = seed;
    for (int i = 0; i < 6; i++) v[i] = i + seed;
    for (int i = 0; i < 6;) {
        if (count[i] < i) {
            int other = i % 2 ? count[i] : 0, t = v[other];
            v[other] = v[i];
            v[i] = t;
            for (int k = 0; k < 6; k++) hash = hash * 31 + v[k];
            count[i]++;
            i = 0;
        } else {
            count[i++] = 0;
        }
    }
    return hash;
}

__global__ void run(double *sums, int *hashes, int *products, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[i] = everything(i);
    hashes[i] = permutations(i);
    products[i] = narrow(i, n);
}
__global__ void sieve(int *counts) { // 4 KB a thread
    unsigned char composite[4096];
    int n = 1000 + 24 * threadIdx.x, count = 0;
    for (int i = 0; i < n; i++) composite[i] = 0;
    for (int i = 2; i < n; i++) {
        count += !composite[i];
        for (int j = i * i; j < n && i < 64; j += i) composite[j] = 1;
    }
    counts[threadIdx.x] = count;
}
__global__ void of_any_size(int *out) {
    int n = 1 + threadIdx.x % 9;
    int *mine = (int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++) mine[i] = i * threadIdx.x;
    int sum = 0;
    for (int i = n - 1; i >= 0; i--) sum = sum * 3 + mine[i];
    out[threadIdx.x] = sum;
}

static int primes_below(int n) {
    int count = 0;
    for (int i = 2; i < n; i++) {
        bool prime = true;
        for (int k = 2; k * k <= i; k++) prime = prime && i % k;
        count += prime;
    }
    return count;
}

int main() {
    double *sums = poisoned<double>(N);
    int *hashes = poisoned<int>(N), *counts = poisoned<int>(N), *sized = poisoned<int>(N),
        *products = poisoned<int>(N);
    run<<<2, N / 2>>>(sums, hashes, products, 11);
    sieve<<<1, N>>>(counts);
    of_any_size<<<1, N>>>(sized);
    FINISH_KERNEL();
    std::vector<double> got_sums = to_host(sums, N);
    std::vector<int> got_hashes = to_host(hashes, N), got_counts = to_host(counts, N),
                     got_sized = to_host(sized, N);
    std::vector<int> got_products = to_host(products, N);
    for (int i = 0; i < N; i++) {
        same("everything", i, got_sums[i], everything(i));
        same("permutations", i, got_hashes[i], permutations(i));
        same("narrow", i, got_products[i], narrow(i, 11));
        same("sieve", i, got_counts[i], primes_below(1000 + 24 * i));
        int want = 0;
        for (int k = i % 9; k >= 0; k--) want = want * 3 + k * i;
        same("of_any_size", i, got_sized[i], want);
    }
    return finish();
}
