/*
 * Where ptxas rounds a product together with a sum that reads it, and where it does not: results
 * bit by bit. Each case is a few lines of PTX, and what they give in rounded steps or by fma.
 */
#include "check.h"

#include <math.h>

enum { VALUES = 4, RESULTS = 3 };

/* name, PTX from a, b, c, d to r (and s, t), what r, s and t are. */
#define CASES                                                                                      \
    CASE(one, "mul.f32 m, a, b; add.f32 r, m, c;", F(a, b, c), 0, 0)                               \
    CASE(left, "mul.f32 m, a, b; sub.f32 r, m, c;", F(a, b, -c), 0, 0)                             \
    CASE(right, "mul.f32 m, a, b; sub.f32 r, c, m;", F(-a, b, c), 0, 0)                            \
    CASE(rounded_product, "mul.rn.f32 m, a, b; add.f32 r, m, c;", P(a, b) + c, 0, 0)               \
    CASE(rounded_sum, "mul.f32 m, a, b; add.rn.f32 r, m, c;", P(a, b) + c, 0, 0)                   \
    CASE(other_flush, "mul.ftz.f32 m, a, b; add.f32 r, m, c;", P(a, b) + c, 0, 0)                  \
    CASE(two_products, "mul.f32 m, a, b; mul.f32 n, c, d; sub.f32 r, m, n;", F(a, b, -P(c, d)), 0, \
         0)                                                                                        \
    CASE(second_first, "mul.f32 m, a, b; mul.f32 n, c, d; sub.f32 r, n, m;", F(c, d, -P(a, b)), 0, \
         0)                                                                                        \
    CASE(needed_alone, "mul.f32 m, a, b; add.f32 r, m, c; mov.f32 s, m; mul.f32 s, s, m;",         \
         P(a, b) + c, P(P(a, b), P(a, b)), 0)                                                      \
    CASE(one_needed, "mul.f32 m, a, b; mul.f32 n, c, d; add.f32 r, m, n; mul.f32 s, m, c;",        \
         F(c, d, P(a, b)), P(P(a, b), c), 0)                                                       \
    CASE(two_sums, "mul.f32 m, a, b; add.f32 r, m, c; sub.f32 s, d, m;", F(a, b, c), F(-a, b, d),  \
         0)                                                                                        \
    CASE(doubled, "mul.f32 m, a, b; add.f32 r, m, m;", 2 * P(a, b), 0, 0)                          \
    CASE(single_first,                                                                             \
         "mul.f32 m, a, b; mul.f32 n, c, d; add.f32 r, m, c; sub.f32 s, m, n; add.f32 t, m, d;",   \
         P(a, b) + c, F(-c, d, P(a, b)), P(a, b) + d)                                              \
    CASE(in_order,                                                                                 \
         "mul.f32 m, a, b; mul.f32 n, c, d; add.f32 r, m, n; add.f32 s, n, c; add.f32 t, m, c;",   \
         F(a, b, P(c, d)), P(c, d) + c, F(a, b, c))                                                \
    CASE(addend_last,                                                                              \
         "mul.f32 m, a, b; mul.f32 n, c, d; add.f32 s, n, c; add.f32 t, m, c; add.f32 r, m, n;",   \
         F(a, b, P(c, d)), F(c, d, c), F(a, b, c))                                                 \
    CASE(behind_barrier, "mul.f32 m, a, b; bar.sync 0; add.f32 r, m, c;", F(a, b, c), 0, 0)        \
    CASE(behind_fence, "mul.f32 m, a, b; membar.gl; add.f32 r, m, c;", P(a, b) + c, 0, 0)          \
    CASE(behind_division, "mul.f32 m, a, b; div.rn.f32 s, c, d; add.f32 r, m, c;", P(a, b) + c,    \
         c / d, 0)                                                                                 \
    CASE(constant_behind_fence, "mul.f32 m, a, 0f3DCCCCCD; membar.gl; add.f32 r, m, c;",           \
         F(a, 0.1f, c), 0, 0)                                                                      \
    CASE(constant_in_loop,                                                                         \
         "mul.f32 m, a, 0f3DCCCCCD; mov.u32 i, %%ntid.x; mov.f32 r, c; L: bar.sync 0; sub.f32 r, " \
         "r, m;"                                                                                   \
         "sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra L;",                                        \
         F(-a, 0.1f, c), 0, 0)                                                                     \
    CASE(variable_in_loop,                                                                         \
         "mul.f32 m, a, b; mov.u32 i, %%ntid.x; mov.f32 r, c; L: bar.sync 0; sub.f32 r, r, m;"     \
         "sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra L;",                                        \
         c - P(a, b), 0, 0)                                                                        \
    CASE(clamped, "mul.f32 m, a, b; add.sat.f32 r, m, c;", fminf(fmaxf(F(a, b, c), 0), 1), 0, 0)

/* Rounded at each step, whatever the host's compiler likes to contract. */
static float P(float a, float b) {
    volatile float product = a * b;
    return product;
}
static float F(float a, float b, float c) {
    return fmaf(a, b, c);
}

#define CASE(name, text, r, s, t)                                                                  \
    __global__ void name(const volatile float *in, volatile float *out) {                          \
        asm volatile("{ .reg .f32 a, b, c, d, m, n, r, s, t; .reg .u32 i; .reg .pred p;\n"         \
                     "ld.volatile.global.f32 a, [%0]; ld.volatile.global.f32 b, [%0+4];\n"         \
                     "ld.volatile.global.f32 c, [%0+8]; ld.volatile.global.f32 d, [%0+12];\n"      \
                     "mov.f32 s, 0f00000000; mov.f32 t, 0f00000000;\n" text                        \
                     "\nst.volatile.global.f32 [%1], r; st.volatile.global.f32 [%1+4], s;\n"       \
                     "st.volatile.global.f32 [%1+8], t; }" ::"l"(in),                              \
                     "l"(out)                                                                      \
                     : "memory");                                                                  \
    }
CASES
#undef CASE

#define CASE(name, text, r, s, t) {#name, name},
static const struct {
    const char *name;
    void (*kernel)(const volatile float *, volatile float *);
} cases[] = {CASES};
#undef CASE

/* The results that a case should have. */
static void expect(int number, const float in[VALUES], float want[RESULTS]) {
    float a = in[0], b = in[1], c = in[2], d = in[3];
    int i = 0;
#define CASE(name, text, r, s, t)                                                                  \
    if (i++ == number) want[0] = r, want[1] = s, want[2] = t;
    CASES
#undef CASE
}

int main() {
    float in[VALUES] = {1.7f, -0.3f, 0.45f, 3.1f}, *dIn, *dOut;
    CHECK(cudaMalloc(&dIn, sizeof in));
    CHECK(cudaMalloc(&dOut, RESULTS * sizeof(float)));
    unsigned int state = 1;
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < VALUES; k++)
            in[k] = (float)((state = state * 1664525 + 1013904223) >> 8) / 8388608 - 1;
        CHECK(cudaMemcpy(dIn, in, sizeof in, cudaMemcpyHostToDevice));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            float out[RESULTS], want[RESULTS];
            cases[i].kernel<<<1, 1>>>(dIn, dOut);
            CHECK(cudaMemcpy(out, dOut, sizeof out, cudaMemcpyDeviceToHost));
            expect((int)i, in, want);
            for (int k = 0; k < RESULTS; k++)
                if (out[k] != want[k]) {
                    printf("%s, result %d: %a, want %a\n", cases[i].name, k, out[k], want[k]);
                    return 1;
                }
        }
    }
    CHECK(cudaFree(dIn));
    CHECK(cudaFree(dOut));
    puts("ok");
    return 0;
}
