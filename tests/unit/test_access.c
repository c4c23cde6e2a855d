/* Tests of loads, stores and atomics: what they count, and what stops a kernel. */
#include "kernel.h"

#include "simt/machine/trace.h"

static struct run run;
static struct allocation *out;

static uint32_t *words(void) {
    return host(out);
}

static void ok(const char *body, uint32_t grid, uint32_t block) {
    run_open(&run, body);
    out = zeros(65536);
    if (!run_with(&run, grid, block, out->address)) fail_msg("%s", run.fault.report);
}

static void done(void) {
    memory_free(out->address);
    run_close(&run);
}

/* A kernel on a buffer of size bytes that must fail with that error. */
static void fails(const char *body, size_t size, uint32_t block, int error) {
    run_open(&run, body);
    out = zeros(size);
    assert_false(run_with(&run, 2, block, out->address));
    if (run.fault.error != error) fail_msg("error %d: %s", run.fault.error, run.fault.report);
}

/* ---- Faults ---- */

TEST(a_store_past_the_end_names_thread_and_allocation) {
    fails(KERNEL STORE("%r0") END, 4 * 40, 32, 700);
    assert_says(&run.fault, "Invalid __global__ write of size 4 bytes");
    assert_says(&run.fault, "thread (8,0,0) in block (1,0,0)");
    assert_says(&run.fault, "is 1 byte after the nearest allocation at 0x");
    assert_says(&run.fault, "line");
    assert_says(&run.fault, "st.global.u32");
    done();
}

TEST(distances_are_told) {
    fails(KERNEL "ld.global.u32 %r4, [%rd0+4100];\n" END, 4096, 32, 700);
    assert_says(&run.fault, "Invalid __global__ read");
    assert_says(&run.fault, "is 5 bytes after the nearest allocation at 0x");
    done();
    fails(KERNEL "ld.global.u32 %r4, [%rd0+-8];\n" END, 4096, 32, 700);
    assert_says(&run.fault, "8 bytes before");
    done();
}

TEST(null_and_stale_pointers_are_named) {
    fails(KERNEL "mov.u64 %rd5, 0;\nld.global.u32 %r4, [%rd5];\n" END, 64, 32, 700);
    assert_says(&run.fault, "null pointer");
    done();
    run_open(&run, KERNEL "ld.global.u32 %r4, [%rd0];\n" END);
    out = zeros(64);
    uintptr_t stale = out->address;
    memory_free(stale);
    assert_false(run_with(&run, 1, 32, stale));
    assert_says(&run.fault, "freed");
    run_close(&run);
}

TEST(misaligned_accesses_are_716) {
    fails(KERNEL "ld.global.u64 %rd5, [%rd0+4];\n" END, 64, 32, 716);
    done();
    fails(KERNEL "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd0+8];\n" END, 64, 32, 716);
    done();
    fails(".shared .align 8 .b8 s[64];\n" KERNEL "st.shared.u64 [s+4], %rd0;\n" END, 64, 32, 716);
    done();
}

TEST(shared_and_local_memory_have_ends) {
    fails(".shared .align 4 .b8 s[64];\n" KERNEL
          "shl.b32 %r4, %r0, 2;\nmov.u32 %r5, s;\nadd.u32 %r4, %r4, %r5;\n"
          "st.shared.u32 [%r4], %r0;\n" END,
          64, 32, 700);
    assert_says(&run.fault, "__shared__ write");
    assert_says(&run.fault, "thread (16,0,0)");
    done();
    fails(".visible .entry k(.param .u64 p)\n{\n.local .align 4 .b8 a[16];\n.reg .b64 "
          "%rd<4>;\n.reg .b32 "
          "%r<4>;\nmov.u64 %rd1, a;\n"
          "ld.local.u32 %r1, [%rd1+400];\nret;\n}\n",
          64, 32, 700);
    assert_says(&run.fault, "__local__ read");
    done();
}

/* Each thread copies the element at thread / 8 * row + thread % 8 * column to its own place, and
 * its own to one of that form: rows of a tile, one address for 8 lanes, and neither. */
TEST(lanes_in_rows_move_their_own_bytes) {
    static const uint32_t shapes[][2] = {{10, 1}, {10, 0}, {8, 1},
                                         {0, 1},  {10, 2}, {0, 0}}; /* in elements */
    for (uint32_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        uint32_t words_each = 1 + i % 2, row = shapes[i / 2][0], column = shapes[i / 2][1];
        const char *reg = words_each == 1 ? "u32 %r10" : "u64 %rd10", *name = reg + 4;
        char body[2048];
        snprintf(body, sizeof body,
                 "%sshr.u32 %%r4, %%r0, 3;\nand.b32 %%r5, %%r0, 7;\nmul.lo.u32 %%r4, %%r4, %u;\n"
                 "mad.lo.u32 %%r4, %%r5, %u, %%r4;\nmul.wide.u32 %%rd4, %%r4, %u;\nadd.u64 %%rd4, "
                 "%%rd0, %%rd4;\n"
                 "mul.wide.u32 %%rd5, %%r0, 8;\nadd.u64 %%rd5, %%rd0, %%rd5;\n"
                 "ld.global.%s, [%%rd4];\nst.global.%.3s [%%rd5+4096], %s;\n"
                 "ld.global.%s, [%%rd5];\nst.global.%.3s [%%rd4+8192], %s;\n%s",
                 KERNEL, row, column, 4 * words_each, reg, reg, name, reg, reg, name, END);
        run_open(&run, body);
        out = zeros(16384);
        for (uint32_t k = 0; k < 1024; k++) words()[k] = k * 2654435761u;
        uint32_t want[4096];
        memcpy(want, words(), sizeof want);
        for (uint32_t k = 0; k < 32; k++) { /* the last value stays */
            uint32_t l = words_each == 2 ? (31 - k) ^ 16 : 31 - k;
            uint32_t at = (l / 8 * row + l % 8 * column) * words_each;
            memcpy(want + 1024 + 2 * l, want + at, 4 * words_each);
            memcpy(want + 2048 + at, want + 2 * l, 4 * words_each);
        }
        assert_true(run_with(&run, 1, 32, out->address));
        assert_memory_equal(words(), want, sizeof want);
        done();
    }
}

TEST(the_lowest_block_s_fault_is_reported) {
    run_open(&run, KERNEL
             "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra D;\nst.global.u32 [%rd0+100000], %r0;\nD:\n" END);
    out = zeros(64);
    run.launch.threads = 4;
    for (int traced = 0; traced < 2; traced++) { /* traced blocks run first */
        struct trace trace;
        struct launch_shape shape = {.grid = {200, 1, 1}, .block = {32, 1, 1}};
        trace_open(&trace, &shape);
        run.launch.trace = traced ? &trace : NULL;
        assert_false(run_with(&run, 200, 32, out->address));
        assert_says(&run.fault, "block (40,0,0)");
        trace_close(&trace);
    }
    done();
}

TEST(what_is_not_supported_fails_only_when_reached) {
    const char *body = KERNEL "ld.global.u32 %r4, [%rd0];\nsetp.eq.s32 %p1, %r4, 0;\n@%p1 bra D;\n"
                              "wgmma.commit_group.sync.aligned;\nD:\n" STORE("%r0") END;
    ok(body, 1, 32);
    words()[0] = 1;
    assert_false(run_with(&run, 1, 32, out->address));
    assert_int_equal(run.fault.error, SIM_ERROR_NOT_SUPPORTED);
    assert_says(&run.fault, "wgmma.commit_group");
    done();
}

/* ---- Counters ---- */

TEST(coalesced_and_strided_requests_are_counted) {
    ok(KERNEL
       "ld.global.u32 %r4, [%rd1];\nmul.wide.u32 %rd5, %r0, 64;\nadd.s64 %rd6, %rd0, "
       "%rd5;\nld.global.u32 %r5, "
       "[%rd6];\n"
       "setp.lt.u32 %p1, %r0, 3;\n@%p1 st.global.u32 [%rd6], %r5;\nsetp.gt.u32 %p2, %r0, 99;\n@%p2 "
       "st.global.u32 [%rd6], %r5;\n" END,
       1, 32);
    assert_int_equal(run.counters.gld_requests, 2);
    assert_int_equal(run.counters.gld_sectors, 4 + 32);
    assert_int_equal(run.counters.gld_bytes, 256);
    assert_int_equal(run.counters.gst_requests, 1);
    assert_int_equal(run.counters.gst_sectors, 3);
    assert_int_equal(run.counters.gst_bytes, 12);
    assert_int_equal(run.counters.footprint_read_sectors, 4 + 30);
    assert_int_equal(run.counters.footprint_write_sectors, 3);
    done();
}

TEST(vectors_and_narrow_values_move_whole) {
    run_open(&run, KERNEL "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd6, %rd0, "
                          "%rd5;\nld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd6];\n"
                          "ld.global.s8 %r8, [%rd6+3];\nld.global.u8 %r9, "
                          "[%rd6+3];\nst.global.v2.u32 [%rd6+8], {%r8,%r9};\n"
                          "st.global.u8 [%rd6], %r7;\nst.global.u16 [%rd6+2], %r6;\n" END);
    out = zeros(4096);
    for (uint32_t i = 0; i < 128; i++) words()[i] = 0xF0000000u + 7 * i;
    assert_true(run_with(&run, 1, 32, out->address));
    assert_int_equal(words()[4 * 5 + 2], 0xFFFFFFF0);
    assert_int_equal(words()[4 * 5 + 3], 0xF0);
    assert_int_equal(words()[4 * 5] & 0xFF, (0xF0000000u + 7 * 23) & 0xFF);
    assert_int_equal(words()[4 * 5] >> 16, (0xF0000000u + 7 * 22) & 0xFFFF);
    assert_int_equal(run.counters.gld_sectors, 16 + 16 + 16);
    done();
}

/* 32 lanes load and store at %rd0 + %r5: the different bytes they ask for, and the sectors these
 * lie in. */
TEST(what_several_lanes_want_counts_once) {
    static const struct {
        const char *offset, *type, *registers;
        uint32_t bytes, sectors;
    } cases[] = {
        {"mov.u32 %r5, 0;", "u32", "%r4", 4, 1},     /* one word for all */
        {"shr.u32 %r5, %r0, 2;", "u8", "%r4", 8, 1}, /* a byte for each four */
        {"and.b32 %r5, %r0, 7;\nshl.b32 %r5, %r5, 3;", "v2.u32", "{%r4,%r6}", 64,
         2}, /* the same 64 bytes four times */
        {"xor.b32 %r5, %r0, 1;\nshl.b32 %r5, %r5, 2;", "u32", "%r4", 128,
         4}, /* neighbours change places */
        {"shr.u32 %r5, %r0, 4;\nshl.b32 %r5, %r5, 7;", "u32", "%r4", 8,
         2},                                              /* a word in each of two rows */
        {"mul.lo.u32 %r5, %r0, 8;", "u16", "%r4", 64, 8}, /* two bytes of every eight */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[2048];
        snprintf(body, sizeof body,
                 "%s%s\ncvt.u64.u32 %%rd5, %%r5;\nadd.s64 %%rd6, %%rd0, %%rd5;\nld.global.%s %s, "
                 "[%%rd6];\n"
                 "st.global.%s [%%rd6], %s;\n%s",
                 KERNEL, cases[i].offset, cases[i].type, cases[i].registers, cases[i].type,
                 cases[i].registers, END);
        ok(body, 1, 32);
        assert_int_equal(run.counters.gld_bytes, cases[i].bytes);
        assert_int_equal(run.counters.gld_sectors, cases[i].sectors);
        assert_int_equal(run.counters.gst_bytes, cases[i].bytes);
        assert_int_equal(run.counters.gst_sectors, cases[i].sectors);
        done();
    }
}

/* Three lanes of five want the word at %rd0, the other two one in another allocation. */
TEST(lanes_in_two_allocations_are_counted_together) {
    run_open(&run, KERNEL
             "ld.global.u64 %rd5, [%rd0+8];\nand.b32 %r4, %r0, 1;\nsetp.eq.s32 %p1, %r4, 0;\n"
             "selp.b64 %rd6, %rd0, %rd5, %p1;\nsetp.lt.u32 %p2, %r0, 5;\n"
             "@%p2 ld.global.u32 %r5, [%rd6];\n@%p2 st.global.u32 [%rd6], %r0;\n" END);
    struct allocation *other = zeros(64);
    out = zeros(64);
    ((uint64_t *)host(out))[1] = other->address;
    assert_true(run_with(&run, 1, 32, out->address));
    assert_int_equal(run.counters.gld_bytes, 8 + 2 * 4);
    assert_int_equal(run.counters.gld_sectors, 1 + 2);
    assert_int_equal(run.counters.gst_bytes, 2 * 4);
    assert_int_equal(run.counters.gst_sectors, 2);
    memory_free(other->address);
    done();
}

TEST(shared_conflicts_are_counted) {
    ok(".shared .align 4 .b8 s[8192];\n" KERNEL
       "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 7;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r0;\n"
       "ld.shared.u32 %r7, [%r4];\nshl.b32 %r5, %r0, 2;\nadd.u32 %r6, %r4, %r5;\nld.shared.u32 "
       "%r8, [%r6];\n" END,
       1, 32);
    assert_int_equal(run.counters.shared_st_wavefronts, 32);
    assert_int_equal(run.counters.shared_st_conflicts, 31);
    assert_int_equal(run.counters.shared_ld_wavefronts, 2);
    assert_int_equal(run.counters.shared_ld_conflicts, 0);
    done();
}

/* Two groups begin; one is waited for, then the other. */
TEST(shared_loads_beside_copies_are_counted) {
    ok(".shared .align 16 .b8 s[1024];\n" KERNEL
       "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 4;\nadd.u32 %r6, %r4, %r5;\n"
       "ld.shared.u32 %r7, [%r4];\ncp.async.cg.shared.global [%r6], [%rd0], 16;\n"
       "ld.shared.u32 %r7, [%r4+512];\ncp.async.commit_group;\n"
       "cp.async.cg.shared.global [%r6+512], [%rd0], 16;\ncp.async.commit_group;\n"
       "cp.async.wait_group 1;\nld.shared.u32 %r7, [%r4];\n"
       "cp.async.wait_all;\nld.shared.u32 %r7, [%r4];\n" END,
       1, 32);
    assert_int_equal(run.counters.shared_ld_requests, 4);
    assert_int_equal(run.counters.shared_ld_ahead, 2);
    done();
}

/* As on an H200: 512 bytes from `from` on to `to` on, past the L1 or through it. */
TEST(copies_past_the_l1_are_counted_by_where_they_go) {
    static const struct {
        const char *cache;
        int from, to, sectors;
    } cases[] = {{"cg", 0, 0, 16},   {"cg", 0, 16, 20}, {"cg", 0, 32, 16}, {"cg", 16, 0, 20},
                 {"cg", 16, 16, 17}, {"ca", 0, 16, 16}, {"ca", 16, 0, 17}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[96], body[1024] = ".shared .align 128 .b8 s[1024];\n" KERNEL
                                    "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 4;\nadd.u32 %r6, %r4, "
                                    "%r5;\nmul.wide.u32 %rd3, %r0, 16;\n"
                                    "add.s64 %rd3, %rd0, %rd3;\n";
        snprintf(copy, sizeof copy, "cp.async.%s.shared.global [%%r6+%d], [%%rd3+%d], 16;\n" END,
                 cases[i].cache, cases[i].to, cases[i].from);
        strcat(body, copy);
        ok(body, 1, 32);
        assert_int_equal(run.counters.gld_sectors, cases[i].sectors);
        done();
    }
}

/* ---- Atomics ---- */

TEST(atomics_in_a_warp_go_lane_by_lane) {
    ok(".shared .align 4 .b8 s[64];\n" KERNEL
       "atom.global.add.u32 %r4, [%rd0+4096], 2;\natom.global.inc.u32 %r5, "
       "[%rd0+4100], 9;\natom.global.max.s32 %r6, [%rd0+4104], %r0;\n"
       "sub.s32 %r7, 0, %r0;\nred.global.min.s32 [%rd0+4108], %r7;\natom.global.cas.b32 %r8, "
       "[%rd0+4112], %r0, 77;\n"
       "atom.global.exch.b32 %r9, [%rd0+4116], %r0;\nred.global.add.f32 [%rd0+4120], 0f3F000000;\n"
       "st.shared.u32 [s], 0;\nbar.sync 0;\natom.shared.add.u32 %r10, [s], 1;\n"
       "red.shared.add.u32 [s], 1;\nred.global.add.u64 "
       "[%rd0+4128], "
       "4294967297;\n"
       "add.u32 %r4, %r4, %r10;\n" STORE("%r4") END,
       1, 32);
    const uint32_t *r = words() + 1024;
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], 3 * l);
    assert_int_equal(r[0], 64);
    assert_int_equal(r[1], 2);
    assert_int_equal(r[2], 31);
    assert_int_equal((int32_t)r[3], -31);
    assert_int_equal(r[4], 77);
    assert_int_equal(r[5], 31);
    assert_int_equal(r[6], 0x41800000);
    assert_int_equal(r[8], 32);
    assert_int_equal(r[9], 32);
    /* What nobody reads is a reduction, but for exchange and compare-and-swap. */
    assert_int_equal(run.counters.atom_requests, 3);
    assert_int_equal(run.counters.atom_cas_requests, 1);
    assert_int_equal(run.counters.shared_atom_requests, 2);
    assert_int_equal(run.counters.shared_cas_requests, 0);
    assert_int_equal(run.counters.red_requests, 5);
    /* What adds the constant 1 without a result takes one pass for all lanes of a word. */
    assert_int_equal(run.counters.shared_atom_wavefronts, 32 + 1);
    done();
}

TEST(generic_addresses_reach_every_space) {
    ok(".shared .align 4 .b8 s[128];\n.visible .entry k(.param .u64 p)\n{\n.local .align 8 .b8 "
       "a[8];\n.reg .pred "
       "%p<4>;\n.reg .b32 %r<8>;\n"
       ".reg .b64 %rd<16>;\nld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, "
       "4;\nadd.s64 %rd2, "
       "%rd0, %rd1;\n"
       "mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\nadd.s64 %rd4, %rd4, %rd1;\nmov.u64 %rd5, "
       "a;\ncvta.local.u64 "
       "%rd6, %rd5;\n"
       "rem.u32 %r1, %r0, 3;\nsetp.eq.s32 %p1, %r1, 1;\nselp.b64 %rd7, %rd4, %rd6, "
       "%p1;\nsetp.eq.s32 %p2, %r1, 2;\n"
       "selp.b64 %rd7, %rd2, %rd7, %p2;\nadd.u32 %r2, %r0, 50;\nst.u32 [%rd7], %r2;\nld.u32 %r3, "
       "[%rd7];\nst.global.u32 [%rd2], %r3;\n"
       "isspacep.shared %p3, %rd7;\n@%p3 st.global.u32 [%rd2], 9;\nret;\n}\n",
       1, 32);
    for (uint32_t l = 0; l < 32; l++) assert_int_equal(words()[l], l % 3 == 1 ? 9 : l + 50);
    done();
}
