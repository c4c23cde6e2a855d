// Nested launches that fail: each names its error to the thread that made it, and the others go on.
// A fault in a child is the program's.
// build O3 -rdc=true
// build G -rdc=true -G
// case errors | 0 | ^ok$
// case fault | 1 | FINISHED cudaErrorIllegalAddress | at .*child\(int\*\)
#include "check.h"

#define CHAIN 3000 /* more than may be pending */

__global__ void child(int *p) {
    *p = 1;
}

__global__ void big(int *p) {
    extern __shared__ int memory[];
    memory[threadIdx.x] = 1;
    *p = memory[threadIdx.x];
}

/* What the thread's last error is after a launch, in error[]; the good launches in between must not
 * be disturbed. */
__global__ void bad(int *error, int *done) {
    child<<<0, 1>>>(done);
    error[0] = (int)cudaGetLastError();
    child<<<1, 0>>>(done);
    error[1] = (int)cudaGetLastError();
    child<<<1, 1025>>>(done);
    error[2] = (int)cudaGetLastError();
    child<<<dim3(1, 65536), 1>>>(done);
    error[3] = (int)cudaGetLastError();
    big<<<1, 1, 1 << 20>>>(done);
    error[4] = (int)cudaGetLastError();
    child<<<1, 1>>>(done);
    error[5] = (int)cudaGetLastError();
    child<<<1, 2000>>>(done);
    error[6] = (int)cudaPeekAtLastError() != 0 && cudaGetLastError() != cudaSuccess &&
               cudaGetLastError() == cudaSuccess;
}

/* Another thread's error is not this one's. */
__global__ void apart(int *error, int *done) {
    if (threadIdx.x == 1) child<<<1, 1025>>>(done);
    error[threadIdx.x] = (int)cudaGetLastError();
}

__global__ void chain(int depth, int *deepest, int *error) {
    *deepest = depth;
    if (depth + 1 < CHAIN) chain<<<1, 1>>>(depth + 1, deepest, error);
    cudaError_t failed = cudaGetLastError();
    if (failed != cudaSuccess) *error = (int)failed;
}

/* Of the launches of one thread, those that wait for the grid's end are pending, others end
 * beside it. */
__global__ void siblings(int tails, int *refused, int *sum) {
    for (int i = 0; i < CHAIN; i++) {
        if (tails)
            child<<<1, 1, 0, cudaStreamTailLaunch>>>(sum);
        else
            child<<<1, 1>>>(sum);
        *refused += cudaGetLastError() == cudaErrorLaunchPendingCountExceeded;
    }
}

static void test_codes() {
    int *error, *done;
    CHECK(cudaMallocManaged(&error, 8 * sizeof(int)));
    CHECK(cudaMallocManaged(&done, sizeof(int)));
    *done = 0;
    bad<<<1, 1>>>(error, done);
    FINISH_KERNEL();
    for (int i = 0; i < 5; i++) same("refused", i, error[i], (int)cudaErrorInvalidConfiguration);
    same("good launch", 5, error[5], 0);
    same("peek and take", 6, error[6], 1);
    same("good launch done", 0, *done, 1);
    apart<<<1, 2>>>(error, done);
    FINISH_KERNEL();
    same("own error", 0, error[0], 0);
    same("own error", 1, error[1] != 0, true);
    CHECK(cudaGetLastError()); /* none of this is an error of the host's */
    CHECK(cudaFree(error));
    CHECK(cudaFree(done));
}

static void test_depth() {
    int *found;
    CHECK(cudaMallocManaged(&found, 2 * sizeof(int)));
    found[0] = found[1] = 0;
    chain<<<1, 1>>>(0, &found[0], &found[1]);
    FINISH_KERNEL();
    printf("a chain of launches is %d deep, then %s\n", found[0] + 1,
           cudaGetErrorName((cudaError_t)found[1]));
    same("a limit", 0, found[0] + 1 < CHAIN, found[1] != 0);
    for (int tails = 0; tails < 2; tails++) {
        size_t limit;
        CHECK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
        found[0] = 0;
        siblings<<<1, 1>>>(tails, &found[0], &found[1]);
        FINISH_KERNEL();
        same("refused", tails, found[0], tails ? CHAIN - (int)limit : 0);
    }
    CHECK(cudaFree(found));
}

static int fault() {
    child<<<1, 1>>>(NULL);
    printf("FINISHED %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 1;
}

__global__ void faulty() {
    child<<<1, 1>>>((int *)8);
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "fault")) {
        faulty<<<1, 1>>>();
        return fault();
    }
    test_codes();
    test_depth();
    return finish();
}
