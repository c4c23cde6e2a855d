/*
 * Tests of arithmetic: one instruction on chosen operands, against values worked out by hand or
 * from the PTX manual. Every case runs on each instruction set the processor has, so that the
 * vector code agrees with the plain one.
 */
#include "kernel.h"
#include "simt/machine/machine.h"

static const char *const isas[] = {"base", "avx2", "avx512"};

/* Evaluate an instruction: operands a, b, c as 64-bit raw bits, in registers of the types named;
 * the result's raw bits. types: one letter each for d a b c: h 16, r 32, x 64 bits. */
static uint64_t evaluate(const char *isa, const char *types, const char *instruction,
                         const uint64_t operands[3]) {
    static const char *const names[] = {"%a", "%b", "%c"};
    static const unsigned offsets[] = {0, 8, 16};
    char body[2048] = ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %p0;\n.reg .pred "
                      "%q;\nld.param.u64 %p0, [p];\n",
         line[256];
    struct run run;
    uint64_t result;
    for (size_t i = 0; types[i]; i++) {
        unsigned bits = types[i] == 'h' ? 16 : types[i] == 'r' ? 32 : 64;
        if (i == 0)
            snprintf(line, sizeof line, ".reg .b%u %%d;\n", bits);
        else
            snprintf(line, sizeof line, ".reg .b%u %s;\nld.global.b%u %s, [%%p0+%u];\n", bits,
                     names[i - 1], bits, names[i - 1], offsets[i - 1]);
        strcat(body, line);
    }
    unsigned bits = types[0] == 'h' ? 16 : types[0] == 'r' ? 32 : 64;
    snprintf(line, sizeof line, "%s;\nst.global.b%u [%%p0+24], %%d;\nret;\n}\n", instruction, bits);
    strcat(body, line);
    setenv("SIMT_ISA", isa, 1);
    run_open(&run, body);
    unsetenv("SIMT_ISA");
    struct allocation *a = zeros(64);
    memcpy(host(a), operands, 24);
    if (!run_with(&run, 1, 32, a->address)) fail_msg("%s: %s", instruction, run.fault.report);
    memcpy(&result, (char *)host(a) + 24, 8);
    memory_free(a->address);
    run_close(&run);
    return result;
}

struct value_case {
    const char *types, *instruction;
    uint64_t operand[3], want;
};

static void check(const struct value_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < sizeof isas / sizeof *isas; s++) {
            uint64_t got =
                evaluate(isas[s], cases[i].types, cases[i].instruction, cases[i].operand);
            if (got != cases[i].want)
                fail_msg("%s: %s of 0x%llx, 0x%llx, 0x%llx: got 0x%llx, want 0x%llx", isas[s],
                         cases[i].instruction, (unsigned long long)cases[i].operand[0],
                         (unsigned long long)cases[i].operand[1],
                         (unsigned long long)cases[i].operand[2], (unsigned long long)got,
                         (unsigned long long)cases[i].want);
        }
}
#define CHECK(cases) check(cases, sizeof cases / sizeof *cases)

TEST(integers) {
    static const struct value_case cases[] = {
        {"rrr", "add.sat.s32 %d, %a, %b", {0x7FFFFFFF, 1, 0}, 0x7FFFFFFF},
        {"rrr", "sub.sat.s32 %d, %a, %b", {0x80000000, 1, 0}, 0x80000000},
        {"hhh", "mul.hi.s16 %d, %a, %b", {0xFFFF, 2, 0}, 0xFFFF},
        {"hhh", "add.u16 %d, %a, %b", {0xFFFF, 2, 0}, 1},
        {"rrr", "mul.hi.s32 %d, %a, %b", {0xFFFFFFFF, 5, 0}, 0xFFFFFFFF},
        {"xxx", "mul.hi.u64 %d, %a, %b", {~0ull, ~0ull, 0}, ~1ull},
        {"xrr", "mul.wide.s32 %d, %a, %b", {0xFFFFFFFE, 3, 0}, (uint64_t)-6},
        {"xrrx", "mad.wide.u32 %d, %a, %b, %c", {0xFFFFFFFF, 0xFFFFFFFF, 1}, 0xFFFFFFFE00000002},
        {"rrrr", "mad.hi.u32 %d, %a, %b, %c", {0x80000000, 6, 10}, 13},
        {"rrr", "mul24.lo.s32 %d, %a, %b", {0x00800000, 2, 0}, 0xFF000000},
        {"rrrr", "sad.s32 %d, %a, %b, %c", {0xFFFFFFFB, 5, 100}, 110},
        {"rrr", "div.s32 %d, %a, %b", {0x80000000, 0xFFFFFFFF, 0}, 0x80000000},
        {"rrr", "div.s32 %d, %a, %b", {(uint32_t)-7, 2, 0}, (uint32_t)-3},
        {"rrr", "rem.s32 %d, %a, %b", {(uint32_t)-7, 2, 0}, (uint32_t)-1},
        {"rrr", "div.u32 %d, %a, %b", {0xFFFFFFFF, 0xFFFFFFFE, 0}, 1},
        {"rrr", "rem.u32 %d, %a, %b", {0xFFFFFFFF, 0x10001, 0}, 0},
        {"rrr", "div.u32 %d, %a, %b", {5, 0, 0}, 0xFFFFFFFF},
        {"xxx", "div.s64 %d, %a, %b", {0x8000000000000000, ~0ull, 0}, 0x8000000000000000},
        {"xxx", "rem.s64 %d, %a, %b", {(uint64_t)-100, 7, 0}, (uint64_t)-2},
        {"rrr", "shl.b32 %d, %a, %b", {1, 32, 0}, 0},
        {"rrr", "shr.s32 %d, %a, %b", {0x80000000, 200, 0}, 0xFFFFFFFF},
        {"xxr", "shr.u64 %d, %a, %b", {~0ull, 64, 0}, 0},
        {"rrrr", "shf.l.wrap.b32 %d, %a, %b, %c", {0x80000001, 0x12345678, 36}, 0x23456788},
        {"rrrr", "shf.r.clamp.b32 %d, %a, %b, %c", {0x80000001, 0x12345678, 99}, 0x12345678},
        {"rrrr", "bfe.s32 %d, %a, %b, %c", {0x00000F00, 8, 4}, 0xFFFFFFFF},
        {"rrrr", "bfe.u32 %d, %a, %b, %c", {0xABCD1234, 28, 9}, 0xA},
        {"xxrr", "bfe.s64 %d, %a, %b, %c", {0x8000000000000000, 60, 8}, (uint64_t)-8},
        {"rrrr", "bfi.b32 %d, %a, %b, %c, 8", {0xFFFF, 0, 4}, 0xFF0},
        {"rr", "bfind.s32 %d, %a", {0xFFFFFFF0, 0, 0}, 3},
        {"rr", "bfind.shiftamt.u32 %d, %a", {1, 0, 0}, 31},
        {"rr", "bfind.u32 %d, %a", {0, 0, 0}, 0xFFFFFFFF},
        {"rx", "clz.b64 %d, %a", {1, 0, 0}, 63},
        {"rr", "popc.b32 %d, %a", {0xF0F0F0F1, 0, 0}, 17},
        {"rr", "brev.b32 %d, %a", {0x00000005, 0, 0}, 0xA0000000},
        {"rrrr", "fns.b32 %d, %a, %b, %c", {0xAAAAAAAA, 2, 2}, 5},
        {"rrrr", "fns.b32 %d, %a, %b, %c", {0xAAAAAAAA, 4, (uint32_t)-1}, 3},
        {"rrrr", "prmt.b32 %d, %a, %b, %c", {0x33221100, 0x77665544, 0x8F42}, 0x00004422},
        {"rrrr", "prmt.b32.f4e %d, %a, %b, %c", {0x33221100, 0x77665544, 2}, 0x55443322},
        {"rrrr", "lop3.b32 %d, %a, %b, %c, 0x96", {0xF0F0, 0xCCCC, 0xAAAA}, 0x9696},
        {"rrrr", "dp4a.s32.u32 %d, %a, %b, %c", {0xFF010203, 0x02010101, 10}, 10 - 2 + 1 + 2 + 3},
        {"rrrr", "dp2a.hi.u32.u32 %d, %a, %b, %c", {0x00020003, 0x05040000, 1}, 1 + 3 * 4 + 2 * 5},
        {"rrrr",
         "vabsdiff4.u32.u32.u32.add %d, %a, %b, %c",
         {0x01020304, 0x04030201, 5},
         5 + 3 + 1 + 1 + 3},
        {"rrrr",
         "vabsdiff2.u32.u32.u32.add %d, %a, %b, %c",
         {0x0001FFFF, 0x00030001, 5},
         5 + 2 + 0xFFFE},
        {"rrrr",
         "vabsdiff2.s32.s32.s32.add %d, %a, %b, %c",
         {0x0001FFFF, 0x00030001, 5},
         5 + 2 + 2},
        {"rrr", "bmsk.clamp.b32 %d, %a, %b", {4, 8, 0}, 0xFF0},
        {"rrr", "szext.clamp.s32 %d, %a, %b", {0x80, 8, 0}, 0xFFFFFF80},
        {"rrrr", "slct.b32.s32 %d, %a, %b, %c", {1, 2, 0x80000000}, 2},
    };
    CHECK(cases);
}

TEST(carries) {
    static const struct value_case cases[] = {
        {"rrr", "add.cc.u32 %d, %a, %b;\naddc.u32 %d, 0, 0", {0xFFFFFFFF, 1, 0}, 1},
        {"rrr", "add.cc.u32 %d, %a, %b;\naddc.u32 %d, 0, 0", {0xFFFFFFFE, 1, 0}, 0},
        {"rrr", "sub.cc.u32 %d, %a, %b;\nsubc.u32 %d, 10, 3", {1, 2, 0}, 6},
        {"rrr", "sub.cc.u32 %d, %a, %b;\nsubc.u32 %d, 10, 3", {2, 2, 0}, 7},
        {"rrrr", "mad.lo.cc.u32 %d, %a, %b, %c;\nmadc.hi.u32 %d, %a, %b, 0", {0xFFFFFFFF, 2, 2}, 2},
        {"xxx", "add.cc.u64 %d, %a, %b;\naddc.u64 %d, 5, 0", {~0ull, 1, 0}, 6},
    };
    CHECK(cases);
}

#define ONE      0x3F800000u
#define THIRD_RN 0x3EAAAAABu
#define NAN32    0x7FFFFFFFu
#define NAN64    0xFFF8000000000000ull
#define INF32    0x7F800000u
#define TINY     0x00000001u /* the smallest subnormal */

TEST(floats) {
    static const struct value_case cases[] = {
        {"rrr", "div.rn.f32 %d, %a, %b", {ONE, 0x40400000, 0}, THIRD_RN},
        {"rrr", "div.rz.f32 %d, %a, %b", {ONE, 0x40400000, 0}, THIRD_RN - 1},
        {"rrr", "div.rp.f32 %d, %a, %b", {ONE, 0x40400000, 0}, THIRD_RN},
        {"rrr", "add.rm.f32 %d, %a, %b", {ONE, 0x80000001, 0}, ONE - 1},
        {"rrr", "add.rp.f32 %d, %a, %b", {ONE, TINY, 0}, ONE + 1},
        {"rrr", "add.rn.f32 %d, %a, %b", {ONE, TINY, 0}, ONE},
        {"rrr", "mul.rz.f32 %d, %a, %b", {0x7F7FFFFF, 0x40000000, 0}, 0x7F7FFFFF},
        {"rrr", "mul.rp.f32 %d, %a, %b", {0x7F7FFFFF, 0x40000000, 0}, INF32},
        {"rrrr",
         "fma.rn.f32 %d, %a, %b, %c",
         {0x3F800001, 0x3F800001, 0xBF800002},
         0x28800000}, /* 2^-46 */
        {"rrrr", "fma.rm.f32 %d, %a, %b, %c", {ONE, ONE, 0xBF800000}, 0x80000000},
        {"rr", "sqrt.rp.f32 %d, %a", {0x40000000, 0, 0}, 0x3FB504F4},
        {"rr", "rcp.rm.f32 %d, %a", {0x40400000, 0, 0}, THIRD_RN - 1},
        {"rrr", "add.f32 %d, %a, %b", {INF32, 0xFF800000, 0}, NAN32},
        {"rrr", "add.f32 %d, %a, %b", {0xFFC12345, ONE, 0}, NAN32},
        {"rrr", "add.ftz.f32 %d, %a, %b", {TINY, 0x80000000, 0}, 0},
        {"rrr", "mul.ftz.f32 %d, %a, %b", {0x00800000, 0x3F000000, 0}, 0},
        {"rrr", "mul.f32 %d, %a, %b", {0x00800000, 0x3F000000, 0}, 0x00400000},
        {"rrr", "add.sat.f32 %d, %a, %b", {ONE, ONE, 0}, ONE},
        {"rrr", "add.sat.f32 %d, %a, %b", {0x7FC00000, ONE, 0}, 0},
        {"rrr", "min.f32 %d, %a, %b", {0x7FC00000, ONE, 0}, ONE},
        {"rrr", "min.NaN.f32 %d, %a, %b", {0x7FC00000, ONE, 0}, NAN32},
        {"rrr", "max.f32 %d, %a, %b", {0x80000000, 0, 0}, 0},
        {"rrr", "min.f32 %d, %a, %b", {0, 0x80000000, 0}, 0x80000000},
        {"rr", "neg.f32 %d, %a", {0, 0, 0}, 0x80000000},
        {"rr", "neg.f32 %d, %a", {0x7FC12345, 0, 0}, 0x7FFFFFFF}, /* on an H200, as abs */
        {"rr", "abs.f32 %d, %a", {0xFF800001, 0, 0}, 0x7FFFFFFF},
        {"rr", "ex2.approx.f32 %d, %a", {0x40400000, 0, 0}, 0x41000000},
        {"rr", "lg2.approx.f32 %d, %a", {0x41000000, 0, 0}, 0x40400000},
        {"rr", "rsqrt.approx.f32 %d, %a", {0x40800000, 0, 0}, 0x3F000000},
        {"rrr", "set.ltu.u32.f32 %d, %a, %b", {0x7FC00000, ONE, 0}, 0xFFFFFFFF},
        {"rrr", "set.ne.u32.f32 %d, %a, %b", {0x7FC00000, ONE, 0}, 0},
        {"rrr", "set.neu.f32.f32 %d, %a, %b", {0x7FC00000, ONE, 0}, ONE},
        {"xxx",
         "add.rm.f64 %d, %a, %b",
         {0x3FF0000000000000, 0x8000000000000001, 0},
         0x3FEFFFFFFFFFFFFF},
        {"xxx",
         "div.rp.f64 %d, %a, %b",
         {0x3FF0000000000000, 0x4008000000000000, 0},
         0x3FD5555555555556},
        {"xxxx",
         "fma.rz.f64 %d, %a, %b, %c",
         {0x3FF0000000000001, 0x3FF0000000000001, 0},
         0x3FF0000000000002},
        {"xxx", "add.f64 %d, %a, %b", {0x7FF0000000000000, 0xFFF0000000000000, 0}, NAN64},
        {"xxx", "mul.rz.f64 %d, %a, %b", {0x7FF0000000000000, 0, 0}, NAN64},
        {"xxx",
         "add.f64 %d, %a, %b",
         {0x7FF8000000000000, 0x3FF0000000000000, 0},
         0x7FF8000000000000},
        {"hhh", "add.f16 %d, %a, %b", {0x3C00, 0x0400, 0}, 0x3C00},
        {"hhhh", "fma.rn.f16 %d, %a, %b, %c", {0x3C01, 0x3C01, 0xBC02}, 0x0010},
        {"hhh", "mul.f16 %d, %a, %b", {0x7BFF, 0x4000, 0}, 0x7C00},
        {"rrrr", "fma.rn.f16x2 %d, %a, %b, %c", {0x40003C00, 0x42003C00, 0x3C003C00}, 0x47004000},
    };
    CHECK(cases);
}

TEST(conversions) {
    static const struct value_case cases[] = {
        {"rr", "cvt.rzi.s32.f32 %d, %a", {0xC0200000, 0, 0}, (uint32_t)-2}, /* -2.5 */
        {"rr", "cvt.rni.s32.f32 %d, %a", {0x40200000, 0, 0}, 2},
        {"rr", "cvt.rmi.s32.f32 %d, %a", {0xC0200000, 0, 0}, (uint32_t)-3},
        {"rr", "cvt.rpi.s32.f32 %d, %a", {0x40200000, 0, 0}, 3},
        {"rr", "cvt.rzi.s32.f32 %d, %a", {0x4F800000, 0, 0}, 0x7FFFFFFF},
        {"rr", "cvt.rzi.u32.f32 %d, %a", {0xBF800000, 0, 0}, 0},
        {"rr", "cvt.rzi.s32.f32 %d, %a", {0x7FC00000, 0, 0}, 0},
        {"xr", "cvt.rzi.s64.f32 %d, %a", {0x7FC00000, 0, 0}, 0x8000000000000000},
        {"rx", "cvt.rzi.u32.f64 %d, %a", {0x41EFFFFFFFE00000, 0, 0}, 0xFFFFFFFF},
        {"xx", "cvt.rzi.u64.f64 %d, %a", {0x43F0000000000000, 0, 0}, ~0ull},
        {"rr", "cvt.rzi.u8.f32 %d, %a", {0x43FA0000, 0, 0}, 255},
        {"rr", "cvt.rn.f32.s32 %d, %a", {0x7FFFFFFF, 0, 0}, 0x4F000000},
        {"rr", "cvt.rz.f32.s32 %d, %a", {0x7FFFFFFF, 0, 0}, 0x4EFFFFFF},
        {"rx", "cvt.rp.f32.u64 %d, %a", {0x1000001, 0, 0}, 0x4B800001},
        {"rx", "cvt.rn.f32.f64 %d, %a", {0x3FF0000010000000, 0, 0}, 0x3F800000},
        {"rx", "cvt.rp.f32.f64 %d, %a", {0x3FF0000000000001, 0, 0}, 0x3F800001},
        {"rx", "cvt.rz.f32.f64 %d, %a", {0x7FE0000000000000, 0, 0}, 0x7F7FFFFF},
        {"xr", "cvt.f64.f32 %d, %a", {0x3F800000, 0, 0}, 0x3FF0000000000000},
        {"rr", "cvt.rni.f32.f32 %d, %a", {0x40200000, 0, 0}, 0x40000000},
        {"rr", "cvt.sat.f32.f32 %d, %a", {0x40200000, 0, 0}, 0x3F800000},
        {"xr", "cvt.s64.s32 %d, %a", {0xFFFFFFFF, 0, 0}, ~0ull},
        {"rx", "cvt.sat.s32.s64 %d, %a", {0x1000000000, 0, 0}, 0x7FFFFFFF},
        {"rr", "cvt.s32.s8 %d, %a", {0x1280, 0, 0}, 0xFFFFFF80},
        {"hr", "cvt.rn.f16.f32 %d, %a", {0x477FF000, 0, 0}, 0x7C00}, /* 65520 rounds to infinity */
        {"hr", "cvt.rz.f16.f32 %d, %a", {0x477FF000, 0, 0}, 0x7BFF},
        {"hr",
         "cvt.rn.f16.f32 %d, %a",
         {0x33000000, 0, 0},
         0}, /* half the least subnormal: to even */
        {"hr", "cvt.rn.f16.f32 %d, %a", {0x33000001, 0, 0}, 1},
        {"rh", "cvt.f32.f16 %d, %a", {0x0001, 0, 0}, 0x33800000},
        {"hr", "cvt.rn.bf16.f32 %d, %a", {0x3F808000, 0, 0}, 0x3F80},
        {"rrr", "cvt.rn.f16x2.f32 %d, %a, %b", {ONE, 0x40000000, 0}, 0x3C004000},
    };
    CHECK(cases);
}

/* A quotient and remainder for many operands, against the host's. */
TEST(division_is_exact) {
    srand(1);
    for (int i = 0; i < 300; i++) {
        uint32_t a = (uint32_t)rand() * 2u + (uint32_t)(rand() & 1),
                 b = ((uint32_t)rand() >> rand() % 31) + 1;
        if (i % 4 == 0) b = 1u << i / 4 % 31; /* which takes another way */
        if (i % 7 == 0) a = a / b * b - (uint32_t)(i & 1);
        uint64_t operands[3] = {a, b, 0};
        const char *isa = isas[i % 3];
        assert_int_equal((uint32_t)evaluate(isa, "rrr", "div.u32 %d, %a, %b", operands), a / b);
        assert_int_equal((uint32_t)evaluate(isa, "rrr", "rem.u32 %d, %a, %b", operands), a % b);
        assert_int_equal((int32_t)evaluate(isa, "rrr", "rem.s32 %d, %a, %b", operands),
                         (int32_t)a % (int32_t)b);
        assert_int_equal((int32_t)evaluate(isa, "rrr", "div.s32 %d, %a, %b", operands),
                         (int32_t)a / (int32_t)b);
    }
}

static void count_lacking(const struct ptx_function *function, const struct ptx_insn *insn,
                          void *count) {
    (void)function, (void)insn;
    ++*(int *)count;
}

/* The device runtime that CUDA 11 links into a program has bodies, which call the hardware. */
TEST(supplies_the_device_runtime) {
    struct run run;
    int n = 0;
    run_open(&run, ".extern .func cnpPeek ();\n"
                   ".func (.param .b32 r) cudaPeekAtLastError() {\ncall.uni cnpPeek;\nret;\n}\n"
                   ".func (.param .b32 r) own() {\ncall.uni cnpPeek;\nret;\n}\n" KERNEL
                   "{ .param .b32 r; call.uni (r), cudaPeekAtLastError, (); }\n"
                   "{ .param .b32 r; call.uni (r), own, (); }\n" END);
    kernel_each_lacking(run.kernel, count_lacking, &n);
    assert_int_equal(n, 1);
    run_close(&run);
}

/* printf in a kernel, where the format begins with a conversion: nothing stands before it. */
TEST(prints_a_number_first) {
    struct run run;
    char *text = NULL;
    size_t size = 0;
    FILE *usual = stdout;
    run_open(&run,
             ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".global .align 1 .b8 format[4] = {37, 100, 10, 0};\n" KERNEL
             ".local .align 8 .b8 depot[8];\n"
             "mov.u64 %rd5, format;\ncvta.global.u64 %rd5, %rd5;\nmov.u64 %rd6, depot;\n"
             "mov.u32 %r5, 7;\nst.local.u32 [%rd6], %r5;\ncvta.local.u64 %rd6, %rd6;\n"
             "{ .param .b64 f; st.param.b64 [f], %rd5; .param .b64 a; st.param.b64 [a], %rd6;\n"
             ".param .b32 r; call.uni (r), vprintf, (f, a); ld.param.b32 %r6, [r]; }\n" END);
    assert_true(run_with(&run, 1, 1, 0));
    stdout = open_memstream(&text, &size);
    device_printf_flush(0);
    fclose(stdout);
    stdout = usual;
    assert_string_equal(text, "7\n");
    free(text);
    run_close(&run);
}
