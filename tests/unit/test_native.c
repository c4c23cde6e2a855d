/*
 * Tests of native/: random blocks of arithmetic and loads leave the same bits in all registers as in the interpreter,
 * and count the same, on operands that are mostly unusual, in whole warps and in parts of them. Without AVX-512 there
 * is no machine code to test.
 */
#include "kernel.h"
#include "simt/machine/isa.h"
#include "simt/machine/machine.h"

#define REGISTERS 12 /* of floats and of integers */
#define THREADS   64
#define PARTIAL   59 /* threads, so that the last warp is not whole */
#define BLOCKS    150
#define LENGTH    60

static const uint32_t unusual[] = {0,          0x80000000, 1,          0x80000001, 0x007FFFFF, 0x00800000,
                                   0x7F800000, 0xFF800000, 0x7F800001, 0xFFC12345, 0x7FFFFFFF, 0x7F7FFFFF,
                                   0x3F800000, 0xBF800000, 0x33800000, 0xFFFFFFFF, 31,         32};

/* d, a, b, c: registers that stand for %1 to %4; p, q: predicates for %5 and %6. */
static const char *const floats[] = {
    "add.f32 %1, %2, %3",
    "sub.f32 %1, %2, %3",
    "mul.f32 %1, %2, %3",
    "fma.rn.f32 %1, %2, %3, %4",
    "add.ftz.f32 %1, %2, %3",
    "sub.ftz.f32 %1, %2, %3",
    "mul.ftz.f32 %1, %2, %3",
    "fma.rn.ftz.f32 %1, %2, %3, %4",
    "add.f32 %1, %2, 0f00000001",
    "div.rn.f32 %1, %2, %3",
    "div.rn.ftz.f32 %1, %2, %3",
    "rcp.rn.f32 %1, %2",
    "sqrt.rn.f32 %1, %2",
    "rsqrt.approx.f32 %1, %2",
    "rsqrt.approx.ftz.f32 %1, %2",
    "sqrt.approx.f32 %1, %2",
    "sqrt.approx.ftz.f32 %1, %2",
    "rcp.approx.f32 %1, %2",
    "rcp.approx.ftz.f32 %1, %2",
    "div.approx.f32 %1, %2, %3",
    "div.approx.ftz.f32 %1, %2, %3",
    "ex2.approx.f32 %1, %2",
    "ex2.approx.ftz.f32 %1, %2",
    "neg.f32 %1, %2",
    "abs.f32 %1, %2",
    "mov.f32 %1, %2",
    "selp.f32 %1, %2, %3, %5",
    "@%5 mul.f32 %1, %2, %3",
    "@!%5 fma.rn.f32 %1, %2, %3, %1",
    "setp.lt.f32 %5, %2, %3",
    "setp.ne.f32 %5, %2, %3",
    "setp.geu.f32 %5, %2, %3",
    "setp.gt.and.f32 %5, %2, %3, %6",
    "setp.leu.or.f32 %5, %2, %3, !%6",
    "setp.nan.xor.f32 %5, %2, %3, %6",
};
static const char *const integers[] = {
    "add.s32 %1, %2, %3",
    "sub.s32 %1, %2, %3",
    "mul.lo.s32 %1, %2, %3",
    "mad.lo.s32 %1, %2, %3, %4",
    "min.s32 %1, %2, %3",
    "max.u32 %1, %2, %3",
    "max.s32 %1, %2, %3",
    "min.u32 %1, %2, %3",
    "and.b32 %1, %2, %3",
    "or.b32 %1, %2, %3",
    "xor.b32 %1, %2, %3",
    "not.b32 %1, %2",
    "abs.s32 %1, %2",
    "shl.b32 %1, %2, %3",
    "shr.u32 %1, %2, %3",
    "shr.s32 %1, %2, %3",
    "lop3.b32 %1, %2, %3, %4, 0x1D",
    "selp.b32 %1, %2, %3, !%5",
    "@%5 add.s32 %1, %2, %3",
    "setp.lt.s32 %5, %2, %3",
    "setp.hi.u32 %5, %2, %3",
    "setp.eq.and.b32 %5, %2, %3, %6",
    "setp.ge.u32 %5, %2, %3",
    /* Bits of floats: a NaN must be PTX's. */
    "cvt.rn.f32.s32 %f3, %2",
    "cvt.rn.f32.u32 %f4, %2",
    "mov.b32 %1, %f1",
    "mov.b32 %f2, %2",
};
/* Addresses that all lanes share, that lie side by side, and others; what has no translation stands between. */
static const char *const others[] = {
    "ld.shared.f32 %f0, [%r14+64]",
    "ld.shared.f32 %f1, [%r15+128]",
    "ld.shared.u32 %r2, [%r16]",
    "ld.shared.v4.f32 {%f2, %f3, %f4, %f5}, [%r14+32]",
    "ld.shared.v2.u32 {%r4, %r5}, [%r17+8]",
    "ld.global.f32 %f6, [%rd0+36]",
    "ld.global.u32 %r6, [%rd2+256]",
    "ld.global.u32 %r7, [%rd1+4]",
    "ld.global.v2.f32 {%f7, %f8}, [%rd0+16]",
    "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd0+512]",
    "tanh.approx.f32 %f9, %f3",
    "st.shared.f32 [%r15+128], %f4",
    "clz.b32 %r1, %r3",
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static uint32_t state = 1;
static uint32_t next(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(state >> 8) * below >> 24);
}

/* Append an instruction from its pattern. bank: of its registers. */
static void add_instruction(char *text, const char *pattern, char bank) {
    uint32_t registers[4], predicates[2];
    for (int i = 0; i < 4; i++) registers[i] = next(REGISTERS);
    for (int i = 0; i < 2; i++) predicates[i] = next(4);
    char *end = text + strlen(text);
    for (; *pattern; pattern++) {
        if (*pattern == '%' && pattern[1] >= '1' && pattern[1] <= '4')
            end += sprintf(end, "%%%c%u", bank, registers[*++pattern - '1']);
        else if (*pattern == '%' && pattern[1] >= '5' && pattern[1] <= '6')
            end += sprintf(end, "%%p%u", predicates[*++pattern - '5']);
        else
            *end++ = *pattern;
    }
    strcpy(end, ";\n");
}

/* A kernel: the registers come from memory, most lanes run a random block, and the registers go back, but for some of
 * which nothing is read behind the block. */
static void write_kernel(char *text) {
    char *end = text;
    end += sprintf(end, "%s",
                   ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<20>;\n.reg .f32 %f<12>;\n"
                   ".reg .b64 %rd<4>;\n.shared .align 16 .b8 s[4096];\nld.param.u64 %rd0, [p];\n"
                   "mov.u32 %r12, %tid.x;\nmul.wide.u32 %rd1, %r12, 128;\nadd.s64 %rd1, %rd0, %rd1;\n"
                   "mul.wide.u32 %rd2, %r12, 4;\nadd.s64 %rd2, %rd0, %rd2;\nmov.u32 %r14, s;\n"
                   "mad.lo.u32 %r15, %r12, 4, %r14;\nmad.lo.u32 %r16, %r12, 36, %r14;\nand.b32 %r17, %r12, 8;\n"
                   "mad.lo.u32 %r17, %r17, 4, %r14;\nld.global.u32 %r13, [%rd1+124];\n"
                   "st.shared.u32 [%r15], %r13;\nst.shared.u32 [%r15+256], %r12;\nmov.u32 %r18, 0;\n");
    for (int i = 0; i < REGISTERS; i++)
        end += sprintf(end, "ld.global.u32 %%r%d, [%%rd1+%d];\nld.global.f32 %%f%d, [%%rd1+%d];\n", i, 4 * i, i,
                       4 * (REGISTERS + i));
    for (int i = 0; i < 4; i++) end += sprintf(end, "setp.lt.s32 %%p%d, %%r%d, 0;\n", i, i);
    end += sprintf(end, "setp.lt.u32 %%p4, %%r12, %u;\n@%%p4 bra END;\n", next(2) * next(THREADS));
    strcat(end, "AGAIN:\n");
    for (int i = 0; i < LENGTH; i++) {
        if (next(8) == 0)
            add_instruction(end, others[next(COUNT(others))], 'f');
        else if (next(3))
            add_instruction(end, floats[next(COUNT(floats))], 'f');
        else
            add_instruction(end, integers[next(COUNT(integers))], 'r');
    }
    strcat(end, "add.u32 %r18, %r18, 1;\nsetp.lt.u32 %p5, %r18, 3;\n@%p5 bra AGAIN;\nEND:\n");
    end += strlen(end);
    uint32_t unread = next(REGISTERS);
    for (uint32_t i = 0; i < REGISTERS; i++)
        if (i != unread)
            end += sprintf(end, "st.global.u32 [%%rd1+%u], %%r%u;\nst.global.f32 [%%rd1+%u], %%f%u;\n", 4 * i, i,
                           4 * (REGISTERS + i), i);
    for (int i = 0; i < 4; i++)
        end += sprintf(end, "selp.u32 %%r13, 1, 0, %%p%d;\nst.global.u32 [%%rd1+%d], %%r13;\n", i,
                       4 * (2 * REGISTERS + i));
    strcpy(end, "ret;\n}\n");
}

/* Run it on these bytes; what it leaves comes back in them. */
static struct counters run_on(const char *text, const char *native, uint32_t threads, uint32_t *words, size_t bytes) {
    struct run run;
    setenv("SIMT_NATIVE", native, 1);
    run_open(&run, text);
    unsetenv("SIMT_NATIVE");
    if ((run.kernel->native != NULL) != (strcmp(native, "1") == 0)) fail_msg("SIMT_NATIVE=%s is not followed", native);
    struct allocation *a = zeros(bytes);
    memcpy(host(a), words, bytes);
    if (!run_with(&run, 1, threads, a->address)) fail_msg("%s", run.fault.report);
    memcpy(words, host(a), bytes);
    memory_free(a->address);
    run_close(&run);
    return run.counters;
}

static void blocks_agree(void **context) {
    (void)context;
    enum { WORDS = 32 * THREADS };
    static char text[1 << 16];
    static uint32_t first[WORDS], interpreted[WORDS], translated[WORDS];
    if (strcmp(isa_best()->name, "avx512") != 0) skip();
    for (int i = 0; i < BLOCKS; i++) {
        write_kernel(text);
        for (int k = 0; k < WORDS; k++)
            first[k] = next(4) ? unusual[next(COUNT(unusual))] : next(1 << 24) << 8 | next(256);
        memcpy(interpreted, first, sizeof first);
        memcpy(translated, first, sizeof first);
        struct counters before = run_on(text, "0", PARTIAL, interpreted, sizeof first);
        struct counters now = run_on(text, "1", PARTIAL, translated, sizeof first);
        if (memcmp(&before, &now, sizeof now) != 0) fail_msg("The counters differ:\n%s", text);
        for (int k = 0; k < WORDS; k++)
            if (interpreted[k] != translated[k])
                fail_msg("thread %d, word %d: interpreted 0x%08x, translated 0x%08x, from 0x%08x:\n%s", k / 32, k % 32,
                         interpreted[k], translated[k], first[k], text);
    }
}

/* Each thread has a 64th of all arguments, and sums up the results of every 16411th. */
static void special_functions_agree(void **context) {
    (void)context;
    static const char *const functions[] = {"rsqrt.approx",   "sqrt.approx", "rcp.approx",
                                            "rcp.approx.ftz", "ex2.approx",  "ex2.approx.ftz"};
    static const char before[] = KERNEL "shl.b32 %r4, %r0, 26;\nmov.u32 %r5, 0;\nmov.u32 %r6, 0;\n"
                                        "AGAIN:\nmov.b32 %f1, %r4;\n",
                      after[] = ".f32 %f2, %f1;\nmov.b32 %r7, %f2;\n"
                                "mad.lo.u32 %r5, %r5, 31, %r7;\nadd.u32 %r4, %r4, 16411;\n"
                                "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 4089;\n@%p1 bra AGAIN;\n" STORE("%r5") END;
    if (strcmp(isa_best()->name, "avx512") != 0) skip();
    for (size_t i = 0; i < COUNT(functions); i++) {
        char text[2048];
        uint32_t interpreted[THREADS] = {0}, translated[THREADS] = {0};
        snprintf(text, sizeof text, "%s%s%s", before, functions[i], after);
        run_on(text, "0", THREADS, interpreted, sizeof interpreted);
        run_on(text, "1", THREADS, translated, sizeof translated);
        for (int k = 0; k < THREADS; k++)
            if (interpreted[k] != translated[k]) fail_msg("%s differs in thread %d", functions[i], k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_agree), cmocka_unit_test(special_functions_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
