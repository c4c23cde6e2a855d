/* Tests of how a warp's lanes part and meet, wait for each other, and stop. */
#include "kernel.h"

#define WORDS 4096

static struct run run;
static struct allocation *out;

static uint32_t *words(void) {
    return host(out);
}

/* Run a kernel on zeros; it must succeed. */
static void ok(const char *body, uint32_t grid, uint32_t block) {
    run_open(&run, body);
    out = zeros(WORDS * 4);
    if (!run_with(&run, grid, block, out->address)) fail_msg("%s", run.fault.report);
}

/* ... or fail with that error. */
static void fails(const char *body, uint32_t grid, uint32_t block, int error) {
    run_open(&run, body);
    out = zeros(WORDS * 4);
    assert_false(run_with(&run, grid, block, out->address));
    assert_int_equal(run.fault.error, error);
}

static void done(void) {
    memory_free(out->address);
    run_close(&run);
}

/* ---- Branches ---- */

TEST(both_sides_run_and_reconvergence) {
    ok(KERNEL "setp.lt.u32 %p1, %r0, 10;\n@%p1 bra THEN;\nmov.u32 %r4, 200;\nactivemask.b32 "
              "%r6;\nbra JOIN;\n"
              "THEN: mov.u32 %r4, 100;\nactivemask.b32 %r6;\nJOIN: activemask.b32 %r5;\n"
              "xor.b32 %r7, %r5, %r6;\nadd.u32 %r4, %r4, %r7;\n" STORE("%r4") END,
       1, 32);
    for (uint32_t l = 0; l < 32; l++)
        assert_int_equal(words()[l], l < 10 ? 100 + 0xFFFFFC00u : 200 + 0x3FFu);
    done();
}

TEST(lanes_leave_a_loop_one_by_one) {
    ok(KERNEL "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nLOOP: add.u32 %r4, %r4, 1;\nsetp.le.u32 %p1, %r4, "
              "%r0;\n@%p1 bra LOOP;\n"
              "activemask.b32 %r5;\nadd.u32 %r4, %r4, %r5;\n" STORE("%r4") END,
       1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], l + 1 + 0xFFFFFFFFu);
    assert_int_equal(run.counters.divergent_branch, 31);
    done();
}

TEST(a_partial_warp_and_a_tail_are_right) {
    ok(KERNEL "mov.u32 %r4, %laneid;\nadd.u32 %r4, %r4, 1;\n" STORE("%r4") END, 3, 45);
    for (uint32_t i = 0; i < 135; i++) assert_int_equal(words()[i], i % 45 % 32 + 1);
    assert_int_equal(words()[135], 0);
    assert_int_equal(run.counters.warps_launched, 6);
    assert_int_equal(run.counters.threads_launched, 135);
    done();
}

TEST(a_jump_table_sends_lanes_apart) {
    ok(KERNEL "and.b32 %r4, %r0, 3;\nts: .branchtargets A, B, C, D;\nbrx.idx %r4, ts;\n"
              "A: mov.u32 %r5, 10;\nbra J;\nB: mov.u32 %r5, 11;\nbra J;\nC: mov.u32 %r5, 12;\nbra "
              "J;\nD: mov.u32 %r5, 13;\n"
              "J: activemask.b32 %r6;\nadd.u32 %r5, %r5, %r6;\n" STORE("%r5") END,
       1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], 10 + l % 4 - 1);
    done();
}

/* ---- Waiting in a warp ---- */

TEST(a_shuffle_waits_for_lanes_on_the_other_path) {
    ok(KERNEL "setp.lt.u32 %p1, %r0, 16;\nadd.u32 %r4, %r0, 100;\n@%p1 bra LOW;\n"
              "shfl.sync.bfly.b32 %r5, %r4, 16, 31, 0xffffffff;\nbra JOIN;\n"
              "LOW: shfl.sync.bfly.b32 %r5, %r4, 16, 31, 0xffffffff;\nJOIN:\n" STORE("%r5") END,
       1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], 100 + (l ^ 16));
    done();
}

TEST(groups_of_a_warp_shuffle_on_their_own) {
    ok(KERNEL "setp.lt.u32 %p1, %r0, 8;\nmov.u32 %r6, 0xff;\n@!%p1 mov.u32 %r6, 0xffffff00;\n"
              "shfl.sync.idx.b32 %r5, %r0, 9, 31, %r6;\nvote.sync.ballot.b32 %r7, %p1, "
              "%r6;\nadd.u32 %r5, %r5, %r7;\n" STORE("%r5") END,
       1, 32);
    assert_int_equal(words()[9], 9);
    assert_int_equal(words()[0], 0xFF + 9);
    done();
}

TEST(a_lock_between_lanes_of_a_warp_is_passed_on) {
    /* The lane that gets the lock leaves the loop and would wait for the others at its end. */
    ok(KERNEL
       "SPIN: atom.global.cas.b32 %r4, [%rd0], 0, 1;\nsetp.ne.s32 %p1, %r4, 0;\n@%p1 bra SPIN;\n"
       "ld.volatile.global.u32 %r5, [%rd0+4];\nadd.u32 %r5, %r5, 1;\nst.volatile.global.u32 "
       "[%rd0+4], %r5;\n"
       "membar.gl;\natom.global.exch.b32 %r6, [%rd0], 0;\n" END,
       4, 64);
    assert_int_equal(words()[1], 256);
    done();
}

TEST(a_warp_barrier_that_nobody_else_reaches_is_a_deadlock) {
    fails(".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r0, "
          "%tid.x;\n"
          "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\nbar.sync 1, 64;\nret;\nLOW: bar.warp.sync "
          "0xffffffff;\nret;\n}\n",
          1, 32, 719);
    assert_says(&run.fault, "Divergent thread(s) in ");
    done();
}

/* ---- Waiting in a block and in a grid ---- */

#define SHARED_SUM ".shared .align 4 .b8 s[4096];\n"

TEST(a_barrier_makes_stores_visible) {
    ok(SHARED_SUM KERNEL "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r6, %r4, "
                         "%r5;\nst.shared.u32 [%r6], %r0;\nbar.sync 0;\n"
                         "sub.u32 %r7, %r2, %r0;\nsub.u32 %r7, %r7, 1;\nshl.b32 %r7, %r7, "
                         "2;\nadd.u32 %r7, %r7, %r4;\n"
                         "ld.shared.u32 %r8, [%r7];\n" STORE("%r8") END,
       2, 1000);
    for (uint32_t i = 0; i < 2000; i++) assert_int_equal(words()[i], 999 - i % 1000);
    assert_int_equal(run.counters.barriers, 2 * 32);
    done();
}

TEST(exited_threads_are_not_waited_for) {
    ok(KERNEL "setp.gt.u32 %p1, %r0, 40;\n@%p1 exit;\nbar.sync 0;\nmov.u32 %r4, 1;\n" STORE("%r4")
           END,
       1, 96);
    assert_int_equal(words()[40], 1);
    assert_int_equal(words()[41], 0);
    done();
}

TEST(lanes_of_a_warp_may_reach_different_barriers_of_one_number) {
    ok(KERNEL "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\nbar.sync 0;\nmov.u32 %r4, 2;\nbra "
              "J;\nLOW: bar.sync "
              "0;\nmov.u32 %r4, 1;\nJ:\n" STORE("%r4") END,
       1, 64);
    for (uint32_t l = 0; l < 64; l++) assert_int_equal(words()[l], l < 16 ? 1 : 2);
    done();
}

TEST(named_barriers_count_and_reduce) {
    ok(KERNEL
       "setp.lt.u32 %p1, %r0, 32;\nsetp.ge.u32 %p2, %r0, 64;\n@%p1 bar.arrive 1, 64;\n@%p1 bra "
       "OUT;\n@%p2 bra "
       "OUT;\nbar.sync 1, 64;\n"
       "OUT: setp.eq.u32 %p3, %r0, 5;\nbar.red.popc.u32 %r4, 0, %p3;\nbar.red.or.pred %p4, 0, "
       "%p3;\n"
       "bar.red.and.pred %p5, 0, %p3;\nselp.u32 %r5, 10, 0, %p4;\nselp.u32 %r6, 100, 0, %p5;\n"
       "add.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\n" STORE("%r4") END,
       1, 96);
    for (uint32_t l = 0; l < 96; l++) assert_int_equal(words()[l], 11);
    done();
}

TEST(a_barrier_short_of_threads_is_a_deadlock) {
    fails(KERNEL "bar.sync 3, 128;\n" END, 1, 64, 719);
    assert_says(&run.fault, "64 of 128 threads wait at barrier 3");
    done();
}

TEST(a_block_may_wait_for_a_later_one) {
    ok(KERNEL
       "setp.eq.u32 %p1, %r1, 7;\n@%p1 st.volatile.global.u32 [%rd0], 1;\n@%p1 bra OUT;\n"
       "SPIN: ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.s32 %p2, %r4, 0;\n@%p2 bra SPIN;\n"
       "OUT: mov.u32 %r5, 1;\nst.global.u32 [%rd1+4], %r5;\n" END,
       8, 32);
    for (uint32_t i = 1; i <= 256; i++) assert_int_equal(words()[i], 1);
    done();
}

TEST(an_endless_loop_is_stopped) {
    setenv("SIMT_TIMEOUT", "0.2", 1);
    fails(KERNEL "LOOP: add.u32 %r4, %r4, 1;\nbra LOOP;\n" END, 2, 32, 702);
    assert_says(&run.fault, "loop forever");
    assert_says(&run.fault, "SIMT_TIMEOUT");
    unsetenv("SIMT_TIMEOUT");
    done();
}

/* ---- Calls ---- */

#define FACTORIAL                                                                                  \
    ".visible .func (.param .b32 r) f(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 "            \
    "%r<6>;\nld.param.u32 %r1, "                                                                   \
    "[n];\n"                                                                                       \
    "mov.u32 %r4, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra D;\nsub.u32 %r2, %r1, 1;\n{\n.param "     \
    ".b32 a;\n.param .b32 "                                                                        \
    "b;\n"                                                                                         \
    "st.param.b32 [a], %r2;\ncall.uni (b), f, (a);\nld.param.b32 %r3, [b];\n}\nmul.lo.u32 %r4, "   \
    "%r3, %r1;\n"                                                                                  \
    "D: st.param.b32 [r], %r4;\nret;\n}\n"
#define CALL_F                                                                                     \
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r5;\ncall.uni (b), f, "                 \
    "(a);\nld.param.b32 %r6, [b];\n}\n"

TEST(recursion_goes_as_deep_as_each_lane_needs) {
    ok(FACTORIAL KERNEL "rem.u32 %r5, %r0, 10;\n" CALL_F STORE("%r6") END, 1, 32);
    uint32_t want[10] = {1, 1};
    for (uint32_t i = 2; i < 10; i++) want[i] = want[i - 1] * i;
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], want[l % 10]);
    done();
}

TEST(a_stack_overflow_is_named) {
    fails(FACTORIAL KERNEL "mov.u32 %r5, 100000;\n" CALL_F STORE("%r6") END, 1, 32, 719);
    assert_says(&run.fault, "Stack overflow");
    assert_says(&run.fault, "cudaLimitStackSize");
    done();
}

TEST(lanes_may_call_different_functions) {
    ok(".func (.param .b32 r) g(.param .b32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, "
       "[n];\nadd.u32 %r1, %r1, "
       "1000;\nst.param.b32 [r], "
       "%r1;\nret;\n}\n" FACTORIAL KERNEL
       "setp.lt.u32 %p1, %r0, 5;\nmov.u64 %rd5, f;\nmov.u64 %rd6, g;\nselp.b64 "
       "%rd7, %rd5, %rd6, %p1;\nmov.u32 %r5, 4;\n"
       "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r5;\nproto: .callprototype (.param "
       ".b32 _) _ (.param "
       ".b32 _);\n"
       "call (b), %rd7, (a), proto;\nld.param.b32 %r6, [b];\n}\nactivemask.b32 %r7;\nadd.u32 %r6, "
       "%r6, %r7;\n" STORE("%r6") END,
       1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], (l < 5 ? 24 : 1004) - 1);
    done();
}

/* ---- Order and threads ---- */

TEST(results_and_counters_do_not_depend_on_host_threads) {
    const char *body = KERNEL
        "and.b32 %r4, %r0, %r1;\npopc.b32 %r5, %r4;\nLOOP: setp.eq.u32 %p1, %r5, 0;\n@%p1 bra D;\n"
        "red.global.add.u32 [%rd0], %r5;\nsub.u32 %r5, %r5, 1;\nbra LOOP;\nD: and.b32 %r6, %r0, "
        "63;\n"
        "mul.wide.u32 %rd5, %r6, 8;\nadd.s64 %rd6, %rd0, %rd5;\nred.global.max.u32 [%rd6+64], "
        "%r1;\n" END;
    struct counters first = {0};
    uint32_t sum = 0;
    for (unsigned threads = 1; threads <= 7; threads += 2) {
        run_open(&run, body);
        out = zeros(WORDS * 4);
        run.launch.threads = threads;
        assert_true(run_with(&run, 300, 96, out->address));
        if (threads == 1) first = run.counters, sum = words()[0];
        assert_memory_equal(&first, &run.counters, sizeof first);
        assert_int_equal(words()[0], sum);
        assert_int_equal(words()[16 + 2 * 5], 299);
        done();
    }
}

TEST(tickets_are_given_in_block_order) {
    run_open(&run, KERNEL "setp.ne.s32 %p1, %r0, 0;\n@%p1 exit;\natom.global.add.u32 %r4, [%rd0], "
                          "1;\nmul.wide.u32 %rd5, %r1, 4;\n"
                          "add.s64 %rd6, %rd0, %rd5;\nst.global.u32 [%rd6+4], %r4;\n" END);
    out = zeros(WORDS * 4);
    run.launch.threads = 4;
    assert_true(run_with(&run, 200, 64, out->address));
    for (uint32_t i = 0; i < 200; i++) assert_int_equal(words()[1 + i], i);
    done();
}
