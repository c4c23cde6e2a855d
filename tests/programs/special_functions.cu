/* The .approx functions in ranges of arguments, against what an H200 gave on 2026-11-22: a hash of
 * the bits of all results. A GPU of its architecture passes, too. */
#include "check.h"

enum { POINTS = 8192, STEP = 1024, STEP64 = 256, STEP16 = 8 };

static __device__ uint32_t random_bits(uint32_t i) {
    i = (i ^ i >> 16) * 0x7feb352d;
    i = (i ^ i >> 15) * 0x846ca68b;
    return i ^ i >> 16;
}

/* Result i is that for bits which go up in steps from base. A range of base 0 has random bits. */
#define FUNCTION(name, instruction)                                                                \
    __global__ void name(uint32_t base, uint32_t *out) {                                           \
        uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        float x = __uint_as_float(base ? base + i * STEP : random_bits(i)), y;                     \
        asm volatile(instruction " %0, %1;" : "=f"(y) : "f"(x));                                   \
        out[i] = __float_as_uint(y);                                                               \
    }
#define QUOTIENT(name, instruction)                                                                \
    __global__ void name(uint32_t, uint32_t *out) {                                                \
        uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        float a = __uint_as_float(random_bits(i)),                                                 \
              b = __uint_as_float(random_bits(i + 0x40000000)), y;                                 \
        asm volatile(instruction " %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));                       \
        out[i] = __float_as_uint(y);                                                               \
    }
/* These read and write the upper half of a double. */
#define FUNCTION64(name, instruction)                                                              \
    __global__ void name(uint32_t base, uint32_t *out) {                                           \
        uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        double x = __hiloint2double((int)(base + i * STEP64), 0), y;                               \
        asm volatile(instruction " %0, %1;" : "=d"(y) : "d"(x));                                   \
        out[i] = (uint32_t)__double2hiint(y);                                                      \
    }
__global__ void rsqrt_f64_plain(uint32_t, uint32_t *out) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = __hiloint2double((int)random_bits(2 * i), (int)random_bits(2 * i + 1)), y;
    asm volatile("rsqrt.approx.f64 %0, %1;" : "=d"(y) : "d"(x));
    out[i] = (uint32_t)(__double2hiint(y) ^ __double2loint(y));
}
#define FUNCTION16(name, instruction)                                                              \
    __global__ void name(uint32_t, uint32_t *out) {                                                \
        uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        uint16_t x = (uint16_t)(i * STEP16), y;                                                    \
        asm volatile(instruction " %0, %1;" : "=h"(y) : "h"(x));                                   \
        out[i] = y;                                                                                \
    }
FUNCTION(sin_ftz, "sin.approx.ftz.f32")
FUNCTION(sin_plain, "sin.approx.f32")
FUNCTION(cos_ftz, "cos.approx.ftz.f32")
FUNCTION(cos_plain, "cos.approx.f32")
FUNCTION(ex2_ftz, "ex2.approx.ftz.f32")
FUNCTION(ex2_plain, "ex2.approx.f32")
FUNCTION(lg2_ftz, "lg2.approx.ftz.f32")
FUNCTION(lg2_plain, "lg2.approx.f32")
FUNCTION(rcp_ftz, "rcp.approx.ftz.f32")
FUNCTION(rcp_plain, "rcp.approx.f32")
FUNCTION(rsqrt_ftz, "rsqrt.approx.ftz.f32")
FUNCTION(rsqrt_plain, "rsqrt.approx.f32")
FUNCTION(sqrt_ftz, "sqrt.approx.ftz.f32")
FUNCTION(sqrt_plain, "sqrt.approx.f32")
FUNCTION(tanh_plain, "tanh.approx.f32")
QUOTIENT(div_plain, "div.approx.f32")
QUOTIENT(div_ftz, "div.approx.ftz.f32")
QUOTIENT(div_full, "div.full.f32")
QUOTIENT(div_full_ftz, "div.full.ftz.f32")
FUNCTION64(rcp_f64, "rcp.approx.ftz.f64")
FUNCTION64(rsqrt_f64, "rsqrt.approx.ftz.f64")
FUNCTION16(ex2_f16, "ex2.approx.f16")
FUNCTION16(tanh_f16, "tanh.approx.f16")
FUNCTION16(ex2_bf16, "ex2.approx.ftz.bf16")
FUNCTION16(tanh_bf16, "tanh.approx.bf16")

static const struct {
    const char *name;
    void (*kernel)(uint32_t, uint32_t *);
    uint32_t base;
    uint64_t hash;
} ranges[] = {
#define RANGE(function, base, hash)                                                                \
    { #function, function, base, hash }
    RANGE(sin_ftz, 0x33000000u, 0x0000000000000000ull),
    RANGE(sin_ftz, 0x37000000u, 0x712bd8b357c71098ull),
    RANGE(sin_ftz, 0x3c000000u, 0xcc5db9c417b6acdaull),
    RANGE(sin_ftz, 0x3f000000u, 0xe72b3261069b98bdull),
    RANGE(sin_ftz, 0x3f800000u, 0xe2f8a809a3c08cb6ull),
    RANGE(sin_ftz, 0x40800000u, 0x4c433d129b10bb2dull),
    RANGE(sin_ftz, 0x44000000u, 0xa8b88f2ac25ba4dcull),
    RANGE(sin_ftz, 0xbe000000u, 0xbdc0862eed4926f0ull),
    RANGE(sin_ftz, 0xc0000000u, 0x6d5f776f2b674c2full),
    RANGE(cos_ftz, 0x37000000u, 0xfa4389895a862fecull),
    RANGE(cos_ftz, 0x3f000000u, 0xf1dcba5419c68023ull),
    RANGE(cos_ftz, 0x3f800000u, 0xa28750f5c3d2f1eaull),
    RANGE(cos_ftz, 0x42000000u, 0x5050348d09480106ull),
    RANGE(cos_ftz, 0xbe000000u, 0x90d5c049bd679b3cull),
    RANGE(ex2_ftz, 0x3b000000u, 0x4d87193cdbcf762bull),
    RANGE(ex2_ftz, 0x3f000000u, 0x6350ee6da71c37cdull),
    RANGE(ex2_ftz, 0x3f800000u, 0x14fa8e3783fd85c3ull),
    RANGE(ex2_ftz, 0x42f80000u, 0xb5367749533710a0ull),
    RANGE(ex2_ftz, 0xbc000000u, 0x720d266d72593df1ull),
    RANGE(ex2_ftz, 0xbf800000u, 0x1e3f3190d7d13208ull),
    RANGE(ex2_ftz, 0xc2000000u, 0xc3cd57057bc5ed80ull),
    RANGE(lg2_ftz, 0x3e800000u, 0x77e80936f8778ca8ull),
    RANGE(lg2_ftz, 0x3f000000u, 0x908cfda9ba0a95e9ull),
    RANGE(lg2_ftz, 0x3f800000u, 0xd731e9afe341e7d5ull),
    RANGE(lg2_ftz, 0x40000000u, 0x8ef3cc8cbae6db14ull),
    RANGE(lg2_ftz, 0x41000000u, 0x4591024aa0b6fd7cull),
    RANGE(lg2_ftz, 0x4f000000u, 0xd9100d59b6e3d263ull),
    RANGE(lg2_ftz, 0, 0xde84a4ac4307eb3dull),
    RANGE(lg2_plain, 0, 0x3976b8f7ac2bc516ull),
    RANGE(rcp_plain, 0, 0x9a9c2f2dc6addad4ull),
    RANGE(rcp_ftz, 0x3f800000u, 0x5e05d13d02fc6637ull),
    RANGE(rcp_ftz, 0x40000000u, 0x6c040ddaddfc6637ull),
    RANGE(rcp_ftz, 0, 0x81270905c41cd30cull),
    RANGE(rsqrt_plain, 0, 0x20732bd7ca30eaf2ull),
    RANGE(rsqrt_ftz, 0x3f800000u, 0xaeac9994f84cfc43ull),
    RANGE(rsqrt_ftz, 0x40000000u, 0x23764d404b4128c6ull),
    RANGE(rsqrt_ftz, 0, 0xf356d17b2746505bull),
    RANGE(sqrt_plain, 0, 0x865a7acb9221adfdull),
    RANGE(sqrt_ftz, 0x3f800000u, 0x8213b6da790ca6f8ull),
    RANGE(sqrt_ftz, 0x40000000u, 0x7705654bdc7c95eeull),
    RANGE(sqrt_ftz, 0, 0x5dcde0c69949ef37ull),
    RANGE(tanh_plain, 0x3b800000u, 0x418c15021794f5edull),
    RANGE(tanh_plain, 0x3d000000u, 0x978f3ab1a63fc610ull),
    RANGE(tanh_plain, 0x3f000000u, 0x714db88748c004c3ull),
    RANGE(tanh_plain, 0x3f800000u, 0x68398f28f6ffe219ull),
    RANGE(tanh_plain, 0x40000000u, 0x4c257da0ca6891c8ull),
    RANGE(tanh_plain, 0x40800000u, 0xf4d6c9a9d0530d0aull),
    RANGE(tanh_plain, 0xbf000000u, 0x4dc9d06a48c004c3ull),
    RANGE(tanh_plain, 0, 0x6e820e9d3878db95ull),
    RANGE(sin_plain, 0, 0x0fa662b3087aa25aull),
    RANGE(cos_plain, 0, 0x97422b9d0f43e821ull),
    RANGE(ex2_plain, 0, 0xb1c61f49a9753bcfull),
    RANGE(ex2_ftz, 0, 0xf7b2e85100ef80b8ull),
    RANGE(div_plain, 0, 0xca1e3b1f582e9bbfull),
    RANGE(div_ftz, 0, 0x681db5f2763f2a6full),
    RANGE(div_full, 0, 0x36f40e98ada5db1dull),
    RANGE(div_full_ftz, 0, 0x9e4c70e20cadf7deull),
    RANGE(rcp_f64, 0x3ff00000u, 0x96567a34b121e1e8ull),
    RANGE(rsqrt_f64, 0x3ff00000u, 0x70075d68e095bd74ull),
    RANGE(rsqrt_f64_plain, 0, 0x35029452baa616e9ull),
    RANGE(ex2_f16, 0, 0xab6307853c85fdc4ull),
    RANGE(tanh_f16, 0, 0xa837173b57238980ull),
    RANGE(ex2_bf16, 0, 0x84a0298291e86d53ull),
    RANGE(tanh_bf16, 0, 0x14f35b9b8141b5f4ull),
};

int main() {
    uint32_t *out = poisoned<uint32_t>(POINTS);
    for (const auto &range : ranges) {
        range.kernel<<<POINTS / 128, 128>>>(range.base, out);
        FINISH_KERNEL();
        uint64_t hash = 0;
        for (uint32_t bits : to_host(out, POINTS)) hash = (hash ^ bits) * 1099511628211ull;
        same(range.name, range.base, hash, range.hash);
    }
    return finish();
}
