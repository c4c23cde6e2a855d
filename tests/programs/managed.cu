// Managed memory: shared pointers, structures and lists built on the host, prefetch and advice, attached to streams,
// attributes.
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
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] *= by;
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

int main() {
    const int n = 5000;
    float *v;
    CHECK(cudaMallocManaged(&v, n * sizeof(float)));
    for (int i = 0; i < n; i++) v[i] = (float)i;
    int device;
    CHECK(cudaGetDevice(&device));
    cudaMemLocation place = {cudaMemLocationTypeDevice, device}, host = {cudaMemLocationTypeHost, 0};
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
