// The heap on the device: malloc, free, new, delete, exhaustion, memcpy and memset there, blocks
// kept between launches, what the host may do with them, and how large the heap can be.
// case pieces | 0 | ^ok$
// case large | 0 | ^ok$
// case limits | 0 | ^ok$
// case host | 0 | ^ok$
// case foreign | 1 | cudaErrorIllegalAddress | free of 0x
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

static void pieces() {
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
}

/* More than the default heap of 8 MiB, more than 4 GiB, and objects of several sizes at once. */
__global__ void large(size_t bytes, int *got) {
    char *p = (char *)malloc(bytes);
    got[0] = p != nullptr;
    if (!p) return;
    p[0] = 1;
    p[bytes - 1] = 2;
    got[0] += p[0] + p[bytes - 1];
    free(p);
}
struct Shape {
    __device__ virtual int corners() { return 0; }
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    double sides[100];
    __device__ int corners() override { return 4; }
};
__device__ Shape *shapes[4096];
__global__ void make() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shapes[i] = i % 2 ? new Shape : new Square;
}
__global__ void sum_and_delete(int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, shapes[i]->corners());
    delete shapes[i];
}

static void test_large() {
    int *out = poisoned<int>(1);
    size_t limit;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)6 << 30));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    same("limit", 0, limit, (size_t)6 << 30);
    for (size_t bytes : {(size_t)100 << 20, (size_t)5 << 30}) {
        large<<<1, 1>>>(bytes, out);
        FINISH_KERNEL();
        same("large", (long)(bytes >> 20), to_host(out, 1)[0], 4);
    }
    CHECK(cudaMemset(out, 0, sizeof(int)));
    make<<<16, 256>>>();
    sum_and_delete<<<16, 256>>>(out);
    FINISH_KERNEL();
    same("corners", 0, to_host(out, 1)[0], 2048 * 4);
}

static void limits() {
    int *out = poisoned<int>(1);
    size_t limit;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    same("default", 0, limit, (size_t)8 << 20);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1000));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    same("at least", 0, limit, (size_t)4 << 20);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    large<<<1, 1>>>(20 << 20, out);
    large<<<1, 1>>>(40 << 20, out);
    FINISH_KERNEL();
    same("too large", 0, to_host(out, 1)[0], 0);
    refuse("set too late", cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20),
           cudaErrorInvalidValue);
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    same("as before", 0, limit, (size_t)32 << 20);
}

__global__ void give_back(int *p) {
    free(p);
}

/* The host can fill a block of the heap, and neither copy nor free it. */
__global__ void give(int **to) {
    *to = (int *)malloc(4096);
    (*to)[0] = 5;
}
__global__ void look(int *from, int *out) {
    *out = from[0];
}

static void host() {
    int **block = poisoned<int *>(1), *out = poisoned<int>(1), copy[4];
    cudaPointerAttributes attributes;
    give<<<1, 1>>>(block);
    FINISH_KERNEL();
    int *p = to_host(block, 1)[0];
    refuse("copy", cudaMemcpy(copy, p, sizeof copy, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    refuse("copy by default", cudaMemcpy(copy, p, sizeof copy, cudaMemcpyDefault),
           cudaErrorInvalidValue);
    refuse("free", cudaFree(p), cudaErrorInvalidValue);
    CHECK(cudaPointerGetAttributes(&attributes, p));
    same("type", 0, (int)attributes.type, (int)cudaMemoryTypeUnregistered);
    CHECK(cudaMemset(p, 1, 16));
    look<<<1, 1>>>(p, out);
    FINISH_KERNEL();
    same("filled", 0, to_host(out, 1)[0], 0x01010101);
    give_back<<<1, 1>>>(p);
    FINISH_KERNEL();
}

/* A kernel frees what malloc did not give. */
static void foreign() {
    give_back<<<1, 1>>>(poisoned<int>(1));
    FINISH_KERNEL();
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "pieces")) pieces();
    if (!strcmp(name, "large")) test_large();
    if (!strcmp(name, "limits")) limits();
    if (!strcmp(name, "host")) host();
    if (!strcmp(name, "foreign")) foreign();
    return finish();
}
