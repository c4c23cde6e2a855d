// Wrong programs that a GPU may let pass, or on which it hangs; simt stops each with a message that
// names kernel and line.
//
// only simt
// env SIMT_TIMEOUT=0.2
// case host_dereference | 139 |
// case endless | 1 | cudaErrorLaunchTimeout | spin
// case endless_deep | 1 | cudaErrorLaunchTimeout | spin_deep.*, function .*deepest.* in .*misbehaving.cu:[0-9]+
// case endless_printing | 1 | cudaErrorLaunchTimeout | print_wide
// case endless_loop_with_stores | 1 | cudaErrorLaunchTimeout | spin_storing
// case deadlock | 1 | cudaError | barrier
// case lost_warp | 1 | cudaError | barrier
// case lock_never_freed | 1 | cudaErrorLaunchTimeout | take_lock
// case each_waits | 1 | cudaErrorLaunchTimeout | spin.*misbehaving.cu:[0-9]+
// case partner_fails | 1 | cudaErrorIllegalAddress | store_at
// case host_pointer | 1 | cudaErrorIllegalAddress | the host's memory
// case stack_pointer | 1 | cudaErrorIllegalAddress | the host's memory
// case after_free | 1 | cudaErrorIllegalAddress | freed
// case past_end | 1 | cudaErrorIllegalAddress | store_at
// case before_start | 1 | cudaErrorIllegalAddress | misbehaving.cu:[0-9]+
// case past_end_by_byte | 1 | cudaErrorIllegalAddress | misbehaving.cu:[0-9]+
// case read_past_end | 1 | cudaErrorIllegalAddress | misbehaving.cu:[0-9]+
// case straddling | 1 | cudaErrorIllegalAddress | misbehaving.cu:[0-9]+
// case shared_past_end | 1 | cudaError | shared
// case local_past_end | 1 | cudaError | local
// case stack_overflow | 1 | cudaError | stack
// case bad_function | 1 | cudaError | call_through
// case heap_use_after_free | 1 | cudaErrorIllegalAddress | freed
// case heap_double_free | 1 | cudaError | free
// case symbol_past_end | 1 | cudaErrorIllegalAddress | table
#include "check.h"

__device__ int mutex;
__device__ int table[10];

__global__ void spin(volatile int *p) {
    while (*p != 5)
        ;
}
__global__ void spin_storing(volatile int *p) {
    for (unsigned i = 0; *p != -1; i++) p[i % 8] = i & 0xFFFF;
}
// A hundred calls deep, where the stack is made large enough.
__device__ __noinline__ int deepest(int n, volatile int *p) {
    while (n == 0 && *p != 5)
        ;
    return n == 0 ? *p : deepest(n - 1, p) + 1;
}
__global__ void spin_deep(volatile int *p) {
    p[1] = deepest(100, p);
}
__global__ void print_wide(volatile int *p) {
    while (*p != 5) printf("%2000000000d %.*f\n", *p, 2000000000, 1.5);
}
__global__ void wait_apart() {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
}
__global__ void wait_for_more() {
    asm volatile("bar.sync 1, 128;" ::: "memory");
}
__global__ void take_lock() {
    while (atomicCAS(&mutex, 0, 1))
        ;
}
__global__ void store_at(int *p, long i) {
    p[i] = 7;
}
__global__ void store_byte(char *p, long i) {
    p[i] = 7;
}
__global__ void load_from(const int *p, long i, int *out) {
    out[0] = p[i];
}
__global__ void store_wide(int4 *p, int *source) {
    *p = make_int4(*source, 2, 3, 4);
}
__global__ void past_shared(int i) {
    __shared__ int s[16];
    s[threadIdx.x] = i;
    __syncthreads();
    s[i] = s[threadIdx.x + 1 & 15];
}
__global__ void past_local(int i, int *out) {
    int mine[4] = {1, 2, 3, 4};
    mine[i & 3] = i;
    for (int k = 0; k < i; k++) // walks off the array, and then off the frame
        mine[k] = k;
    *out = mine[i & 3];
}
__device__ __noinline__ int deeper(int n, int *p) {
    int frame[64];
    for (int i = 0; i < 64; i++) frame[i] = p[i & 7] + n;
    return n == 0 ? frame[p[0] & 63] : deeper(n - 1, p) + frame[n & 63];
}
__global__ void overflow(int n, int *p) {
    *p = deeper(n, p);
}
typedef int (*Function)(int);
__global__ void call_through(Function f, int *out) {
    *out = f(3);
}
__global__ void heap_after_free(int *out) {
    int *volatile p = (int *)malloc(64);
    free(p);
    *out = p[3];
}
__global__ void heap_twice_freed() {
    int *volatile p = (int *)malloc(64);
    free(p);
    free(p);
}
__global__ void past_symbol(int i) {
    table[i] = 1;
}

static int *array; // 1000 ints

static void after_free() {
    int *gone;
    CHECK(cudaMalloc(&gone, 4000));
    CHECK(cudaFree(gone));
    store_at<<<1, 1>>>(gone, 10);
}
static void host_dereference() {
    printf("%d\n", *(volatile int *)array);
    exit(0);
}
static void host_pointer() {
    int *host = (int *)calloc(1000, sizeof *host);
    store_at<<<1, 1>>>(host, 10);
}
static void stack_pointer() {
    int local = 0;
    load_from<<<1, 1>>>(&local, 0, array);
    CHECK(cudaDeviceSynchronize());
}
// Two streams: the kernel in the first waits for what the second never does.
static cudaStream_t one, two;
static void wait_in_stream() {
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    spin<<<2, 32, 0, one>>>(array);
}
static void each_waits() {
    wait_in_stream();
    spin<<<2, 32, 0, two>>>(array + 8);
}
static void partner_fails() {
    wait_in_stream();
    store_at<<<1, 1, 0, two>>>(array, 1000);
}
static const struct {
    const char *name;
    void (*run)();
} faults[] = {
    {"host_dereference", host_dereference},
    {"endless", [] { spin<<<1, 32>>>(array); }},
    {"endless_deep",
     [] {
         CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 14));
         spin_deep<<<1, 32>>>(array);
     }},
    {"endless_printing", [] { print_wide<<<1, 32>>>(array); }},
    {"endless_loop_with_stores", [] { spin_storing<<<1, 1>>>(array); }},
    {"deadlock", [] { wait_apart<<<1, 64>>>(); }},
    {"lost_warp", [] { wait_for_more<<<1, 96>>>(); }},
    {"lock_never_freed", [] { take_lock<<<2, 1>>>(); }},
    {"each_waits", each_waits},
    {"partner_fails", partner_fails},
    {"host_pointer", host_pointer},
    {"stack_pointer", stack_pointer},
    {"after_free", after_free},
    {"past_end", [] { store_at<<<1, 1>>>(array, 1000); }},
    {"before_start", [] { store_at<<<1, 1>>>(array, -1); }},
    {"past_end_by_byte", [] { store_byte<<<1, 1>>>((char *)array, 4000); }},
    {"read_past_end", [] { load_from<<<1, 1>>>(array, 1001, array); }},
    {"straddling", [] { store_wide<<<1, 1>>>((int4 *)(array + 1000 - 4) + 1, array); }},
    {"shared_past_end", [] { past_shared<<<1, 16>>>(20000); }},
    {"local_past_end", [] { past_local<<<1, 1>>>(1 << 20, array); }},
    {"stack_overflow", [] { overflow<<<1, 32>>>(100000, array); }},
    {"bad_function", [] { call_through<<<1, 1>>>((Function)0x12345678, array); }},
    {"heap_use_after_free", [] { heap_after_free<<<1, 1>>>(array); }},
    {"heap_double_free", [] { heap_twice_freed<<<1, 1>>>(); }},
    {"symbol_past_end", [] { past_symbol<<<1, 1>>>(10); }},
};

int main(int, char **arguments) {
    CHECK(cudaMalloc(&array, 1000 * sizeof(int)));
    CHECK(cudaMemset(array, 0, 1000 * sizeof(int)));
    for (auto &fault : faults)
        if (!strcmp(fault.name, arguments[1])) {
            fault.run();
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            printf("the fault was not noticed\n");
            return 3;
        }
    return 2;
}
