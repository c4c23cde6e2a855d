// Managed memory: shared pointers, structures and lists built on the host, prefetch and advice,
// attached to streams, attributes; what was advised, page by page, and what is refused.
#include "check.h"

struct Element {
    int value;
    Element *next;
};
__global__ void sum_list(const Element *list, int *result) {
    int sum = 0;
    for (; list; list = list->next) sum += list->value;
    *result = sum;
}
__global__ void scale(float *v, int n, float by) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v[i] *= by;
}
// The usual base class that puts objects in managed memory.
struct Managed {
    void *operator new(size_t size) {
        void *p;
        CHECK(cudaMallocManaged(&p, size));
        return p;
    }
    void operator delete(void *p) { CHECK(cudaFree(p)); }
};
struct Particle : Managed {
    double position[3] = {1, 2, 3};
};
__global__ void move(Particle *p) {
    p->position[threadIdx.x] += threadIdx.x * 10;
}

// What the runtime says of a range: read-mostly, preferred place, accessed by (two), last
// prefetched to; then the types of the two places.
static void expect_advice(const char *what, const char *p, size_t size, std::vector<int> want) {
    int mostly, preferred, by[2], prefetched, types[2];
    CHECK(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, p, size));
    CHECK(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, p, size));
    CHECK(cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeAccessedBy, p, size));
    void *to[3] = {&prefetched, &types[0], &types[1]};
    size_t sizes[3] = {4, 4, 4};
    cudaMemRangeAttribute which[3] = {cudaMemRangeAttributeLastPrefetchLocation,
                                      cudaMemRangeAttributePreferredLocationType,
                                      cudaMemRangeAttributeLastPrefetchLocationType};
    CHECK(cudaMemRangeGetAttributes(to, sizes, which, 3, p, size));
    std::vector<int> got = {mostly, preferred, by[0], by[1], prefetched, types[0], types[1]};
    for (size_t i = 0; i < got.size(); i++) same(what, i, got[i], want[i]);
}

static void test_advice() {
    const size_t SIZE = 1 << 22, HALF = SIZE / 2;
    const int NONE = cudaInvalidDeviceId, CPU = cudaCpuDeviceId;
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0},
                    nowhere = {cudaMemLocationTypeDevice, 99};
    char *p, *device, *pageable = (char *)malloc(4096);
    int value;
    CHECK(cudaMallocManaged(&p, SIZE));
    CHECK(cudaMalloc(&device, 4096));
    expect_advice("fresh", p, SIZE, {0, NONE, NONE, NONE, NONE, 0, 0});
    CHECK(cudaMemPrefetchAsync(p, SIZE, gpu, 0, 0));
    CHECK(cudaMemAdvise(p, SIZE, cudaMemAdviseSetReadMostly, gpu));
    CHECK(cudaMemAdvise(p, SIZE, cudaMemAdviseSetPreferredLocation, gpu));
    CHECK(cudaMemAdvise(p, SIZE, cudaMemAdviseSetAccessedBy, gpu));
    CHECK(cudaMemAdvise(p, SIZE, cudaMemAdviseSetAccessedBy, host));
    expect_advice("advised", p, SIZE, {1, 0, 0, CPU, 0, 1, 1});
    CHECK(cudaMemAdvise(p, HALF, cudaMemAdviseUnsetReadMostly, gpu));
    CHECK(cudaMemAdvise(p, HALF, cudaMemAdviseSetPreferredLocation, host));
    CHECK(cudaMemPrefetchAsync(p, HALF, host, 0, 0));
    expect_advice("halves differ", p, SIZE, {0, NONE, 0, CPU, NONE, 0, 0});
    expect_advice("first half", p, HALF, {0, CPU, 0, CPU, CPU, 2, 2});
    expect_advice("second half", p + HALF, HALF, {1, 0, 0, CPU, 0, 1, 1});
    CHECK(cudaMemAdvise(p, SIZE, cudaMemAdviseUnsetPreferredLocation,
                        nowhere)); /* the place does not count */
    CHECK(cudaMemAdvise(p, SIZE, cudaMemAdviseUnsetAccessedBy, host));
    expect_advice("unset", p, 1, {0, NONE, 0, NONE, CPU, 0, 2});
    CHECK(cudaMemAdvise(p + 100, 5000, cudaMemAdviseSetReadMostly, gpu)); /* whole pages */
    expect_advice("first page", p, 64, {1, NONE, 0, NONE, CPU, 0, 2});
    expect_advice("third page", p + 8192, 64, {0, NONE, 0, NONE, CPU, 0, 2});
    REFUSE(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, p, 64),
           cudaErrorInvalidValue);
    REFUSE(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)99, p, 64),
           cudaErrorInvalidValue);
    REFUSE(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 0),
           cudaErrorInvalidValue);
    REFUSE(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, SIZE + 1),
           cudaErrorInvalidValue);
    REFUSE(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, device, 64),
           cudaErrorInvalidValue);
    REFUSE(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, pageable, 64),
           cudaErrorInvalidValue);
    REFUSE(cudaMemPrefetchAsync(p, 64, nowhere, 0, 0), cudaErrorInvalidDevice);
    REFUSE(cudaMemAdvise(p, 64, cudaMemAdviseSetPreferredLocation, nowhere), cudaErrorInvalidValue);
    REFUSE(cudaMemAdvise(pageable, 64, cudaMemAdviseSetReadMostly, gpu), cudaErrorInvalidValue);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamAttachMemAsync(stream, p, SIZE, cudaMemAttachSingle));
    CHECK(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachHost));
    CHECK(cudaStreamAttachMemAsync(stream, p, 0, cudaMemAttachGlobal));
    REFUSE(cudaStreamAttachMemAsync(stream, p, 64, cudaMemAttachSingle), cudaErrorInvalidValue);
    REFUSE(cudaStreamAttachMemAsync(stream, p + 4096, 0, cudaMemAttachSingle),
           cudaErrorInvalidValue);
    REFUSE(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachSingle), cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(p));
    CHECK(cudaFree(device));
    free(pageable);
}

int main() {
    test_advice();
    const int n = 5000;
    float *v;
    CHECK(cudaMallocManaged(&v, n * sizeof(float)));
    for (int i = 0; i < n; i++) v[i] = (float)i;
    int device;
    CHECK(cudaGetDevice(&device));
    cudaMemLocation place = {cudaMemLocationTypeDevice, device},
                    host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(v, n * sizeof(float), cudaMemAdviseSetPreferredLocation, place));
    CHECK(cudaMemPrefetchAsync(v, n * sizeof(float), place, 0));
    scale<<<4, 128>>>(v, n, 2);
    CHECK(cudaMemPrefetchAsync(v, n * sizeof(float), host, 0));
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same("scale", i, v[i], 2.0f * i);
    Element *list = nullptr;
    int *result;
    CHECK(cudaMallocManaged(&result, sizeof *result, cudaMemAttachGlobal));
    for (int i = 1; i <= 100; i++) {
        Element *head;
        CHECK(cudaMallocManaged(&head, sizeof *head));
        *head = {i, list};
        list = head;
    }
    sum_list<<<1, 1>>>(list, result);
    FINISH_KERNEL();
    same("sum_list", 0, *result, 5050);
    while (list) {
        Element *next = list->next;
        CHECK(cudaFree(list));
        list = next;
    }
    Particle *particle = new Particle;
    move<<<1, 3>>>(particle);
    FINISH_KERNEL();
    for (int i = 0; i < 3; i++) same("move", i, particle->position[i], i + 1 + 10.0 * i);
    delete particle;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, v + 7));
    same("type", 0, (int)attributes.type, (int)cudaMemoryTypeManaged);
    same("host pointer", 0, attributes.hostPointer == v + 7, true);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamAttachMemAsync(stream, v, 0, cudaMemAttachSingle));
    scale<<<2, 64, 0, stream>>>(v, n, 0.5f);
    CHECK(cudaStreamSynchronize(stream));
    same("attached", 9, v[9], 9);
    float copy[3];
    CHECK(cudaMemcpy(copy, v + 1, sizeof copy, cudaMemcpyDefault));
    same("copied", 2, copy[2], 3);
    CHECK(cudaMemset(v, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    same("memset", n - 1, v[n - 1], 0);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(v));
    CHECK(cudaFree(result));
    return finish();
}
