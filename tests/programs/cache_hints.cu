// Loads and stores with cache operators, read-only loads, volatile accesses, prefetches and fences:
// hints never change values.
#include "check.h"

enum { N = 1024 };

template <class T> __device__ T chain(const T *p, T *scratch) {
    T v = __ldg(p);
    __stcg(scratch, v), v = __ldcg(scratch);
    __stwb(scratch + 1, v), v = __ldca(scratch + 1);
    __stcs(scratch + 2, v), v = __ldcs(scratch + 2);
    __stwt(scratch + 3, v), v = __ldcv(scratch + 3);
    return __ldlu(scratch + 3);
}
template <class T> __global__ void hinted(const T *in, T *scratch, T *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = chain(in + i, scratch + 4 * i);
}
__global__ void plain(const int *__restrict__ in, volatile int *noisy, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    noisy[i] = in[i];
    noisy[i] += 1;
    __threadfence_block();
    noisy[i] *= 3;
    __threadfence();
    __threadfence_system();
    int relaxed, acquired;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(relaxed) : "l"(noisy + i));
    asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(acquired) : "l"(noisy + i));
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(out + i), "r"(relaxed + acquired));
    asm volatile("fence.acq_rel.gpu; fence.sc.cta;" ::: "memory");
}

template <class T> static void test(const char *type) {
    std::vector<T> in(N);
    for (size_t k = 0; k < N * sizeof(T); k++)
        ((unsigned char *)in.data())[k] = (unsigned char)random32();
    T *out = poisoned<T>(N), *scratch = poisoned<T>(4 * N);
    hinted<<<N / 128, 128>>>(to_device(in), scratch, out);
    FINISH_KERNEL();
    std::vector<T> got = to_host(out, N);
    for (int i = 0; i < N; i++)
        if (memcmp(&got[i], &in[i], sizeof(T))) differ(type, i, 0, 1);
}

int main() {
    test<char>("char"), test<unsigned char>("unsigned char"), test<short>("short"),
        test<int>("int");
    test<long long>("long long"), test<unsigned long long>("unsigned long long"),
        test<float>("float"), test<double>("double");
    test<int2>("int2"), test<float4>("float4"), test<double2>("double2"), test<uchar4>("uchar4"),
        test<longlong2>("longlong2");
    std::vector<int> in(N);
    for (int &x : in) x = (int)random32() >> 8;
    int *noisy = poisoned<int>(N), *out = poisoned<int>(N);
    plain<<<N / 128, 128>>>(to_device(in), noisy, out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, N);
    for (int i = 0; i < N; i++) same("plain", i, got[i], (in[i] + 1) * 6);
    return finish();
}
