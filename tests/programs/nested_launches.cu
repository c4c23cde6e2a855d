// Kernels that launch kernels: who launched whom, what a child sees, the order in streams, tail
// launches, copies, and quicksort. Linked with and without the device runtime's library, which only
// some programs need.
// build O3 -rdc=true
// build G -rdc=true -G
#include "check.h"

#include <algorithm>

/* ---- A tree: every thread of a grid of two launches the same again, down to a depth ---- */

#define TREE_DEPTH 5

__global__ void branchOut(int depth, int id, int *parentOf, int *count) {
    int mine = id * 2 + (int)threadIdx.x + 1;
    parentOf[mine] = id;
    atomicAdd(&count[depth], 1);
    if (depth + 1 < TREE_DEPTH) branchOut<<<1, 2>>>(depth + 1, mine, parentOf, count);
}

static void test_tree() {
    const int nodes = (2 << TREE_DEPTH) - 1;
    int *parent, *count;
    CHECK(cudaMallocManaged(&parent, nodes * sizeof(int)));
    CHECK(cudaMallocManaged(&count, TREE_DEPTH * sizeof(int)));
    memset(parent, -1, nodes * sizeof(int));
    memset(count, 0, TREE_DEPTH * sizeof(int));
    branchOut<<<1, 2>>>(0, 0, parent, count);
    FINISH_KERNEL();
    for (int d = 0; d < TREE_DEPTH; d++) same("threads at a depth", d, count[d], 2 << d);
    for (int i = 1; i < nodes; i++) same("parent", i, parent[i], (i - 1) / 2);
    CHECK(cudaFree(parent));
    CHECK(cudaFree(count));
}

/* ---- What a child sees, and in which order ---- */

__global__ void append(int *log, int value) {
    log[atomicAdd(&log[0], 1) + 1] = value;
}

__global__ void appendFrom(int *log, int value, const int *input) {
    append<<<1, 1>>>(log, value + *input);
}

/* In one stream: 1, then 2 with all that it launches, then 4. The tail comes after everything, also
 * what is in the other stream. */
__global__ void inOrder(int *log, int *input) {
    *input = 2;
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 100);
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 101);
    append<<<1, 1>>>(log, 1);
    appendFrom<<<1, 1>>>(log, 0, input);
    append<<<1, 1>>>(log, 4);
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    append<<<1, 1, 0, stream>>>(log, 50);
    append<<<1, 1, 0, stream>>>(log, 51);
    cudaStreamDestroy(stream);
    append<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 70);
}

static int placeOf(const int *log, int value) {
    return (int)(std::find(log + 1, log + 1 + log[0], value) - log);
}

static void test_order() {
    int *log, *input;
    CHECK(cudaMallocManaged(&log, 32 * sizeof(int)));
    CHECK(cudaMallocManaged(&input, sizeof(int)));
    memset(log, 0, 32 * sizeof(int));
    inOrder<<<1, 1>>>(log, input);
    append<<<1, 1>>>(log, 200); /* the host's stream goes on when the whole tree is complete */
    FINISH_KERNEL();
    same("entries", 0, log[0], 9);
    same("first before second", 0, placeOf(log, 1) < placeOf(log, 2), true);
    same("grandchild before the next child", 0, placeOf(log, 2) < placeOf(log, 4), true);
    same("order in a stream", 0, placeOf(log, 50) < placeOf(log, 51), true);
    same("tail launch", 0, placeOf(log, 100), 7);
    same("second tail launch", 0, placeOf(log, 101), 8);
    same("after the tree", 0, placeOf(log, 200), 9);
    CHECK(cudaFree(log));
    CHECK(cudaFree(input));
}

/* ---- Arguments of all sizes, blocks of all shapes ---- */

struct Big {
    double d[40];
};

__global__ void takeAll(char c, Big big, short s, long long l, float *out) {
    int i = (int)(threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x);
    out[i] = (float)(c + big.d[i] + s + l);
}

__global__ void passAll(float *out) {
    Big big;
    for (int i = 0; i < 40; i++) big.d[i] = i;
    takeAll<<<1, dim3(5, 4, 2)>>>((char)1, big, (short)2, 3LL, out);
}

static void test_arguments() {
    float *out;
    CHECK(cudaMallocManaged(&out, 40 * sizeof(float)));
    passAll<<<1, 1>>>(out);
    FINISH_KERNEL();
    for (int i = 0; i < 40; i++) same("argument", i, out[i], 6.0f + (float)i);
    CHECK(cudaFree(out));
}

/* ---- Quicksort: each half is a launch, the two in streams of their own ---- */

__global__ void quicksort(int *data, int left, int right, int depth) {
    if (right - left < 8 || depth >= 16) {
        for (int i = left + 1; i <= right; i++)
            for (int j = i; j > left && data[j - 1] > data[j]; j--) {
                int kept = data[j];
                data[j] = data[j - 1];
                data[j - 1] = kept;
            }
        return;
    }
    int pivot = data[(left + right) / 2], l = left, r = right;
    while (l <= r) {
        while (data[l] < pivot) l++;
        while (data[r] > pivot) r--;
        if (l <= r) {
            int kept = data[l];
            data[l++] = data[r];
            data[r--] = kept;
        }
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (left < r) quicksort<<<1, 1, 0, stream>>>(data, left, r, depth + 1);
    cudaStreamDestroy(stream);
    if (l < right) quicksort<<<1, 1>>>(data, l, right, depth + 1);
}

static void test_quicksort() {
    const int n = 500;
    int *data;
    std::vector<int> want(n);
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++) want[i] = data[i] = (i * 7919) % 1009;
    std::sort(want.begin(), want.end());
    quicksort<<<1, 1>>>(data, 0, n - 1, 0);
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same("sorted", i, data[i], want[i]);
    CHECK(cudaFree(data));
}

/* ---- Many threads launch; the children's blocks are many too ---- */

__global__ void addOne(int *data) {
    data[blockIdx.x * blockDim.x + threadIdx.x]++;
}

__global__ void everyThread(int *data) {
    int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    addOne<<<4, 32>>>(data + thread * 128);
}

static void test_many() {
    const int n = 8 * 16 * 128;
    int *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    memset(data, 0, n * sizeof(int));
    everyThread<<<8, 16>>>(data);
    everyThread<<<8, 16>>>(data);
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same("element", i, data[i], 2);
    CHECK(cudaFree(data));
}

/* ---- What a kernel can ask, copy and allocate ---- */

__global__ void ask(int *answers, char *bytes) {
    int value = -1;
    size_t limit = 0;
    answers[0] = cudaGetDevice(&value) == cudaSuccess ? value : -1;
    answers[1] = cudaGetDeviceCount(&value) == cudaSuccess ? value : -1;
    answers[2] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0) == cudaSuccess ? value : -1;
    answers[3] = cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess
                     ? (int)(limit >> 20)
                     : -1;
    cudaFuncAttributes attributes;
    answers[4] = cudaFuncGetAttributes(&attributes, (const void *)addOne) == cudaSuccess ? 1 : 0;
    void *memory = NULL;
    answers[5] = cudaMalloc(&memory, 100) == cudaSuccess && memory != NULL ? 1 : 0;
    answers[6] = cudaFree(memory) == cudaSuccess ? 1 : 0;
    /* On an H200 (CUDA 13.0) a kernel's memset stores 0 whatever value it is given, so none other
     * is tried here. */
    cudaMemsetAsync(bytes, 0, 8, 0);
    cudaMemcpyAsync(bytes + 8, bytes, 8, cudaMemcpyDeviceToDevice, 0);
    cudaEvent_t event;
    answers[7] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess &&
                         cudaEventRecord(event, 0) == cudaSuccess &&
                         cudaStreamWaitEvent(0, event, 0) == cudaSuccess &&
                         cudaEventDestroy(event) == cudaSuccess
                     ? 1
                     : 0;
}

static void test_questions() {
    static const int want[] = {0, 1, 32, 8, 1, 1, 1, 1};
    int *answers;
    char *bytes;
    CHECK(cudaMallocManaged(&answers, sizeof want));
    CHECK(cudaMallocManaged(&bytes, 16));
    memset(bytes, 'x', 16);
    ask<<<1, 1>>>(answers, bytes);
    FINISH_KERNEL();
    for (int i = 0; i < 8; i++) same("answer", i, answers[i], want[i]);
    for (int i = 0; i < 16; i++) same("byte", i, (int)bytes[i], 0);
    CHECK(cudaFree(answers));
    CHECK(cudaFree(bytes));
}

int main() {
    test_tree();
    test_order();
    test_arguments();
    test_quicksort();
    test_many();
    test_questions();
    return finish();
}
