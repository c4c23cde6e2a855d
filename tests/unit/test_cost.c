/* Tests of what instructions count for: how many machine instructions, and which branches, ptxas
 * makes of PTX. The numbers are those of the machine code that ptxas 13.0 makes of these kernels,
 * read instruction by instruction. */
#include "kernel.h"

static const struct gpu turing = {.cc_major = 7, .cc_minor = 5}, ampere = {.cc_major = 8},
                        hopper = {.cc_major = 9};

/* What one warp counts. */
static struct counters count_for(const char *target, const struct gpu *gpu, const char *body) {
    struct allocation *data = memory_allocate(256, ALLOC_DEVICE, "data");
    struct run run;
    char text[4096];
    snprintf(text, sizeof text,
             ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %%x<9>; .reg .b32 %%r<9>; .reg .f32 "
             "%%f<9>; .reg .f64 %%d<9>; "
             ".reg .pred %%p<9>;\n%s\n}\n",
             body);
    run_open_for(&run, target, gpu, text);
    assert_true(run_with(&run, 1, 32, data->address));
    struct counters counters = run.counters;
    run_close(&run);
    memory_free(data->address);
    return counters;
}

static struct counters count(const struct gpu *gpu, const char *body) {
    return count_for("sm_75", gpu, body);
}

static unsigned instructions(const struct gpu *gpu, const char *body) {
    return (unsigned)count(gpu, body).inst_executed;
}

#define LOAD_POINTER "ld.param.u64 %x1, [p];\n"

TEST(test_entry_depends_on_the_gpu) {
    /* MOV R1; EXIT */
    assert_int_equal(instructions(&turing, "ret;"), 2);
    assert_int_equal(instructions(&hopper, "ret;"), 2);
    /* MOV R1, since 8.0 the descriptor, since 9.0 the pointer, STG, EXIT */
    static const char store[] = LOAD_POINTER "st.global.u32 [%x1], 0;\nret;";
    assert_int_equal(instructions(&turing, store), 3);
    assert_int_equal(instructions(&ampere, store), 4);
    assert_int_equal(instructions(&hopper, store), 5);
}

TEST(test_ntid_is_loaded_since_9_0) {
    static const char body[] =
        LOAD_POINTER "mov.u32 %r1, %ntid.x;\nst.global.u32 [%x1], %r1;\nret;";
    assert_int_equal(instructions(&ampere, body), 4);
    assert_int_equal(instructions(&hopper, body), 6);
}

#define TWO_FLOATS LOAD_POINTER "ld.global.f32 %f1, [%x1];\nld.global.f32 %f2, [%x1+4];\n"
#define STORE_3    "st.global.f32 [%x1], %f3;\nret;"

TEST(test_products_contract_into_sums) {
    unsigned rest = instructions(&turing, TWO_FLOATS "mov.f32 %f3, %f1;\n" STORE_3);
    /* FFMA; a rounding keeps them apart: FMUL, FADD; a product needed twice stays. */
    assert_int_equal(instructions(&turing, TWO_FLOATS
                                  "mul.f32 %f4, %f1, %f2;\nadd.f32 %f3, %f4, %f1;\n" STORE_3),
                     rest + 1);
    assert_int_equal(instructions(&turing, TWO_FLOATS
                                  "mul.f32 %f4, %f1, %f2;\nsub.f32 %f3, %f1, %f4;\n" STORE_3),
                     rest + 1);
    assert_int_equal(instructions(&turing, TWO_FLOATS
                                  "mul.rn.f32 %f4, %f1, %f2;\nadd.f32 %f3, %f4, %f1;\n" STORE_3),
                     rest + 2);
    assert_int_equal(instructions(&turing, TWO_FLOATS
                                  "mul.f32 %f4, %f1, %f2;\nadd.rn.f32 %f3, %f4, %f1;\n" STORE_3),
                     rest + 2);
    assert_int_equal(instructions(&turing, TWO_FLOATS
                                  "mul.f32 %f4, %f1, %f2;\nadd.f32 %f3, %f4, %f4;\n" STORE_3),
                     rest + 2);
}

TEST(test_a_sum_takes_one_product) {
    unsigned rest = instructions(&turing, TWO_FLOATS "mov.f32 %f3, %f1;\n" STORE_3);
    assert_int_equal(
        instructions(
            &turing, TWO_FLOATS
            "mul.f32 %f4, %f1, %f2;\nmul.f32 %f5, %f1, %f1;\nadd.f32 %f3, %f4, %f5;\n" STORE_3),
        rest + 2);
}

TEST(test_a_wide_product_is_part_of_each_address) {
    static const char one[] =
        LOAD_POINTER "mov.u32 %r1, %tid.x;\nmul.wide.u32 %x2, %r1, 4;\nadd.s64 %x3, %x1, %x2;\n"
                     "st.global.u32 [%x3], %r1;\nret;";
    static const char two[] = LOAD_POINTER
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %x2, %r1, 4;\nadd.s64 %x3, %x1, %x2;\n"
        "add.s64 %x4, %x1, %x2;\nst.global.u32 [%x3], %r1;\nst.global.u32 [%x4], %r1;\nret;";
    assert_int_equal(instructions(&turing, two),
                     instructions(&turing, one) + 2); /* IMAD.WIDE, STG */
}

TEST(test_exact_division_branches) {
    assert_int_equal(count(&turing, TWO_FLOATS "div.rn.f32 %f3, %f1, %f2;\n" STORE_3).branch, 1);
    assert_int_equal(count(&turing, TWO_FLOATS "div.approx.f32 %f3, %f1, %f2;\n" STORE_3).branch,
                     0);
    assert_int_equal(count(&turing, TWO_FLOATS "sqrt.rn.f32 %f3, %f1;\n" STORE_3).branch, 1);
    assert_int_equal(
        count(&turing, TWO_FLOATS "div.rn.f32 %f3, %f1, %f2;\n" STORE_3).divergent_branch, 0);
}

/* Lanes 0 to 3 skip one instruction: predicated, but for a debugger. */
TEST(test_code_for_a_debugger_keeps_its_branches) {
    static const char body[] =
        LOAD_POINTER "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra END;\n"
                     "add.u32 %r1, %r1, 1;\nEND:\nst.global.u32 [%x1], %r1;\nret;";
    struct counters plain = count(&turing, body), debug = count_for("sm_75, debug", &turing, body);
    assert_int_equal(plain.branch, 0);
    assert_int_equal(debug.branch, 1);
    assert_int_equal(debug.divergent_branch, 1);
    assert_true(debug.inst_executed > 2 * plain.inst_executed);
}

/* Of threads, but for control_executed; a pair of halves counts as two operations. */
TEST(test_instructions_count_by_class) {
    struct counters c = count(
        &hopper, LOAD_POINTER
        "ld.global.b32 %r1, [%x1];\nfma.rn.f16x2 %r2, %r1, %r1, %r1;\nadd.f16x2 %r3, %r2, %r1;\n"
        "mul.f16x2 %r4, %r3, %r1;\nadd.u32 %r5, %r4, 7;\nsetp.lt.u32 %p1, %r5, 4;\n"
        "cvt.rn.f32.u32 %f1, %r5;\nadd.rn.f32 %f2, %f1, %f1;\nsetp.gt.f32 %p2, %f2, %f1;\n"
        "mov.f32 %f3, %f2;\ncvt.f64.f32 %d1, %f3;\nfma.rn.f64 %d2, %d1, %d1, %d1;\n"
        "shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1;\nst.global.f64 [%x1], %d2;\nret;");
    assert_int_equal(c.flop_hp_add, 2 * 32);
    assert_int_equal(c.flop_hp_mul, 2 * 32);
    assert_int_equal(c.flop_hp_fma, 2 * 32);
    assert_int_equal(c.inst_fp16, 3 * 32);
    assert_int_equal(c.inst_integer, 2 * 32);
    assert_int_equal(c.inst_fp32, 2 * 32);
    assert_int_equal(c.inst_fp64, 32);
    assert_int_equal(c.inst_convert, 2 * 32);
    assert_int_equal(c.inst_communication, 32);
    assert_int_equal(c.inst_load_store, 2 * 32);
    assert_int_equal(c.inst_control, 32);
    assert_int_equal(c.control_executed, 1);
}
