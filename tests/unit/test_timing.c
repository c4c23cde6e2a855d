/* Tests of the time model with kernels whose time can be worked out by hand, on the H200's row of
 * the GPU table: it repeats itself, and each part of the multiprocessor governs where it should. */
#include "kernel.h"

#include "simt/device/gpu.h"
#include "simt/machine/trace.h"
#include "simt/machine/uops.h"
#include "simt/time/timing.h"

#define MOST_TEXT (1 << 19)
#define BUFFER    (64u << 20) /* bytes that the kernels work on */
#define CODE      1000        /* bytes, as if there were machine code */
#define CODE_READ 1024        /* the same in whole units */

static const struct gpu *h200(void) {
    char error[256];
    const struct gpu *found = gpu_find("h200", error, sizeof error);
    assert_non_null(found);
    return found;
}

/* A kernel of times repetitions of a line between a head and an end. */
static char *repeat(const char *head, const char *line, int times) {
    char *text = malloc(MOST_TEXT);
    size_t used = (size_t)snprintf(text, MOST_TEXT, "%s", head);
    for (int i = 0; i < times; i++)
        used += (size_t)snprintf(text + used, MOST_TEXT - used, "%s", line);
    assert_true(used + sizeof END < MOST_TEXT);
    strcat(text, END);
    return text;
}

static uint32_t removed; /* from the next launch (time/without.h) */

/* Run a kernel and model its time; frees the text. */
static struct timing model_on(const struct gpu *gpu, char *text, uint32_t grid, uint32_t block,
                              unsigned threads) {
    struct allocation *memory = zeros(BUFFER);
    struct trace trace;
    struct timing timing;
    struct run run;
    run_open(&run, text);
    struct launch_shape shape = {.grid = {grid, 1, 1}, .block = {block, 1, 1}};
    trace_open(&trace, &shape);
    run.launch.trace = &trace;
    run.launch.threads = threads;
    if (!run_with(&run, grid, block, memory->address)) fail_msg("%s", run.fault.report);
    trace_finish(&trace);
    struct launch launch = {.shape = shape,
                            .code_bytes = CODE,
                            .counters = run.counters,
                            .kernel = run.kernel,
                            .trace = &trace,
                            .removed = removed};
    struct occupancy_kernel needs = {16, kernel_static_shared(run.kernel), 1024, 49152, -1};
    assert_true(occupancy_find(gpu, &needs, (int)block, 0, &launch.occupancy));
    timing_kernel(gpu, &launch, &timing);
    trace_close(&trace);
    run_close(&run);
    memory_free(memory->address);
    free(text);
    return timing;
}

static struct timing model(char *text, uint32_t grid, uint32_t block) {
    return model_on(h200(), text, grid, block, 1);
}

static double cycles(struct timing t) {
    return t.elapsed_cycles - h200()->kernel_ns * 1e-3 * h200()->clock_mhz;
}

static void assert_near(double value, double expected, double tolerance) {
    if (!(value >= expected * (1 - tolerance) && value <= expected * (1 + tolerance)))
        fail_msg("%g is not within %g %% of %g", value, 100 * tolerance, expected);
}

/* ---- One warp ---- */

TEST(dependent_instructions_wait_for_each_other) {
    const char *add = "add.u32 %r4, %r4, %r0;\n";
    struct timing few = model(repeat(KERNEL, add, 100), 1, 32),
                  many = model(repeat(KERNEL, add, 300), 1, 32);
    assert_near(cycles(many) - cycles(few), 200 * h200()->alu_latency_cycles, 0.01);
    assert_true(many.stall_wait > few.stall_wait);
}

TEST(independent_instructions_follow_as_the_pipe_takes_them) {
    const char *adds =
        "add.f32 %f1, %f0, %f0;\nadd.f32 %f2, %f0, %f0;\nadd.f32 %f3, %f0, %f0;\nadd.f32 %f4, %f0, "
        "%f0;\nadd.f32 %f5, %f0, %f0;\n";
    struct timing few = model(repeat(KERNEL, adds, 20), 1, 32),
                  many = model(repeat(KERNEL, adds, 120), 1, 32);
    assert_near(cycles(many) - cycles(few), 500, 0.01);
}

/* As ptxas does, a chain's instructions fill the cycles in which the other one's results are on
 * their way. */
TEST(chains_fill_each_other_s_waits) {
    const char *adds = "add.u32 %r4, %r4, %r0;\nadd.u32 %r4, %r4, %r0;\nadd.u32 %r4, %r4, %r0;\n"
                       "add.u32 %r5, %r5, %r0;\nadd.u32 %r5, %r5, %r0;\nadd.u32 %r5, %r5, %r0;\n";
    struct timing few = model(repeat(KERNEL, adds, 10), 1, 32),
                  many = model(repeat(KERNEL, adds, 40), 1, 32);
    assert_near(cycles(many) - cycles(few), 90 * h200()->alu_latency_cycles, 0.01);
}

/* Cycles of so many loads, each of another line, whose values are added up after the last one. */
static double load_cycles(int loads) {
    char line[128], *text = malloc(MOST_TEXT);
    strcpy(text, KERNEL ".reg .b32 %v<64>;\n");
    for (int i = 0; i < 2 * loads; i++) {
        bool first = i < loads;
        snprintf(line, sizeof line,
                 first ? "ld.global.u32 %%v%d, [%%rd0+%d];\n" : "add.u32 %%r4, %%r4, %%v%d;\n",
                 first ? i : i - loads, 4096 * i);
        strcat(text, line);
    }
    return cycles(model(strcat(text, END), 1, 32));
}

/* Loads are under way together, if there are registers for their values. */
TEST(a_thread_s_registers_hold_what_it_loads) {
    double few = load_cycles(8), full = load_cycles(24), more = load_cycles(48);
    assert_true(full - few < h200()->l2_latency_cycles);
    assert_true(more - full > h200()->l2_latency_cycles);
}

/* A call waits for what the caller has loaded, even where the function does not ask for it. */
TEST(a_call_waits_for_loads) {
    const char *head = ".func f\n{\nret;\n}\n" KERNEL, *call = "call f;\n",
               *loads = ".func f\n{\nret;\n}\n" KERNEL "ld.global.u32 %r4, [%rd0];\n";
    double waits =
        cycles(model(repeat(loads, call, 1), 1, 32)) - cycles(model(repeat(head, call, 1), 1, 32));
    assert_true(waits > h200()->l2_latency_cycles);
}

/* Each block waits for its neighbour, the one before or the next, which the interpreter runs before
 * or after it, and looks at memory until then: alone, or with all threads at a barrier. */
#define WAITING(first, neighbour, barrier)                                                         \
    KERNEL                                                                                         \
    "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd3, %rd0;\nsetp.eq.u32 %p0, %r1, " first          \
    ";\n@%p0 bra DONE;\nLOOK:\nld.volatile.global.u32 %r4, [%rd3+" neighbour "];\n" barrier        \
    "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOK;\nDONE:\nst.volatile.global.u32 [%rd3], 1;\n" END

TEST(how_often_a_waiting_block_looks_takes_no_time) {
    double after = cycles(model(strdup(WAITING("0", "-4", "")), 8, 64)),
           before = cycles(model(strdup(WAITING("7", "4", "")), 8, 64)),
           at_barriers = cycles(model(strdup(WAITING("7", "4", "bar.sync 0;\n")), 8, 64));
    assert_near(before, after, 0.6);
    assert_near(at_barriers, after, 0.9);
}

/* All threads try to put what they make of a word in its place, until each has. */
#define SWAPPING(makes)                                                                            \
    KERNEL "ld.global.u32 %r4, [%rd0];\nTRY:\n" makes " %r5, %r4, 1;\n"                            \
           "atom.global.cas.b32 %r6, [%rd0], %r4, %r5;\nsetp.ne.u32 %p1, %r6, %r4;\n"              \
           "mov.u32 %r4, %r6;\n@%p1 bra TRY;\n" END

TEST(one_thread_after_the_other_swaps_a_word) {
    double warp = cycles(model(strdup(SWAPPING("add.u32")), 1, 32)),
           block = cycles(model(strdup(SWAPPING("add.u32")), 1, 256)),
           blocks = cycles(model(strdup(SWAPPING("add.u32")), 8, 32)),
           largest = cycles(model(strdup(SWAPPING("max.u32")), 1, 256)),
           once = cycles(model(repeat(KERNEL "add.u32 %r5, %r0, 1;\n",
                                      "atom.global.cas.b32 %r6, [%rd0], %r0, %r5;\n", 1),
                               8, 256));
    assert_near(block, 8 * warp, 0.15);
    assert_near(blocks, 8 * warp, 0.15);
    assert_true(largest < warp && once < warp);
}

/* A thread puts its value into a word of zeros, unless the word is `better`. */
#define SELECTING(better)                                                                          \
    KERNEL "mad.lo.u32 %r5, %r1, 256, %r0;\nadd.u32 %r5, %r5, 1;\n"                                \
           "ld.volatile.global.u32 %r4, [%rd0];\nTRY:\nsetp." better ";\n"                         \
           "@%p0 bra DONE;\natom.global.cas.b32 %r6, [%rd0], %r4, %r5;\n"                          \
           "setp.ne.u32 %p1, %r6, %r4;\nmov.u32 %r4, %r6;\n@%p1 bra TRY;\nDONE:\n" END

/* All threads have loaded the word before the first of them swaps it, and try. Where values rise by
 * thread, an H200 takes up to ten times as long. */
TEST(all_threads_try_to_select_a_value) {
    const char *swap = "atom.global.cas.b32 %r6, [%rd0], %r0, %r5;\n";
    double once = cycles(model(repeat(KERNEL, swap, 1), 64, 256)),
           none = cycles(model(strdup(SELECTING("le.u32 %p0, %r4, %r5")), 64, 256)),
           first = cycles(model(strdup(SELECTING("ne.u32 %p0, %r4, 0")), 64, 256)),
           rising = cycles(model(strdup(SELECTING("ge.u32 %p0, %r4, %r5")), 64, 256));
    assert_true(none < 0.2 * once);
    assert_near(first, once, 0.15);
    assert_true(rising > 2 * once && rising < 10 * once);
}

/* The L2 compares a word as fast as it exchanges it. */
TEST(a_comparison_of_one_word_takes_as_long_as_an_exchange) {
    const char *exchange = "atom.global.exch.b32 %r6, [%rd0], %r0;\n",
               *compare = "atom.global.cas.b32 %r6, [%rd0], %r0, %r5;\n";
    assert_near(cycles(model(repeat(KERNEL, compare, 8), 8, 256)),
                cycles(model(repeat(KERNEL, exchange, 8), 8, 256)), 0.02);
}

/* A chain of loads from one place: the first comes from memory, the others from the L1. */
TEST(loads_wait_for_the_level_they_come_from) {
    const char *load = "ld.global.u64 %rd5, [%rd5];\nadd.s64 %rd5, %rd5, %rd0;\n";
    char *head = strdup(KERNEL "mov.u64 %rd5, %rd0;\n");
    struct timing few = model(repeat(head, load, 10), 1, 32),
                  many = model(repeat(head, load, 40), 1, 32);
    free(head);
    double step = (cycles(many) - cycles(few)) / 30, adds = 2 * h200()->alu_latency_cycles;
    assert_true(step >= h200()->l1_latency_cycles && step <= h200()->l1_latency_cycles + adds);
    assert_true(cycles(few) > h200()->dram_latency_cycles);
    assert_true(many.stall_long_scoreboard > 60);
    assert_near(few.dram_read_bytes, 64 + CODE_READ + h200()->kernel_read_bytes,
                0.001); /* two sectors at once */
}

/* The same past the L1: each load takes the way to the L2. */
TEST(some_loads_pass_by_the_l1) {
    static const char *const kinds[] = {"cg", "cv", "volatile", "relaxed.gpu"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool first =
            kinds[i][0] == 'v' || kinds[i][0] == 'r'; /* .volatile.global, but .global.cg */
        char load[128], *head = strdup(KERNEL "mov.u64 %rd5, %rd0;\n");
        snprintf(load, sizeof load, "ld.%s.%s.u64 %%rd5, [%%rd5];\nadd.s64 %%rd5, %%rd5, %%rd0;\n",
                 first ? kinds[i] : "global", first ? "global" : kinds[i]);
        struct timing few = model(repeat(head, load, 10), 1, 32),
                      many = model(repeat(head, load, 40), 1, 32);
        free(head);
        assert_near((cycles(many) - cycles(few)) / 30, h200()->l2_latency_cycles, 0.05);
        assert_true(many.l1_hit_rate == 0);
    }
}

/* ---- Many warps ---- */

/* All multiprocessors load one sector past the L1: a slice of the L2 gives it once a cycle, the one
 * of each half. */
TEST(one_line_of_the_l2_is_a_bottleneck) {
    const struct gpu *gpu = h200();
    const char *load = "ld.global.cg.u32 %r4, [%rd0];\nadd.u32 %r5, %r5, %r4;\n";
    struct timing few = model(repeat(KERNEL, load, 10), (uint32_t)gpu->sms, 1024),
                  many = model(repeat(KERNEL, load, 30), (uint32_t)gpu->sms, 1024);
    assert_near(cycles(many) - cycles(few), 20.0 * 32 * gpu->sms / gpu->l2_parts, 0.05);
}

#define SHARED_LOADS(shift)                                                                        \
    ".shared .align 4 .b8 s[8192];\n" KERNEL                                                       \
    "mov.u32 %r4, s;\nand.b32 %r5, %r0, 31;\nshl.b32 %r5, %r5, " shift                             \
    ";\nadd.u32 %r6, %r4, %r5;\n"

static char *shared_loads(const char *head, int times) {
    return repeat(head, "ld.shared.u32 %r7, [%r6];\n", times);
}

/* 32 warps load 100 times each; every pass over the banks takes a cycle, and there is one pipe. */
TEST(bank_conflicts_take_a_cycle_a_pass) {
    struct timing free_of = model(shared_loads(SHARED_LOADS("2"), 100), 1, 1024),
                  conflicting = model(shared_loads(SHARED_LOADS("7"), 100), 1, 1024);
    assert_near(cycles(conflicting) - cycles(free_of), 31 * 32 * 100, 0.01);
}

/* All warps have the same loads of two passes each, so that none ends before the others. */
TEST(schedulers_take_turns_at_the_load_store_unit) {
    assert_near(model(shared_loads(SHARED_LOADS("3"), 400), 1, 1024).achieved_occupancy, 0.5, 0.03);
}

/* A warp on each scheduler. Loads of 32 passes fit into the queue, or do not. */
TEST(the_load_store_unit_queues_instructions) {
    struct timing fits = model(shared_loads(SHARED_LOADS("7"), 15), 1, 128),
                  waits = model(shared_loads(SHARED_LOADS("7"), 60), 1, 128);
    assert_true(fits.stall_throttle < 1);
    assert_true(waits.stall_throttle > 50);
}

#define HALF_LINES                                                                                 \
    "and.b32 %r4, %r0, 15;\nshr.u32 %r5, %r0, 4;\nshl.b32 %r5, %r5, 5;\nand.b32 %r6, %r1, 1;\n"    \
    "shl.b32 %r6, %r6, 4;\nshr.u32 %r7, %r1, 1;\nshl.b32 %r7, %r7, 9;\nadd.u32 %r4, %r4, %r5;\n"   \
    "add.u32 %r4, %r4, %r6;\nadd.u32 %r4, %r4, %r7;\nmul.wide.u32 %rd2, %r4, 4;\n"                 \
    "add.s64 %rd1, %rd0, %rd2;\n"

/* Blocks of 256 threads change 64 MB in place: whole lines, or two blocks halves of the same lines.
 * Two arrays of 64 MB that change places take an H200 78 and 94 us, two of 256 MB 297 and 492. */
TEST(blocks_that_change_parts_of_a_line_are_slower) {
    const char *change = "ld.global.u32 %r8, [%rd1];\nadd.u32 %r8, %r8, 1;\n" STORE("%r8");
    double whole = cycles(model(repeat(KERNEL, change, 1), 65536, 256)),
           halves = cycles(model(repeat(KERNEL HALF_LINES, change, 1), 65536, 256));
    assert_near(halves / whole, 1.35, 0.1);
}

/* Every thread copies 16 bytes. What is written may stay in the L2, what is read cannot come from
 * there. */
TEST(a_copy_is_bound_by_memory) {
    const struct gpu *gpu = h200();
    uint64_t bytes = BUFFER / 2;
    struct timing copy = model(
        strdup(KERNEL
               "mad.wide.u32 %rd1, %r3, 16, %rd0;\nld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd1];\n"
               "st.global.v4.u32 [%rd1+33554432], {%r4,%r5,%r6,%r7};\n" END),
        (uint32_t)(bytes / 16 / 256), 256);
    double read = (double)bytes / (gpu->dram_gbs * gpu->dram_read_share);
    assert_near(copy.dram_read_bytes, (double)bytes, 0.001);
    assert_true(copy.time_ns - gpu->kernel_ns > read);
    assert_true((copy.dram_read_bytes + copy.dram_write_bytes) / copy.time_ns <
                gpu->dram_gbs); /* the rest stays in the L2 */
    assert_true(copy.achieved_occupancy > 0 && copy.achieved_occupancy <= 1);
}

/* A warp's lanes have one value, or 32. */
TEST(a_match_takes_a_pass_for_each_value) {
    const char *match = "match.any.sync.b32 %r5, %r4, -1;\nadd.u32 %r4, %r4, %r5;\n";
    struct timing one = model(repeat(KERNEL "mov.u32 %r4, 0;\n", match, 50), 1, 1024),
                  all = model(repeat(KERNEL "mov.u32 %r4, %r0;\n", match, 50), 1, 1024);
    assert_near((cycles(all) - cycles(one)) / 50, 31 * 2.0 * 32, 0.1);
}

/* Warp 0 works long; the other seven wait for it at the barrier. */
TEST(warps_wait_at_barriers) {
    const char *add = "add.u32 %r4, %r4, %r0;\n";
    char *work = repeat(KERNEL "setp.gt.u32 %p0, %r0, 31;\n@%p0 bra L;\n", add, 400);
    char *text = malloc(MOST_TEXT);
    snprintf(text, MOST_TEXT, "%.*sL:\nbar.sync 0;\n%s", (int)(strlen(work) - strlen(END)), work,
             END);
    free(work);
    struct timing t = model(text, 1, 256);
    assert_true(t.stall_barrier > 60 && t.stall_barrier < 90);
    assert_true(cycles(t) > 400 * h200()->alu_latency_cycles);
}

/* A grid one block larger than what fits at once takes a second round, for which almost all
 * multiprocessors are idle.
 */
TEST(the_last_wave_counts) {
    const char *add = "add.f32 %f1, %f1, %f0;\n";
    uint32_t fits = 2 * (uint32_t)h200()->sms;
    struct timing one = model(repeat(KERNEL, add, 400), fits, 1024);
    struct timing two = model(repeat(KERNEL, add, 400), fits + 1, 1024);
    assert_true(cycles(two) > 1.4 * cycles(one) && cycles(two) < 2.2 * cycles(one));
    assert_true(two.active_cycles < 0.75 * two.elapsed_cycles);
}

/* Two blocks that need the schedulers all the time: the first is done in half of it, so that on
 * average there are one and a half. Alone, a block's warps take turns and end together. */
TEST(the_oldest_block_goes_first) {
    const char *add = "add.f32 %f1, %f1, %f0;\n";
    uint32_t sms = (uint32_t)h200()->sms;
    assert_near(model(repeat(KERNEL, add, 400), sms, 1024).achieved_occupancy, 0.5, 0.05);
    assert_near(model(repeat(KERNEL, add, 400), 2 * sms, 1024).achieved_occupancy, 0.75, 0.1);
}

/* Of four blocks that wait for their first instruction, each is there nearly all the time. */
TEST(the_first_blocks_come_at_once) {
    struct timing t = model(strdup(KERNEL END), 4 * (uint32_t)h200()->sms, 256);
    assert_near(t.achieved_occupancy, 0.5, 0.1);
    assert_true(cycles(t) > 4 * h200()->sms * h200()->block_dispatch_cycles);
}

/* Before its warps begin and after their end a multiprocessor is not active. */
TEST(only_cycles_with_warps_count) {
    struct timing t = model(repeat(KERNEL, "add.u32 %r4, %r4, %r0;\n", 100), 1, 256);
    assert_near(t.achieved_occupancy, 8.0 / 64, 0.05);
}

/* A block's warps have their places before its first instruction: no round is shorter than what
 * follows from that. */
TEST(warps_have_places_before_their_first_instruction) {
    struct gpu without = *h200();
    char *const text = KERNEL "add.u32 %r4, %r4, %r0;\n" END;
    const uint32_t grid = 40000, threads = 256, warps = threads / WARP_SIZE;
    without.block_ready_cycles = 0;
    struct timing with = model(strdup(text), grid, threads),
                  less = model_on(&without, strdup(text), grid, threads, 1);
    double places = h200()->threads_per_sm / WARP_SIZE, blocks = (double)grid / h200()->sms;
    double more = (with.achieved_occupancy * with.active_cycles -
                   less.achieved_occupancy * less.active_cycles) *
                  places;
    assert_near(more / (blocks * warps), h200()->block_ready_cycles, 0.05);
    assert_near(with.time_ns, less.time_ns, 0.001);
}

/* Every block loads the same data, one line after another. Those that began together all wait for
 * the DRAM. */
TEST(blocks_wait_together_for_what_they_share) {
    const char *load = "ld.global.u32 %r4, [%rd0+65536];\nadd.u64 %rd0, %rd0, 4096;\nadd.u32 %r5, "
                       "%r5, %r4;\nmul.wide.u32 "
                       "%rd1, %r5, 0;\nadd.u64 %rd0, %rd0, %rd1;\n";
    uint32_t sms = (uint32_t)h200()->sms;
    struct timing few = model(repeat(KERNEL, load, 10), sms, 32),
                  many = model(repeat(KERNEL, load, 40), sms, 32);
    /* chains of loads by 132 blocks on an H200: 560 cycles each, 680 by one, 300 from the L2 */
    assert_near((cycles(many) - cycles(few)) / 30, 560, 0.15);
    assert_near(many.dram_read_bytes - few.dram_read_bytes, 30 * 2 * SECTOR_BYTES, 0.01);
}

/* Nobody waits for what the L2 says to a store. */
TEST(a_store_is_done_when_it_is_sent) {
    struct timing t = model(strdup(KERNEL STORE("%r0") END), 1, 32),
                  none = model(strdup(KERNEL END), 1, 32);
    assert_true(cycles(t) - cycles(none) < h200()->l2_latency_cycles / 2.0);
    assert_true(t.stall_drain < 5);
}

/* Every lane loads a line of its own: 64 warps, as many lines as the L1 has. They wait for them,
 * not for a place. */
TEST(loads_on_the_way_take_lines_of_the_l1) {
    const char *load =
        "mad.wide.u32 %rd1, %r3, 128, %rd0;\nld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r5, %r4;\n";
    struct timing once = model(repeat(KERNEL, load, 1), 2 * (uint32_t)h200()->sms, 1024);
    assert_true(once.stall_long_scoreboard > 10 * once.stall_throttle);
    const char *more = "mad.wide.u32 %rd1, %r3, 128, %rd0;\nld.global.u32 %r4, "
                       "[%rd1];\nld.global.u32 %r6, [%rd1+64];\n"
                       "ld.global.u32 %r7, [%rd1+32];\nld.global.u32 %r5, [%rd1+96];\n";
    struct timing often = model(repeat(KERNEL, more, 1), 2 * (uint32_t)h200()->sms, 1024);
    assert_true(often.stall_throttle > 2 * once.stall_throttle);
}

/* What a launch by a kernel reads is in the L2, as the L2 is not emptied for it. */
TEST(only_the_host_s_launches_read_their_code) {
    struct run run;
    struct trace trace;
    struct timing host, nested;
    run_open(&run, KERNEL END);
    struct launch_shape shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    trace_open(&trace, &shape);
    struct launch launch = {
        .shape = shape, .code_bytes = CODE, .kernel = run.kernel, .trace = &trace};
    timing_kernel(h200(), &launch, &host);
    launch.depth = 1;
    timing_kernel(h200(), &launch, &nested);
    assert_near(host.dram_read_bytes, CODE_READ + h200()->kernel_read_bytes, 0);
    assert_near(nested.dram_read_bytes, 0, 0);
    trace_close(&trace);
    run_close(&run);
}

/* Blocks that do next to nothing leave the dispatcher one by one. */
TEST(the_dispatcher_bounds_short_blocks) {
    struct timing t = model(strdup(KERNEL END), 100000, 32);
    assert_near(cycles(t), 100000 * h200()->block_dispatch_cycles, 0.05);
    assert_true(t.achieved_occupancy < 0.5);
}

/* Warps that end early leave their places empty until the block ends. */
TEST(warps_that_end_early_lower_the_occupancy) {
    char *work =
        repeat(KERNEL "setp.gt.u32 %p0, %r0, 31;\n@%p0 bra L;\n", "add.u32 %r4, %r4, %r0;\n", 400);
    char *text = malloc(MOST_TEXT);
    snprintf(text, MOST_TEXT, "%.*sL:\n%s", (int)(strlen(work) - strlen(END)), work, END);
    free(work);
    struct timing t = model(text, 2048, 1024);
    assert_true(t.achieved_occupancy < 0.3);
}

/* Of eight blocks of a multiprocessor the first ones work. */
TEST(idle_blocks_stand_beside_those_that_work) {
    for (uint32_t working = 1; working <= 8; working *= 2) {
        char head[2048];
        uint32_t sms = (uint32_t)h200()->sms;
        snprintf(head, sizeof head, "%ssetp.ge.u32 %%p0, %%r1, %u;\n@%%p0 ret;\n", KERNEL,
                 working * sms);
        const char *work = "add.u32 %r4, %r4, %r0;\n";
        struct timing alone = model(repeat(head, work, 1500), working * sms, 1024),
                      beside = model(repeat(head, work, 1500), 8 * sms, 1024);
        assert_near(cycles(beside), cycles(alone), 0.15);
    }
}

/* Where one multiprocessor more has two blocks, its atomics still wait for few others'. */
TEST(a_few_blocks_more_ask_little_more_of_the_l2) {
    uint32_t sms = (uint32_t)h200()->sms;
    char *swaps = repeat(KERNEL, "atom.global.exch.b32 %r4, [%rd0], %r0;\n", 50);
    struct timing even = model(strdup(swaps), sms, 256), more = model(swaps, sms + 8, 256);
    assert_near(cycles(more), cycles(even) * (1 + 8.0 / sms), 0.05);
}

/* Stores to local memory whose 32 sectors lie in 8 lines, or in 32. */
TEST(lines_of_local_memory_take_their_time) {
    struct timing t[2];
    for (int apart = 0; apart < 2; apart++) {
        char head[2048];
        snprintf(head, sizeof head,
                 "%s.local .align 4 .b8 a[256];\nand.b32 %%r4, %%r0, %d;\nmov.u64 %%rd5, a;\n"
                 "mul.wide.u32 %%rd6, %%r4, 4;\nadd.s64 %%rd5, %%rd5, %%rd6;\n",
                 KERNEL, apart ? 31 : 7);
        t[apart] =
            model(repeat(head, "st.local.u32 [%rd5], %r0;\n", 200), (uint32_t)h200()->sms, 256);
    }
    assert_near(cycles(t[1]) / cycles(t[0]), 147 / 106.0, 0.1); /* measure/spaces.cu, on an H200 */
}

/* Blocks that load the same in another order, even by one load, find what others had fetched. */
TEST(blocks_wait_for_what_they_load_at_one_time) {
    struct timing t[2];
    for (int apart = 0; apart < 2; apart++) {
        char head[2048];
        snprintf(head, sizeof head,
                 "%sand.b32 %%r8, %s, 1;\nmov.u32 %%r5, 0;\nmul.wide.u32 %%rd6, %%r0, 512;\n"
                 "add.s64 %%rd5, %%rd0, %%rd6;\n",
                 KERNEL, apart ? "%r1" : "0");
        const char *load = "xor.b32 %r6, %r5, %r8;\nmul.wide.u32 %rd6, %r6, 64;\n"
                           "add.s64 %rd7, %rd5, %rd6;\nld.global.u32 %r7, [%rd7];\n"
                           "add.u32 %r5, %r5, %r7;\nadd.u32 %r5, %r5, 1;\n";
        t[apart] = model(repeat(head, load, 8), 8, 32);
    }
    double more = h200()->dram_latency_cycles - h200()->l2_latency_cycles;
    assert_true(cycles(t[0]) - cycles(t[1]) > 3 * more);
}

/* Eight warps that add to floats in shared memory: to a word of each, or to one. */
TEST(warps_wait_for_additions_to_the_same_word) {
    struct timing t[2];
    for (int one = 0; one < 2; one++) {
        char head[2048];
        snprintf(head, sizeof head,
                 "%s.shared .align 4 .b8 s[1024];\nshr.u32 %%r4, %%r0, %d;\nmov.u64 %%rd5, s;\n"
                 "mul.wide.u32 %%rd6, %%r4, 4;\nadd.s64 %%rd5, %%rd5, %%rd6;\n",
                 KERNEL, one ? 8 : 5);
        t[one] = model(repeat(head, "atom.shared.add.f32 %f0, [%rd5], %f0;\n", 50), 1, 256);
    }
    assert_near(cycles(t[1]) / cycles(t[0]), 8, 0.2);
}

/* For 16 additions of each thread to one double an H200 takes 107 us with four warps, and 115 with
 * eight. */
TEST(few_warps_add_slowly_to_one_word) {
    const char *add = "atom.shared.add.f64 %fd0, [s], %fd0;\n",
               *head = KERNEL ".shared .align 8 .b8 s[1024];\n.reg .f64 %fd<1>;\n"
                              "mov.f64 %fd0, 0d3FF0000000000000;\n";
    double four = cycles(model(repeat(head, add, 20), 1, 128)),
           eight = cycles(model(repeat(head, add, 20), 1, 256));
    assert_near(eight, four, 0.15);
}

/* A loop of so many times four products, eight times. */
static char *long_loop(int times) {
    char *text =
        repeat(KERNEL "mov.u32 %r4, 0;\nL:\nadd.u32 %r4, %r4, 1;\nsetp.gt.u32 %p1, %r4, 8;\n"
                      "@%p1 bra OUT;\n",
               "mul.f32 %f0,%f0,%f4;mul.f32 %f1,%f1,%f4;mul.f32 %f2,%f2,%f4;mul.f32 %f3,%f3,%f4;\n",
               times);
    strcpy(text + strlen(text) - strlen(END), "bra L;\nOUT:\n" END);
    return text;
}

/* A warp's instructions take 1, 2.4 and 5.9 cycles on an H200: of 28, 64 and 256 KB. */
TEST(long_loops_wait_for_their_code) {
    double one = cycles(model(long_loop(448), 132, 32)) / 448;
    assert_near(cycles(model(long_loop(1024), 132, 32)) / 1024 / one, 2.3, 0.2);
    assert_near(cycles(model(long_loop(4096), 132, 32)) / 4096 / one, 5.4, 0.2);
}

/* Each warp to a line of its own, or all blocks to the same eight. */
TEST(the_l2_s_fullest_slice_bounds_stores) {
    double few = cycles(model(
        repeat(KERNEL "mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd1, %rd0, %rd2;\n", STORE("%r0"), 1),
        4096, 256));
    double many = cycles(model(repeat(KERNEL, STORE("%r0"), 1), 4096, 256));
    assert_near(few / many, 4.5, 0.3); /* on an H200 */
}

/* All threads on one word: ptxas combines them, but not where each wants what it found. */
TEST(a_warp_s_atomics_are_combined) {
    static const char *const forms[] = {
        "red.global.or.b32 [%rd0], %r0;\n", "atom.global.add.u32 %r4, [%rd0], %r0;\n",
        "atom.global.or.b32 %r4, [%rd0], %r4;\n", "red.global.add.u64 [%rd0], %rd1;\n"};
    double t[4];
    for (int i = 0; i < 4; i++) t[i] = cycles(model(repeat(KERNEL, forms[i], 50), 132, 256));
    for (int i = 2; i < 4; i++) assert_true(t[i] > 4 * t[0] && t[i] > 4 * t[1]);
}

/* Lane 0 of 4224 blocks adds to one word: us on an H200, of integers and of floats, without the
 * 0.544 of an empty kernel. */
TEST(blocks_that_add_to_one_word_take_turns_while_others_begin) {
    static const char *const types[] = {"u64 [%rd0], %rd2", "f32 [%rd0], %f0"};
    static const double us[] = {3.104, 7.296};
    for (int i = 0; i < 2; i++) {
        char head[2048];
        snprintf(head, sizeof head,
                 "%ssetp.ne.u32 %%p0, %%r0, 0;\n@%%p0 ret;\n"
                 "red.global.add.%s;\n",
                 KERNEL, types[i]);
        assert_near(cycles(model(repeat(head, "", 1), 4224, 32)), us[i] * h200()->clock_mhz, 0.1);
    }
}

TEST(stalls_and_issues_make_up_the_time) {
    struct timing t = model(
        repeat(KERNEL, "ld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r5, %r4;\nbar.sync 0;\n", 4), 64,
        256);
    double stalls = t.stall_barrier + t.stall_membar + t.stall_long_scoreboard +
                    t.stall_short_scoreboard + t.stall_wait + t.stall_branch + t.stall_drain +
                    t.stall_throttle + t.stall_not_selected;
    assert_true(stalls > 80 && stalls <= 100.001);
}

/* ---- The whole ---- */

TEST(the_threads_of_the_host_do_not_matter) {
    const char *line = "ld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r5, %r4;\n";
    struct timing one = model_on(h200(), repeat(KERNEL, line, 50), 3000, 128, 1);
    struct timing two = model_on(h200(), repeat(KERNEL, line, 50), 3000, 128, 2);
    assert_memory_equal(&one, &two, sizeof one);
}

/* Traced blocks first, then the others: each block once. */
TEST(every_block_has_a_turn) {
    static const uint32_t grids[] = {1, 7, 64, 65, 130, 1000, 4096};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        struct launch_shape shape = {.grid = {grids[g], 1, 1}, .block = {256, 1, 1}};
        bool seen[4096] = {false};
        struct trace trace;
        trace_open(&trace, &shape);
        for (uint32_t turn = 0; turn < grids[g]; turn++) {
            uint64_t index = trace_turn(&trace, turn);
            assert_true(index < grids[g] && !seen[index]);
            assert_true((trace_block(&trace, index) != NULL) == (turn < trace.n));
            seen[index] = true;
        }
        trace_close(&trace);
    }
}

static int early_calls;

static void note_traced(struct launch *launch, const struct counters *footprint) {
    early_calls++;
    assert_int_equal(launch->trace->left, 0);
    assert_int_equal(footprint->footprint_write_sectors, 3000 * 128 / 8);
}

/* A grid on several host threads tells when its traced blocks have ended, and what it will have
 * touched. */
TEST(the_replay_may_begin_while_the_grid_runs) {
    const char *loop = KERNEL
        "mov.u32 %r4, 0;\nL:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, 40;\n@%p0 bra L;\n";
    const struct launch_shape shape = {.grid = {3000, 1, 1}, .block = {128, 1, 1}};
    struct allocation *memory = zeros(BUFFER);
    char *text = repeat(loop, STORE("%r4"), 1);
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct trace trace;
        struct run run;
        early_calls = 0;
        run_open(&run, text);
        trace_open(&trace, &shape);
        run.launch.trace = &trace;
        run.launch.threads = threads;
        run.launch.traced = note_traced;
        assert_true(run_with(&run, 3000, 128, memory->address));
        assert_int_equal(early_calls, threads - 1);
        trace_close(&trace);
        run_close(&run);
    }
    memory_free(memory->address);
    free(text);
}

/* What was replayed with the launch's traffic serves; with another it does not. */
TEST(a_replay_before_the_end_does_not_matter) {
    struct trace trace;
    struct run run;
    struct timing after, other, with;
    struct counters expected;
    struct allocation *memory = zeros(BUFFER);
    char *text = repeat(KERNEL, "ld.global.u32 %r4, [%rd1];\nadd.u32 %r5, %r5, %r4;\n", 50);
    run_open(&run, text);
    struct launch_shape shape = {.grid = {3000, 1, 1}, .block = {128, 1, 1}};
    trace_open(&trace, &shape);
    run.launch.trace = &trace;
    assert_true(run_with(&run, 3000, 128, memory->address));
    trace_finish(&trace);
    struct launch launch = {.shape = shape,
                            .code_bytes = CODE,
                            .counters = run.counters,
                            .kernel = run.kernel,
                            .trace = &trace};
    launch.occupancy.blocks_per_sm = 16;
    timing_kernel(h200(), &launch, &after);
    expected = run.counters;
    for (int i = 0; i < 2; i++) {
        launch.counters = expected;
        launch.replayed = NULL;
        timing_kernel(h200(), &launch, &other);
        assert_true((other.time_ns == after.time_ns) == (i == 0));
        launch.replayed = timing_replay(h200(), &launch);
        launch.counters = run.counters;
        timing_kernel(h200(), &launch, &with);
        assert_memory_equal(&with, &after, sizeof with);
        free(launch.replayed);
        expected.footprint_read_sectors /= 4;
        expected.footprint_fetched_sectors /= 2;
    }
    trace_close(&trace);
    run_close(&run);
    memory_free(memory->address);
    free(text);
}

TEST(small_grids_leave_room) {
    assert_true(model(strdup(KERNEL END), 1, 256).rounds < 0.01);
    assert_true(model(strdup(KERNEL END), 4096, 1024).rounds > 1);
}

/* A trace that is cut off, and one without a block, still give a time. */
TEST(long_warps_are_cut_off) {
    const char *loop = KERNEL
        "mov.u32 %r4, 0;\nL:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, 20000;\n@%p0 bra L;\n";
    struct timing t = model(repeat(loop, "", 0), 1, 32);
    assert_true(cycles(t) > 3 * 20000 && cycles(t) < 30 * 20000);
}

TEST(every_gpu_has_a_time) {
    int n;
    const struct gpu *gpus = gpu_all(&n);
    for (int i = 0; i < n; i++) {
        struct timing t = model_on(
            &gpus[i], strdup(KERNEL "ld.global.u32 %r4, [%rd1];\n" STORE("%r4") END), 500, 256, 1);
        assert_true(t.time_ns > gpus[i].kernel_ns && t.achieved_occupancy > 0 &&
                    t.achieved_occupancy <= 1);
    }
}

/* ---- Without a bottleneck ---- */

static double cycles_without(const char *names, char *text, uint32_t grid, uint32_t block) {
    char error[512];
    if (!without_parse(names, &removed, error, sizeof error)) fail_msg("%s", error);
    double taken = cycles(model(text, grid, block));
    removed = 0;
    return taken;
}

TEST(a_wrong_name_lists_the_right_ones) {
    char error[512];
    assert_false(without_parse("conflicts,conflict", &removed, error, sizeof error));
    assert_non_null(strstr(error, "'conflict'"));
    assert_non_null(strstr(error, "conflicts, sectors, divergence, barriers, latency"));
    assert_false(without_parse("", &removed, error, sizeof error));
    assert_true(without_parse("tail,conflicts", &removed, error, sizeof error));
    assert_int_equal(removed, 1 << WITHOUT_TAIL | 1 << WITHOUT_CONFLICTS);
    removed = 0;
}

TEST(without_conflicts_time_is_that_of_a_kernel_that_has_none) {
    double free_of = cycles(model(shared_loads(SHARED_LOADS("2"), 100), 1, 1024));
    assert_near(cycles_without("conflicts", shared_loads(SHARED_LOADS("7"), 100), 1, 1024), free_of,
                0.001);
    assert_near(cycles_without("conflicts", shared_loads(SHARED_LOADS("2"), 100), 1, 1024), free_of,
                0);
}

/* Threads load words so many bytes apart, and then others further on. */
static char *apart(const char *head) {
    return repeat(head, "ld.global.u32 %r5, [%rd1];\nadd.s64 %rd1, %rd1, 2097152;\n", 20);
}

#define APART(bytes) apart(KERNEL "mad.wide.u32 %rd1, %r3, " bytes ", %rd0;\n")

TEST(without_sectors_a_stride_costs_what_neighbours_do) {
    double side_by_side = cycles(model(APART("4"), 132, 256)),
           strided = cycles(model(APART("32"), 132, 256));
    assert_true(strided > 3 * side_by_side);
    assert_near(cycles_without("sectors", APART("32"), 132, 256), side_by_side, 0.15);
    assert_near(cycles_without("sectors", APART("4"), 132, 256), side_by_side, 0);
}

/* Threads whose bit is set add in one arm, the others multiply in another one. */
static char *arms(const char *head) {
    char *adds = repeat(head, "add.f32 %f1, %f1, %f0;\n", 200),
         *products = repeat("", "mul.f32 %f1, %f1, %f0;\n", 200), *text = malloc(MOST_TEXT);
    snprintf(text, MOST_TEXT, "%.*sbra DONE;\nODD:\n%.*sDONE:\n" END,
             (int)(strlen(adds) - strlen(END)), adds, (int)(strlen(products) - strlen(END)),
             products);
    free(adds);
    free(products);
    return text;
}

#define ARMS(bit)                                                                                  \
    arms(KERNEL "and.b32 %r4, %r0, " bit ";\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra ODD;\n")

TEST(without_divergence_arms_share_warps) {
    double by_warp = cycles(model(ARMS("32"), 132, 1024)),
           by_lane = cycles(model(ARMS("1"), 132, 1024));
    assert_true(by_lane > 1.7 * by_warp);
    assert_near(cycles_without("divergence", ARMS("1"), 132, 1024), by_warp, 0.05);
    assert_near(cycles_without("divergence", ARMS("32"), 132, 1024), by_warp, 0);
}

TEST(without_atomics_nobody_tries_again) {
    double tries = cycles(model(strdup(SWAPPING("add.u32")), 1, 256));
    assert_true(cycles_without("atomics", strdup(SWAPPING("add.u32")), 1, 256) < tries / 4);
}

TEST(without_barriers_nobody_waits) {
    double few = cycles_without("barriers", repeat(KERNEL, "bar.sync 0;\n", 10), 1, 1024),
           many = cycles_without("barriers", repeat(KERNEL, "bar.sync 0;\n", 110), 1, 1024);
    assert_true(many - few <= 100 * 1024 / WARP_SIZE / h200()->schedulers_per_sm * 1.1);
}

TEST(without_latency_memory_answers_like_the_l1) {
    const char *load = "ld.global.cg.u64 %rd5, [%rd5];\nadd.s64 %rd5, %rd5, %rd0;\n";
    char *head = strdup(KERNEL "mov.u64 %rd5, %rd0;\n");
    double few = cycles_without("latency", repeat(head, load, 10), 1, 32),
           many = cycles_without("latency", repeat(head, load, 40), 1, 32);
    free(head);
    assert_near((many - few) / 30, h200()->l1_latency_cycles, 0.3);
}

TEST(without_issue_only_dependences_take_time) {
    const char *add = "add.f32 %f1, %f1, %f0;\n";
    double alone = cycles(model(repeat(KERNEL, add, 200), 1, 32)),
           crowd = cycles(model(repeat(KERNEL, add, 200), 1, 1024));
    assert_true(crowd > 1.5 * alone);
    assert_near(cycles_without("issue", repeat(KERNEL, add, 200), 1, 1024), alone, 0.1);
}

/* 133 blocks: one multiprocessor has two. */
TEST(without_a_tail_multiprocessors_have_equal_work) {
    const char *add = "add.u32 %r4, %r4, %r0;\n";
    uint32_t sms = (uint32_t)h200()->sms;
    double last = cycles(model(repeat(KERNEL, add, 2000), 16 * sms + 1, 1024)),
           full = cycles(model(repeat(KERNEL, add, 2000), 16 * sms, 1024));
    assert_true(last > 1.02 * full);
    assert_near(cycles_without("tail", repeat(KERNEL, add, 2000), 16 * sms + 1, 1024), full, 0.01);
}
