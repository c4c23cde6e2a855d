/*
 * planted.cu: kernels with planted mistakes. Each must be caught by the harness and named for what
 * it is; tests/labs/planted.bats knows how. The task is out[i] = 2 * in[i] for n floats.
 */
#include "common.h"
#include "harness/lab.h"

typedef void (*Kernel)(float *out, const float *in, int n);

__device__ static int globalIndex() {
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void right(float *out, const float *in, int n) {
    int i = globalIndex();
    if (i < n) out[i] = 2 * in[i];
}

__global__ void writesNothing(float *, const float *, int) {}

__global__ void writesHalf(float *out, const float *in, int n) {
    int i = globalIndex();
    if (i < n / 2) out[i] = 2 * in[i];
}

__global__ void writesNan(float *out, const float *in, int n) {
    int i = globalIndex();
    if (i < n) out[i] = i == 5 ? NAN : 2 * in[i];
}

__global__ void wrongAtTheEnd(float *out, const float *in, int n) {
    int i = globalIndex();
    if (i < n) out[i] = 2 * in[i] + (i == n - 1);
}

/* Adds to what it finds: right only if the output were zero. */
__global__ void trustsTheOutput(float *out, const float *in, int n) {
    int i = globalIndex();
    if (i < n) out[i] += 2 * in[i];
}

/* Right in its first launch, wrong in every other. */
__device__ int launches;
__global__ void rightOnlyOnce(float *out, const float *in, int n) {
    int i = globalIndex();
    if (i < n) out[i] = launches == 0 ? 2 * in[i] : 0;
    if (i == n - 1) launches = 1;
}

__global__ void stillTodo(float *, const float *, int) {
    TODO("Double every number.", "handouts/lab99.md#double");
}

/* Far beyond any allocation. */
__global__ void writesAstray(float *out, const float *, int) {
    out[(size_t)1 << 40] = 1;
}

__global__ void neverEnds(float *out, const float *, int) {
    volatile float *watched = out;
    while (watched[0] != 1.0f) {
    }
}

struct PlantedStep {
    const char *name, *idea;
    Kernel kernel;      /* NULL: nothing is launched */
    unsigned int block; /* 0: as the user asked */
};

static const PlantedStep STEPS[] = {
    {"right", "no mistake", right, 0},
    {"writesNothing", "the output is never written", writesNothing, 0},
    {"writesHalf", "a partial result", writesHalf, 0},
    {"writesNan", "one NaN", writesNan, 0},
    {"wrongAtTheEnd", "the last element is wrong", wrongAtTheEnd, 0},
    {"trustsTheOutput", "the output is read before it is written", trustsTheOutput, 0},
    {"rightOnlyOnce", "later launches are wrong", rightOnlyOnce, 0},
    {"neverLaunched", "the launch is missing", NULL, 0},
    {"blockTooLarge", "an impossible launch", right, 2048},
    {"stillTodo", "not written yet", stillTodo, 0},
    {"writesAstray", "a store far out of bounds", writesAstray, 0},
    {"neverEnds", "an endless loop", neverEnds, 0},
};

static Verdict checkFloats(const float *want, float *got, const float *d_out, int n) {
    CHECK(cudaMemcpy(got, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    return judgeResults(want, got, n);
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(99, "planted", __FILE__, "floats");
    info.defaultSize = 1000;
    info.maxSize = 1 << 20;
    info.minSize = 1;
    info.defaultBlock = 128;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const int n = (int)lab.size;
    const size_t bytes = n * sizeof(float);
    float *in = hostArray<float>(n), *want = hostArray<float>(n), *got = hostArray<float>(n), *d_in,
          *d_out;
    initialData(in, n, lab.seed);
    for (int i = 0; i < n; i++) want[i] = 2 * in[i];
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_in, bytes);
    labOutput(&lab, d_out, bytes);
    labHeader(&lab, "planted mistakes; a kernel may take %s s", getenv("SIMT_TIMEOUT"));

    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const unsigned int block = STEPS[i].block != 0 ? STEPS[i].block : lab.block,
                           grid = blocksFor(n, block);
        labStep(&lab, STEPS[i].name, grid, block);
        labBytes(&lab, 2.0 * bytes);
        while (labRuns(&lab)) {
            if (STEPS[i].kernel != NULL) STEPS[i].kernel<<<grid, block>>>(d_out, d_in, n);
            if (labChecks(&lab)) labVerdict(&lab, checkFloats(want, got, d_out, n));
        }
    }
    cudaFree(d_in);
    cudaFree(d_out);
    free(in);
    free(want);
    free(got);
    return labClose(&lab);
}
