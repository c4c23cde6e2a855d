/* Which threads go through machine code together (time/flow_merge.c). */
#include "unit.h"

#include "simt/image/machine_code.h"
#include "simt/machine/flow.h"
#include "simt/machine/machine.h"
#include "simt/ptx/ptx.h"
#include "simt/time/flow_walker.h"

enum { BLOCKS = 8, LOW = 0x0000FFFF, HIGH = 0xFFFF0000 };

/* Machine code with one instruction a block, and what groups count in it. */
struct machine {
    struct machine_insn insns[BLOCKS];
    struct flow_block blocks[BLOCKS];
    struct machine_code code;
    struct ptx_function entry;
    struct flow flow;
    struct kernel kernel;
    double warps[BLOCKS], threads[BLOCKS], divergent[BLOCKS];
    struct walker walker;
};

static struct machine *make(void) {
    struct machine *m = calloc(1, sizeof *m);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        m->insns[i] = (struct machine_insn){.guard = NO_GUARD, .target = -1};
        m->blocks[i] = (struct flow_block){.from = i, .to = i + 1, .target = FLOW_NONE};
    }
    m->code = (struct machine_code){.insns = m->insns, .n = BLOCKS};
    m->entry.machine = &m->code;
    m->flow = (struct flow){.blocks = m->blocks, .nblocks = BLOCKS};
    m->kernel.entry = &m->entry;
    m->walker = (struct walker){.kernel = &m->kernel,
                                .flow = &m->flow,
                                .warps = m->warps,
                                .threads = m->threads,
                                .divergent = m->divergent,
                                .alike = 1};
    return m;
}

static void set(struct machine *m, uint32_t block, enum machine_meets meets, uint8_t meeting) {
    m->insns[block].meets = (uint8_t)meets;
    m->insns[block].meeting = meeting;
    m->blocks[block].meets = true;
}

/* Two halves of a warp go these ways, which end with 255. */
static void go(struct machine *m, const uint8_t *low, const uint8_t *high) {
    const uint8_t *ways[] = {low, high};
    uint32_t steps[2][16];
    struct flow_group groups[2];
    for (int g = 0; g < 2; g++) {
        groups[g] = (struct flow_group){g ? HIGH : LOW, 0, steps[g]};
        for (; ways[g][groups[g].n] != 255; groups[g].n++)
            steps[g][groups[g].n] = (uint32_t)ways[g][groups[g].n] << 8;
    }
    flow_merge(&m->walker, groups, 2);
}

TEST(meet_where_the_code_says) {
    struct machine *m = make();
    set(m, 0, MEETS_BEGIN, 3);
    set(m, 3, MEETS_WAIT, 3);
    go(m, (const uint8_t[]){0, 1, 3, 4, 255}, (const uint8_t[]){0, 2, 3, 4, 255});
    assert_int_equal(m->warps[0], 1);
    assert_int_equal(m->warps[1], 1);
    assert_int_equal(m->warps[3], 2); /* each half comes to BSYNC apart */
    assert_int_equal(m->warps[4], 1);
    assert_int_equal(m->threads[4], 32);
    free(m);
}

TEST(nowhere_else) {
    struct machine *m = make();
    go(m, (const uint8_t[]){0, 1, 3, 4, 255}, (const uint8_t[]){0, 2, 3, 4, 255});
    assert_int_equal(m->warps[0], 1);
    assert_int_equal(m->warps[3], 2);
    assert_int_equal(m->warps[4], 2);
    assert_int_equal(m->threads[4], 32);
    free(m);
}

/* BREAK: the lower half leaves for block 5, the other does not wait for it at block 3. */
TEST(who_breaks_off_is_not_waited_for) {
    struct machine *m = make();
    set(m, 0, MEETS_BEGIN, 0);
    set(m, 1, MEETS_BREAK, 0);
    set(m, 3, MEETS_WAIT, 0);
    m->insns[1].guard = 0;
    m->blocks[1].target = 5;
    go(m, (const uint8_t[]){0, 1, 5, 6, 255}, (const uint8_t[]){0, 1, 3, 4, 5, 6, 255});
    assert_int_equal(m->warps[1], 1);
    assert_int_equal(m->warps[3], 1);
    assert_int_equal(m->threads[3], 16);
    assert_int_equal(m->warps[5], 2);
    free(m);
}

TEST(all_of_the_warp) {
    struct machine *m = make();
    set(m, 3, MEETS_ALL, 0);
    go(m, (const uint8_t[]){0, 1, 3, 4, 255}, (const uint8_t[]){0, 2, 3, 4, 255});
    assert_int_equal(m->warps[3], 2);
    assert_int_equal(m->warps[4], 1);
    free(m);
}

/* Around a call the barrier register has other threads. */
TEST(barrier_registers_are_kept_around_calls) {
    struct machine *m = make();
    set(m, 0, MEETS_BEGIN, 0);
    set(m, 1, MEETS_SAVE, 0);
    set(m, 2, MEETS_BEGIN, 0);
    set(m, 3, MEETS_RESTORE, 0);
    set(m, 4, MEETS_WAIT, 0);
    go(m, (const uint8_t[]){0, 1, 2, 3, 4, 5, 255}, (const uint8_t[]){0, 4, 5, 255});
    assert_int_equal(m->warps[4], 2);
    assert_int_equal(m->warps[5], 1);
    free(m);
}

/* Who waits for threads that never come goes on when nobody else can. */
TEST(nobody_is_left_behind) {
    struct machine *m = make();
    set(m, 0, MEETS_BEGIN, 0);
    set(m, 3, MEETS_WAIT, 0);
    set(m, 2, MEETS_ALL, 0);
    go(m, (const uint8_t[]){0, 3, 4, 255}, (const uint8_t[]){0, 2, 5, 255});
    assert_int_equal(m->warps[4], 1);
    assert_int_equal(m->warps[5], 1);
    assert_int_equal(m->divergent[0], 0); /* it has no branch */
    free(m);
}
