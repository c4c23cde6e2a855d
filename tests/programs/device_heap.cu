// The heap on the device: malloc, free, new, delete, exhaustion, memcpy and memset there, blocks kept between launches.
#include "check.h"

enum { THREADS = 64 };
struct List {
    int value;
    List *next;
};
__device__ int *kept[THREADS];

__global__ void lists(int *sums) {
    List *head = nullptr;
    int sum = 0;
    for (int i = 0; i < 5 + (int)threadIdx.x % 3; i++) {
        List *item = (List *)malloc(sizeof(List));
        item->value = i + threadIdx.x;
        item->next = head;
        head = item;
    }
    while (head) {
        List *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    free(nullptr);
    sums[threadIdx.x] = sum;
}
__global__ void keep() {
    int n = 1 + threadIdx.x;
    int *p = new int[n];
    for (int i = 0; i < n; i++) p[i] = i * i;
    kept[threadIdx.x] = p;
}
__global__ void use_kept(int *out) {
    int n = 1 + threadIdx.x, copy[THREADS];
    memset(copy, 0, sizeof copy);
    memcpy(copy, kept[threadIdx.x], n * sizeof(int));
    int sum = 0;
    for (int i = 0; i < THREADS; i++) sum += copy[i];
    out[threadIdx.x] = sum + (((size_t)kept[threadIdx.x] & 15) == 0 ? 0 : 1000000);
    delete[] kept[threadIdx.x];
}
__global__ void exhaust(int *got) {
    void *p = malloc((size_t)1 << 40);
    got[threadIdx.x] = p == nullptr;
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    int *out = poisoned<int>(THREADS);
    lists<<<1, THREADS>>>(out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, THREADS);
    for (int t = 0; t < THREADS; t++) {
        int n = 5 + t % 3;
        same("lists", t, got[t], n * t + n * (n - 1) / 2);
    }
    keep<<<1, THREADS>>>();
    use_kept<<<1, THREADS>>>(out);
    FINISH_KERNEL();
    got = to_host(out, THREADS);
    for (int t = 0; t < THREADS; t++) same("kept", t, got[t], t * (t + 1) * (2 * t + 1) / 6);
    exhaust<<<1, 32>>>(out);
    FINISH_KERNEL();
    got = to_host(out, 32);
    for (int t = 0; t < 32; t++) same("exhausted", t, got[t], 1);
    return finish();
}
