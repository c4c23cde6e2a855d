// cuda_fp8.h and tf32: every f16 and many floats to 8-bit floats, every 8-bit float back, floats to
// tf32.
//
// build emulated
// build native arch=90 gpu=h200
#include "check.h"

#include <cuda_fp8.h>

enum { HALVES = 1 << 16, FLOATS = 1 << 16, BYTES = 1 << 16, KINDS = 2 };

__host__ __device__ __nv_fp8_interpretation_t kindOf(int kind) {
    return kind ? __NV_E5M2 : __NV_E4M3;
}

__global__ void fromHalf(unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2_raw pair;
    pair.x = (unsigned short)i;
    pair.y = (unsigned short)~i;
    for (int k = 0; k < KINDS; k++)
        out[k * HALVES + i] = __nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, kindOf(k));
}

__global__ void fromFloat(const float *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < KINDS; k++)
        out[k * FLOATS + i] = __nv_cvt_float2_to_fp8x2(make_float2(in[i], -in[(i + 1) % FLOATS]),
                                                       __NV_SATFINITE, kindOf(k));
}

__global__ void toHalf(unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < KINDS; k++) {
        __half2_raw pair = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)i, kindOf(k));
        out[k * BYTES + i] = pair.x | (unsigned)pair.y << 16;
    }
}

__global__ void toTf32(const float *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out[i]) : "f"(in[i]));
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(out[FLOATS + i]) : "f"(in[i]));
    asm("cvt.rz.tf32.f32 %0, %1;" : "=r"(out[2 * FLOATS + i]) : "f"(in[i]));
    asm("cvt.rn.relu.tf32.f32 %0, %1;" : "=r"(out[3 * FLOATS + i]) : "f"(in[i]));
#endif
}

/* Of the exponents that 8-bit floats have, and all others, with ties. */
static std::vector<float> floats() {
    std::vector<float> in(FLOATS);
    for (uint32_t i = 0; i < FLOATS; i++) {
        uint32_t word = i * 2654435761u,
                 bits = i % 2 ? (word & 0x807FFFFF) | (100 + word % 45) << 23 : word;
        if (i % 8 == 3) bits &= 0xFFF80000;
        if (i % 8 == 5) bits = (bits & 0xFFFFC000) | 0x1000;
        memcpy(&in[i], &bits, sizeof bits);
    }
    return in;
}

/* Like a C cast to a float of 10 fraction bits. up: what is added before the cut. */
static unsigned tf32Of(float v, unsigned up, bool even) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (even) up += bits >> 13 & 1;
    return (v == v && !std::isinf(v) ? bits + up : bits) & 0xFFFFE000;
}

static void checkTf32(const std::vector<float> &in) {
    int major;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, toTf32));
    if (attributes.ptxVersion < 90) return;
    unsigned *out = poisoned<unsigned>(4 * FLOATS);
    toTf32<<<FLOATS / 256, 256>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(out, 4 * FLOATS);
    for (int i = 0; i < FLOATS; i++) {
        if (in[i] != in[i]) continue;
        same("rna.tf32", i, got[i], tf32Of(in[i], 0x1000, false));
        same("rn.tf32", i, got[FLOATS + i], tf32Of(in[i], 0xFFF, true));
        same("rz.tf32", i, got[2 * FLOATS + i], tf32Of(in[i], 0, false));
        same("rn.relu.tf32", i, got[3 * FLOATS + i],
             std::signbit(in[i]) ? 0u : tf32Of(in[i], 0xFFF, true));
    }
}

int main() {
    std::vector<float> in = floats();
    unsigned *halves = poisoned<unsigned>(KINDS * HALVES),
             *singles = poisoned<unsigned>(KINDS * FLOATS);
    unsigned *back = poisoned<unsigned>(KINDS * BYTES);
    fromHalf<<<HALVES / 256, 256>>>(halves);
    fromFloat<<<FLOATS / 256, 256>>>(to_device(in), singles);
    toHalf<<<BYTES / 256, 256>>>(back);
    FINISH_KERNEL();
    std::vector<unsigned> h = to_host(halves, KINDS * HALVES), s = to_host(singles, KINDS * FLOATS);
    std::vector<unsigned> b = to_host(back, KINDS * BYTES);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < HALVES; i++) {
            __half2_raw pair;
            pair.x = (unsigned short)i;
            pair.y = (unsigned short)~i;
            same("from f16", i, h[k * HALVES + i],
                 (unsigned)__nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, kindOf(k)));
            float2 two = make_float2(in[i], -in[(i + 1) % FLOATS]);
            same("from f32", i, s[k * FLOATS + i],
                 (unsigned)__nv_cvt_float2_to_fp8x2(two, __NV_SATFINITE, kindOf(k)));
            __half2_raw halves_of = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)i, kindOf(k));
            same("to f16", i, b[k * BYTES + i], halves_of.x | (unsigned)halves_of.y << 16);
        }
    checkTf32(in);
    return finish();
}
