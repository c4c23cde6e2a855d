// What memory holds that nobody wrote. Fresh memory is zero; less than 2 MiB that take the place of
// freed memory hold its bytes, as long as other small memory is in use, as measured on an H200.
//
// unchecked it reads what nobody wrote
#include "check.h"

enum { FILL = 0x5A };

__global__ void sum(const unsigned char *bytes, size_t n, unsigned long long *total) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(total, bytes[i]);
}

// The device's sum of the bytes: 0 only where all are zero.
static unsigned long long sum_of(const void *bytes, size_t n) {
    std::vector<unsigned long long> zero(1);
    unsigned long long *total = to_device(zero);
    sum<<<64, 256>>>((const unsigned char *)bytes, n, total);
    FINISH_KERNEL();
    unsigned long long result = to_host(total, 1)[0];
    release(total);
    return result;
}

__global__ void heap(unsigned *found) {
    volatile unsigned *block =
        (unsigned *)malloc(64); /* a compiler may give any value to what nobody wrote */
    found[0] = block[5];
    block[5] = FILL;
    free((void *)block);
}

// Both ends of memory, and places between them, whose indices take more than 32 bits.
__global__ void add_far(unsigned char *bytes, size_t n, size_t step) {
    bytes[n - 1 - threadIdx.x * step] += threadIdx.x + 1;
    if (threadIdx.x == 0) bytes[0] += 3;
}

static void test_large() {
    for (int power : {31, 32, 33}) {
        unsigned char *bytes, ends[2];
        size_t n = ((size_t)1 << power) + 5, step = (n - 2) / 63;
        if (cudaMalloc(&bytes, n)) break; // a GPU with less
        add_far<<<1, 64>>>(bytes, n, step);
        add_far<<<1, 64>>>(bytes, n, step);
        FINISH_KERNEL();
        CHECK(cudaMemcpy(ends, bytes, 1, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(ends + 1, bytes + n - 1 - 40 * step, 1, cudaMemcpyDeviceToHost));
        same("first byte", power, ends[0], 6);
        same("a far byte", power, ends[1], 82);
        CHECK(cudaFree(bytes));
    }
    cudaGetLastError();
}

int main() {
    test_large();
    const size_t sizes[] = {1000, 4096, 1 << 20, 3 << 20};
    void *p, *neighbour, *all[4];
    CHECK(cudaMalloc(&neighbour, 256));
    for (int i = 0; i < 4; i++) CHECK(cudaMalloc(&all[i], sizes[i]));
    for (int i = 0; i < 4; i++) same("fresh", sizes[i], sum_of(all[i], sizes[i]), 0);
    for (int i = 0; i < 4; i++) {
        size_t n = sizes[i];
        CHECK(cudaMemset(all[i], FILL, n));
        CHECK(cudaFree(all[i]));
        CHECK(cudaMalloc(&all[i], n));
        same("taken again", n, sum_of(all[i], n), n < 2 << 20 ? n * FILL : 0);
    }
    for (int i = 0; i < 4; i++) CHECK(cudaFree(all[i]));
    CHECK(cudaMalloc(&p, 1000));
    CHECK(cudaMemset(p, FILL, 1000));
    CHECK(cudaFree(p));
    CHECK(cudaFree(neighbour));
    CHECK(cudaMalloc(&p, 1000));
    same("taken again, with nothing beside it", 0, sum_of(p, 1000), 0);
    CHECK(cudaFree(p));
    CHECK(cudaMallocManaged(&p, 5000));
    same("managed", 0, sum_of(p, 5000), 0);
    CHECK(cudaFree(p));
    CHECK(cudaMallocHost(&p, 5000));
    same("pinned", 0, sum_of(p, 5000), 0);
    CHECK(cudaFreeHost(p));
    unsigned *found = poisoned<unsigned>(1);
    heap<<<1, 1>>>(found);
    FINISH_KERNEL();
    same("device malloc", 0, to_host(found, 1)[0], 0);
    return finish();
}
