/* speed.cu PROGRAM: seven small programs by which simt's own speed is measured (make bench-simt):
 * nbody, stencil, saxpy, histogram, spmv, and bitonic and bitonic-4g: 171 launches that sort 1 MB
 * in an allocation of 1 MB or of 4 GB. */
#include "common.h"

#include <string.h>

static const unsigned BLOCK = 256;
static const size_t MiB = 1 << 20;

static __global__ void pull(const float4 *body, float4 *force, int n) {
    __shared__ float4 tile[BLOCK];
    float4 me = body[blockIdx.x * BLOCK + threadIdx.x], sum = {0, 0, 0, 0};
    for (int first = 0; first < n; first += BLOCK) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 1e-3f);
            float weight = tile[k].w * inverse * inverse * inverse;
            sum.x += x * weight, sum.y += y * weight, sum.z += z * weight;
        }
        __syncthreads();
    }
    force[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

static __global__ void smooth(const float *from, float *to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float *at = from + y * width + x;
    to[y * width + x] = 0.25f * (at[-1] + at[1] + at[-width] + at[width]);
}

static __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

static __global__ void sortStep(unsigned *data, unsigned distance, unsigned size) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;
    if (partner <= i) return;
    unsigned low = data[i], high = data[partner];
    if ((low > high) == !(i & size)) data[i] = high, data[partner] = low;
}

static __global__ void histogram(const unsigned char *bytes, unsigned *bins, int n) {
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[bytes[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

static __global__ void multiply(int rows, const int *start, const int *column, const float *value,
                                const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
    y[row] = sum;
}

/* Device memory of which the first `used` bytes are random: as floats, 0 to 2. */
static void *randomBytes(size_t used, size_t bytes) {
    unsigned *host = hostArray<unsigned>(used / 4), *device, state = 1;
    for (size_t i = 0; i < used / 4; i++) host[i] = (state = state * 1664525 + 1013904223) >> 2;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpy(device, host, used, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static void runNbody() {
    const int n = 8192;
    float4 *bodies = (float4 *)randomBytes(n * sizeof(float4), 2 * n * sizeof(float4));
    pull<<<n / BLOCK, BLOCK>>>(bodies, bodies + n, n);
}

static void runStencil() {
    const int n = 2048;
    float *a = (float *)randomBytes(n * n * sizeof(float), n * n * sizeof(float)), *b;
    CHECK(cudaMalloc(&b, n * n * sizeof(float)));
    for (int i = 0; i < 8; i++)
        smooth<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(i % 2 ? b : a, i % 2 ? a : b, n, n);
}

static void runSaxpy() {
    const int n = 4 << 20;
    float *x = (float *)randomBytes(n * sizeof(float), n * sizeof(float));
    float *y = (float *)randomBytes(n * sizeof(float), n * sizeof(float));
    for (int i = 0; i < 8; i++) saxpy<<<n / BLOCK, BLOCK>>>(n, 2, x, y);
}

static void runBitonic(size_t bytes) {
    const unsigned n = MiB / sizeof(unsigned);
    unsigned *data = (unsigned *)randomBytes(MiB, bytes);
    for (unsigned size = 2; size <= n; size *= 2)
        for (unsigned distance = size / 2; distance; distance /= 2)
            sortStep<<<n / BLOCK, BLOCK>>>(data, distance, size);
}

static void runHistogram() {
    const int n = 16 << 20;
    unsigned char *bytes = (unsigned char *)randomBytes(n, n);
    unsigned *bins = (unsigned *)randomBytes(1024, 1024);
    histogram<<<64, BLOCK>>>(bytes, bins, n);
}

/* All five arrays in one allocation, one after the other: rows of 0 to 31 elements. */
static void runSpmv() {
    const int rows = 100003;
    size_t elements = 0, words = rows + 1 + 2 * 16 * rows + 2 * rows;
    int *host = hostArray<int>(words), *device;
    unsigned state = 1;
    for (int i = 0; i < rows; i++, elements += (state = state * 1664525 + 1013904223) >> 27)
        host[i] = (int)elements;
    host[rows] = (int)elements;
    int *column = host + rows + 1;
    float *value = (float *)column + elements;
    for (size_t k = 0; k < elements; k++) {
        column[k] = ((state = state * 1664525 + 1013904223) >> 8) % rows;
        value[k] = state >> 24;
    }
    for (int i = 0; i < rows; i++) value[elements + i] = 1;
    CHECK(cudaMalloc(&device, words * sizeof *device));
    CHECK(cudaMemcpy(device, host, words * sizeof *device, cudaMemcpyHostToDevice));
    const float *values = (float *)device + rows + 1 + elements;
    for (int i = 0; i < 4; i++)
        multiply<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(rows, device, device + rows + 1, values,
                                                        values + elements,
                                                        (float *)values + elements + rows);
    free(host);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "nbody") == 0) runNbody();
    if (strcmp(name, "stencil") == 0) runStencil();
    if (strcmp(name, "saxpy") == 0) runSaxpy();
    if (strcmp(name, "bitonic") == 0) runBitonic(MiB);
    if (strcmp(name, "histogram") == 0) runHistogram();
    if (strcmp(name, "spmv") == 0) runSpmv();
    if (strcmp(name, "bitonic-4g") == 0) runBitonic(4096 * MiB);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
