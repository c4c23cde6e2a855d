// Where a process can use the GPU no more: in a fork after its first call, and in what runs at exit
// and was registered before that call. What is known without a GPU is still told.
//
// case fork | 0 | ^ok$
// case exit | 0 | ^ok$
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void nothing() {}

static cudaError_t expected;
static int *memory;

static void fails(const char *what, cudaError_t got) {
    same(what, 0, (int)got, (int)expected);
}

static void use_device() {
    int n;
    int *more;
    cudaStream_t stream;
    cudaDeviceProp properties;
    CHECK(cudaPeekAtLastError());
    CHECK(cudaGetDeviceCount(&n));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaRuntimeGetVersion(&n));
    fails("cudaGetDevice", cudaGetDevice(&n));
    fails("cudaSetDevice", cudaSetDevice(0));
    fails("cudaMalloc", cudaMalloc(&more, 64));
    fails("cudaFree", cudaFree(memory));
    fails("cudaMemcpy", cudaMemcpy(&n, memory, sizeof n, cudaMemcpyDeviceToHost));
    fails("cudaStreamCreate", cudaStreamCreate(&stream));
    nothing<<<1, 1>>>();
    fails("launch", cudaGetLastError());
    CHECK(cudaGetLastError());
    fails("cudaDeviceSynchronize", cudaDeviceSynchronize());
    fails("cudaDeviceReset", cudaDeviceReset());
}

static void at_exit() {
    use_device();
    puts(differences ? "differs" : "ok");
    fflush(stdout);
    _exit(differences != 0);
}

int main(int, char **arguments) {
    bool forks = !strcmp(arguments[1], "fork");
    if (!forks) atexit(at_exit);
    CHECK(cudaMalloc(&memory, 64));
    expected = forks ? cudaErrorInitializationError : cudaErrorCudartUnloading;
    if (!forks) return 0;
    int status = 0;
    if (fork() == 0) {
        use_device();
        _exit(differences != 0);
    }
    wait(&status);
    same("the fork's status", 0, status, 0);
    CHECK(cudaFree(memory));
    return finish();
}
