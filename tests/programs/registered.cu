// case used | 0 | ^ok$
// case files | 0 | ^ok$
// case refused | 0 | ^ok$
// case store | 1 | cudaErrorIllegalAddress | registered for reading only
// cudaHostRegister on any memory of the program: from any byte on, mapped anonymously, from a file,
// for reading only, on the stack; kernels use it in place. And what is refused.
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 20 };

__global__ void bump(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i]++;
}
__global__ void sum(const int *p, int n, int *out) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(out, p[i]);
}

static char *map(int protection, int flags, int file) {
    void *p = mmap(nullptr, SIZE, protection, flags, file, 0);
    if (p == MAP_FAILED) exit(9);
    return (char *)p;
}

/* A file of SIZE bytes, whose first number is 41. */
static int make_file() {
    char name[] = "/tmp/registered.XXXXXX";
    int file = mkstemp(name), first = 41;
    if (file < 0 || ftruncate(file, SIZE) || pwrite(file, &first, sizeof first, 0) != sizeof first)
        exit(9);
    unlink(name);
    return file;
}

static void use(const char *what, void *memory, int n) {
    int *p = (int *)memory, *device;
    for (int i = 0; i < n; i++) p[i] = i;
    CHECK(cudaHostRegister(p, n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&device, p + 1, 0));
    same(what, -1, device == p + 1, true);
    bump<<<1, 128>>>(p, n);
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same(what, i, p[i], i + 1);
    CHECK(cudaHostUnregister(p));
}

static void used() {
    int stack[64];
    static int data[64];
    char *pages = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    int *heap = (int *)malloc(5000);
    use("from the middle of a page", pages + 100, 1000);
    use("a whole mapping", pages, SIZE / sizeof(int));
    use("shared, anonymous", map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1), 1000);
    use("stack", stack, 64);
    use("data", data, 64);
    use("malloc", heap, 1250);
    free(heap);
}

/* A kernel reads what the file has. What it writes to a private mapping stays there. */
static void files() {
    int file = make_file(), *out;
    CHECK(cudaMallocManaged(&out, sizeof *out));
    for (int shared : {MAP_SHARED, MAP_PRIVATE}) {
        char *p = map(PROT_READ, shared, file);
        *out = 0;
        CHECK(cudaHostRegister(p, SIZE, cudaHostRegisterReadOnly));
        sum<<<1, 64>>>((int *)p, SIZE / sizeof(int), out);
        FINISH_KERNEL();
        same("read", shared, *out, 41);
        CHECK(cudaHostUnregister(p));
    }
    char *p = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, file);
    CHECK(cudaHostRegister(p, SIZE, 0));
    bump<<<1, 1>>>((int *)p, 1);
    FINISH_KERNEL();
    int first = 0;
    same("written", 0, *(int *)p, 42);
    same("bytes of the file", 0, pread(file, &first, sizeof first, 0), sizeof first);
    same("the file", 0, first, 41);
    CHECK(cudaHostUnregister(p));
    CHECK(cudaFree(out));
}

static void refused() {
    int file = make_file(), *managed, *pinned, *device;
    char *p = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    CHECK(cudaMallocManaged(&managed, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMalloc(&device, 4096));
    REFUSE(cudaHostRegister(nullptr, 4096, 0), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(p, 0, 0), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(p, 4096, 64), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(managed, 4096, 0), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(pinned, 4096, 0), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(device, 4096, 0), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(map(PROT_READ, MAP_SHARED, file), SIZE, 0), cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(map(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1), SIZE, 0),
           cudaErrorInvalidValue);
    REFUSE(cudaHostRegister(map(PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1), SIZE, 0),
           cudaErrorInvalidValue);
    REFUSE(cudaHostRegister((void *)0x500000000000, 4096, 0), cudaErrorInvalidValue);
    CHECK(cudaHostRegister(p + 100, 1000, 0));
    CHECK(cudaHostRegister(p + 2000, 100, 0)); /* in the same page */
    REFUSE(cudaHostRegister(p + 500, 100, 0), cudaErrorHostMemoryAlreadyRegistered);
    REFUSE(cudaHostRegister(p, 8192, 0), cudaErrorHostMemoryAlreadyRegistered);
    REFUSE(cudaHostUnregister(p + 104), cudaErrorInvalidValue);
    CHECK(cudaHostUnregister(p + 100));
    CHECK(cudaHostUnregister(p + 2000));
    REFUSE(cudaHostUnregister(p + 100), cudaErrorHostMemoryNotRegistered);
    munmap(p + SIZE / 2, SIZE / 2);
    REFUSE(cudaHostRegister(p, SIZE, 0), cudaErrorInvalidValue);
    CHECK(cudaFree(managed));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
}

/* A kernel writes where it may only read, though the host may write. */
static void store() {
    char *p = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    CHECK(cudaHostRegister(p, SIZE, cudaHostRegisterReadOnly));
    bump<<<1, 1>>>((int *)p, 1);
    FINISH_KERNEL();
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "used")) used();
    if (!strcmp(name, "files")) files();
    if (!strcmp(name, "refused")) refused();
    if (!strcmp(name, "store")) store();
    return finish();
}
