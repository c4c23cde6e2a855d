// Vector types: every size copied through global, shared and local memory, members intact,
// unaligned structures too.
#include "check.h"

struct Odd { // 2-byte alignment inside a 12-byte structure
    char tag, flag;
    short pair[2];
    unsigned char rest[6];
};
struct __align__(16) Wide {
    float4 a;
    double b, c;
};

// Reverse the elements within each block by way of shared memory and a local array.
template <class T> __global__ void reverse(const T *in, T *out) {
    __shared__ T staged[64];
    T local[4];
    int i = blockIdx.x * 64 + threadIdx.x;
    staged[threadIdx.x] = in[i];
    __syncthreads();
    for (int k = 0; k < 4; k++) local[(k + threadIdx.x) & 3] = staged[(63 - threadIdx.x + k) & 63];
    out[i] = local[threadIdx.x & 3];
}

template <class T> static void test(const char *type) {
    const int n = 256;
    std::vector<T> in(n);
    memset((void *)in.data(), 0, n * sizeof(T));
    for (size_t k = 0; k < n * sizeof(T); k++)
        ((unsigned char *)in.data())[k] = (unsigned char)random32();
    T *out = poisoned<T>(n);
    reverse<<<n / 64, 64>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<T> got = to_host(out, n);
    for (int i = 0; i < n; i++)
        if (memcmp(&got[i], &in[i / 64 * 64 + 63 - i % 64], sizeof(T)))
            differ(type, i, *(unsigned char *)&got[i],
                   *(unsigned char *)&in[i / 64 * 64 + 63 - i % 64]);
}

__global__ void members(const float4 *f, const uchar4 *c, const longlong2 *l, const double2 *d,
                        const short2 *s, double *out) {
    int i = threadIdx.x;
    float4 v = f[i];
    uchar4 b = c[i];
    longlong2 w = l[i];
    double2 e = d[i];
    short2 t = s[i];
    out[i] = v.x + 2 * v.y + 3 * v.z + 4 * v.w + b.x * 5 + b.y * 6 + b.z * 7 + b.w * 8 + w.x - w.y +
             e.x / 2 + e.y + t.x * 3 - t.y;
}

static void test_members() {
    std::vector<float4> f(32);
    std::vector<uchar4> c(32);
    std::vector<longlong2> l(32);
    std::vector<double2> d(32);
    std::vector<short2> s(32);
    for (int i = 0; i < 32; i++) {
        f[i] = make_float4(i, i + 1, -i, i * 4), c[i] = make_uchar4(i, 255 - i, 128, i * 3),
        l[i] = make_longlong2(i * 1000, -i);
        d[i] = make_double2(i * 0.5, -i * 8), s[i] = make_short2(-i, i * 7);
    }
    double *out = poisoned<double>(32);
    members<<<1, 32>>>(to_device(f), to_device(c), to_device(l), to_device(d), to_device(s), out);
    FINISH_KERNEL();
    std::vector<double> got = to_host(out, 32);
    for (int i = 0; i < 32; i++) {
        double want = i + 2 * (i + 1) - 3 * i + 16 * i + 5 * i + 6 * (255 - i) + 7 * 128 +
                      8 * (i * 3) + 1000 * i + i + i * 0.25 - i * 8 - 3 * i - 7 * i;
        same("members", i, got[i], want);
    }
}

int main() {
    test<char>("char"), test<char2>("char2"), test<char3>("char3"), test<uchar4>("uchar4");
    test<short>("short"), test<short2>("short2"), test<ushort3>("ushort3"), test<short4>("short4");
    test<int>("int"), test<int2>("int2"), test<uint3>("uint3"), test<int4>("int4");
    test<long long>("long long"), test<longlong2>("longlong2"), test<longlong3>("longlong3");
    test<float2>("float2"), test<float3>("float3"), test<float4>("float4");
    test<double>("double"), test<double2>("double2"), test<double3>("double3");
    test<Odd>("Odd"), test<Wide>("Wide");
#ifndef __clang__ /* refuses shared variables of a type with a constructor */
    test<dim3>("dim3");
#endif
    test_members();
    return finish();
}
