/* Tests of the control-flow pass: reconvergence points by hand and against the definition, register
 * slots by running random programs. */

#include "damage.h"
#include "simt/ptx/ptx.h"
#include "unit.h"

static char error[256];

static struct ptx_module *analyse(const char *body) {
    static const char before[] =
        ".version 9.0 .target sm_75 .address_size 64\n.visible .entry k(.param .u64 kp)\n{\n"
        ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>;\n";
    size_t size = sizeof before + strlen(body) + 4;
    char *text = malloc(size);
    snprintf(text, size, "%s%s\n}\n", before, body);
    struct ptx_module *module = ptx_parse(text, strlen(text), error, sizeof error);
    free(text);
    if (!module) fail_msg("%s", error);
    ptx_analyse(module);
    return module;
}

/* ---- Reconvergence ---- */

static void reconverges_at(const char *body, int branch, int expected) {
    struct ptx_module *module = analyse(body);
    const struct ptx_function *k = &module->functions[0];
    if (expected < 0) expected = k->ninsns;
    if (k->insns[branch].reconverge != expected)
        fail_msg("%s: %d, not %d", body, k->insns[branch].reconverge, expected);
    ptx_free(module);
}

#define EXIT (-1) /* the function's end */

TEST(finds_reconvergence_points) {
    /* if; if and else; the join at the end */
    reconverges_at("@%p1 bra A; mov.u32 %r1, 1; A: ret;", 0, 2);
    reconverges_at("@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: ret;", 0, 4);
    reconverges_at("@%p1 bra A; ret; A: ret;", 0, 2);
    /* the branch that closes a loop; one that leaves it in the middle */
    reconverges_at("A: mov.u32 %r1, 1; @%p1 bra A; ret;", 1, 2);
    reconverges_at("A: @%p1 bra B; mov.u32 %r1, 1; bra A; B: ret;", 0, 3);
    /* a branch to the next instruction */
    reconverges_at("@%p1 bra A; A: ret;", 0, 1);
    /* nested: the inner ones meet inside */
    reconverges_at("@%p1 bra A; @%p2 bra B; mov.u32 %r1, 1; B: mov.u32 %r2, 1; A: ret;", 1, 3);
    reconverges_at("@%p1 bra A; @%p2 bra B; mov.u32 %r1, 1; B: mov.u32 %r2, 1; A: ret;", 0, 4);
}

/* marks: for each instruction s, a steady access; u, uniform; or a point. */
static void have_in_common(const char *body, const char *marks) {
    struct ptx_module *module = analyse(body);
    const struct ptx_function *k = &module->functions[0];
    char got[64] = "";
    for (int i = 0; i < k->ninsns; i++)
        got[i] = k->insns[i].steady ? 's' : k->insns[i].uniform ? 'u' : '.';
    if (strcmp(got, marks) != 0) fail_msg("%s: %s, not %s", body, got, marks);
    ptx_free(module);
}

#define TID "mov.u32 %r1, %tid.x; "

TEST(finds_what_lanes_have_in_common) {
    /* addresses by the thread's index; by a loaded value */
    have_in_common(TID "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 256, %r1;"
                       "mul.wide.u32 %rd1, %r3, 4; ld.global.u32 %r4, [%rd1];"
                       "mul.wide.u32 %rd2, %r4, 4; st.global.u32 [%rd2], %r1; ret;",
                   ".u..s...");
    /* a loop that lanes leave apart, whose counter is not read after it, and is */
    have_in_common(TID "A: mul.wide.u32 %rd1, %r1, 4; ld.global.u32 %r2, [%rd1];"
                       "add.u32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, 100; @%p1 bra A; ret;",
                   "..s....");
    have_in_common(TID "A: mul.wide.u32 %rd1, %r1, 4; ld.global.u32 %r2, [%rd1];"
                       "add.u32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, 100; @%p1 bra A;"
                       "mul.wide.u32 %rd2, %r1, 4; ld.global.u32 %r3, [%rd2]; ret;",
                   ".........");
    /* a loop that they leave together */
    have_in_common("mov.u32 %r1, 0; A: mul.wide.u32 %rd1, %r1, 4; ld.global.u32 %r2, [%rd1];"
                   "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra A;"
                   "st.global.u32 [%rd1], %r1; ret;",
                   "uusuu.s.");
    /* values from two sides of a branch that separates lanes, and of one that does not */
    have_in_common(TID "setp.eq.u32 %p1, %r1, 3; mov.u32 %r2, 1; @%p1 bra A; mov.u32 %r2, 2;"
                       "A: cvt.u64.u32 %rd1, %r2; ld.global.u32 %r3, [%rd1]; ret;",
                   "..u.u...");
    have_in_common("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 3; mov.u32 %r2, 1; @%p1 bra A;"
                   "mov.u32 %r2, 2; A: cvt.u64.u32 %rd1, %r2; ld.global.u32 %r3, [%rd1]; ret;",
                   "uuu.uus.");
    /* the distances of two extended values change apart; steps by a value that a loop changes */
    have_in_common(TID "mul.wide.u32 %rd1, %r1, 4; mul.wide.u32 %rd2, %r1, 8;"
                       "add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; ret;",
                   "......");
    have_in_common(TID "mov.u32 %r2, 1; A: mul.lo.u32 %r3, %r1, %r2; ld.shared.u32 %r4, [%r3];"
                       "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra A; ret;",
                   ".u..uu..");
    /* bits of the index in the warp; of a sum */
    have_in_common(TID "and.b32 %r2, %r1, 12; ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r1, 1;"
                       "and.b32 %r5, %r4, 12; ld.shared.u32 %r6, [%r5]; ret;",
                   "..s....");
}

/* The paths of a loop that never ends meet at its end, wherever the compiler put that: a barrier
 * there is for all. */
TEST(finds_the_end_of_endless_loops) {
    reconverges_at("bra B; A: bar.sync 0; B: @%p1 bra A; mov.u32 %r1, 1; bra A;", 2, 1);
    reconverges_at("A: @%p1 bra B; mov.u32 %r1, 1; B: bar.sync 0; bra A;", 0, 2);
    reconverges_at(
        "@%p2 bra E; bra B; A: bar.sync 0; B: @%p1 bra A; mov.u32 %r1, 1; bra A; E: ret;", 3, 2);
    /* an inner loop that ends */
    reconverges_at("A: @%p1 bra B; mov.u32 %r1, 1; B: mov.u32 %r2, 1; @%p2 bra A; bra A;", 0, 2);
}

TEST(handles_many_way_branches) {
    static const char text[] = "T: .branchtargets A, B, C; brx.idx %r1, T; A: mov.u32 %r1, 1; bra "
                               "C; B: mov.u32 %r1, 2; bra C; C: ret;";
    reconverges_at(text, 0, 5);
    reconverges_at("T: .branchtargets A, A; brx.idx %r1, T; A: ret;", 0, 1);
    reconverges_at("T: .branchtargets A, B; @%p1 brx.idx %r1, T; exit; A: mov.u32 %r1, 1; B: ret;",
                   0, 3);
}

/* Ways that end early do not put off the meeting of the rest. */
TEST(ignores_ways_that_end_early) {
    reconverges_at("@%p1 bra A; @%p2 bra B; trap; B: mov.u32 %r1, 1; A: ret;", 0, 4);
    reconverges_at("@%p1 bra A; @%p2 bra B; exit; B: mov.u32 %r1, 1; A: ret;", 1, 3);
    reconverges_at("@%p1 bra A; @%p2 exit; mov.u32 %r1, 1; A: mov.u32 %r2, 2; ret;", 0, 3);
    reconverges_at("@%p1 bra A; @%p2 ret; mov.u32 %r1, 1; A: mov.u32 %r2, 2; ret;", 0, 3);
    reconverges_at("@%p1 bra A; mov.u32 %r1, 1; ret; A: mov.u32 %r2, 2; ret;", 0, 3);
    /* both sides of a branch in a region that ends in a trap meet there */
    reconverges_at("@%p1 bra A; @%p2 bra B; mov.u32 %r1, 1; B: trap; A: ret;", 1, 3);
}

TEST(handles_endless_loops) {
    reconverges_at("A: mov.u32 %r1, 1; bra A;", 1, EXIT);
    reconverges_at("A: @%p1 bra B; mov.u32 %r1, 1; B: mov.u32 %r2, 2; bra A;", 0, 2);
    reconverges_at("@%p1 bra E; A: @%p2 bra B; mov.u32 %r1, 1; B: mov.u32 %r2, 2; bra A; E: ret;",
                   0, 5);
    reconverges_at("@%p1 bra E; A: @%p2 bra B; mov.u32 %r1, 1; B: mov.u32 %r2, 2; bra A; E: ret;",
                   1, 3);
}

TEST(handles_irreducible_flow) {
    /* a loop with two entries */
    reconverges_at("@%p1 bra B; A: mov.u32 %r1, 1; B: mov.u32 %r2, 2; @%p2 bra A; ret;", 0, 2);
    reconverges_at(
        "@%p1 bra B; A: mov.u32 %r1, 1; bra C; B: mov.u32 %r2, 2; @%p2 bra A; C: @%p3 bra B; ret;",
        0, 5);
}

/* ---- Against the definition ---- */

static uint32_t random_below(uint32_t limit) {
    return (uint32_t)(next_random() >> 16) % limit;
}

#define MAX_BLOCKS 12

/* A random function of n blocks, of one branch each, that all may go on to the next block. */
static void random_flow(char *text, size_t size, int n) {
    size_t at = 0;
    for (int b = 0; b < n; b++) {
        at += (size_t)snprintf(text + at, size - at, "L%d: ", b);
        at += (size_t)snprintf(text + at, size - at, "@%%p1 bra L%u;\n", random_below((uint32_t)n));
    }
    snprintf(text + at, size - at, "ret;");
}

/* Can instruction `from` reach the final ret without passing through `without`? */
static bool reaches_end(const struct ptx_function *k, int from, int without) {
    bool seen[MAX_BLOCKS + 1] = {false};
    int stack[2 * MAX_BLOCKS + 2], depth = 0;
    stack[depth++] = from;
    while (depth) {
        int at = stack[--depth];
        if (at == without || seen[at]) continue;
        if (at == k->ninsns - 1) return true;
        seen[at] = true;
        stack[depth++] = at + 1;
        if (!seen[k->insns[at].operand[0].target]) stack[depth++] = k->insns[at].operand[0].target;
    }
    return false;
}

/* d post-dominates i when there is no way from i to the end around d; the immediate one is
 * post-dominated by all others. */
static int immediate_post_dominator(const struct ptx_function *k, int i) {
    int best = k->ninsns;
    for (int d = 0; d < k->ninsns; d++) {
        if (d == i || reaches_end(k, i, d)) continue;
        if (best == k->ninsns || !reaches_end(k, d, best)) best = d;
    }
    return best;
}

TEST(agrees_with_the_definition) {
    for (int round = 0; round < 2000; round++) {
        char text[1024];
        random_flow(text, sizeof text, 2 + (int)random_below(MAX_BLOCKS - 1));
        struct ptx_module *module = analyse(text);
        const struct ptx_function *k = &module->functions[0];
        for (int i = 0; i < k->ninsns - 1; i++) {
            int expected = immediate_post_dominator(k, i);
            if (k->insns[i].reconverge != expected)
                fail_msg("%s: %d at %d, not %d", text, k->insns[i].reconverge, i, expected);
        }
        ptx_free(module);
    }
}

/* ---- Register slots ---- */

TEST(shares_slots) {
    struct ptx_module *module = analyse("mov.u32 %r1, 1; mov.u32 %r2, %r1; mov.u32 %r3, %r2; "
                                        "mov.u32 %r4, %r3; mov.u64 %rd1, 1; mov.u64 %rd2, %rd1;\n"
                                        "setp.eq.u32 %p1, %r4, 0; @%p1 bra A; A: ret;");
    const struct ptx_function *k = &module->functions[0];
    assert_int_equal(k->nslots_32, 2); /* a destination never lies in a source's slot */
    assert_int_equal(k->nslots_64, 2);
    assert_int_equal(k->nslots_pred, 1);
    assert_int_equal(k->nslots_128, 0);
    ptx_free(module);
}

/* Registers that live only in one side of a branch share with those of the other. */
TEST(shares_across_sides) {
    struct ptx_module *module = analyse("@%p1 bra A; mov.u32 %r1, 1; mov.u32 %r2, %r1; bra B; A: "
                                        "mov.u32 %r3, 1; mov.u32 %r4, %r3; B: ret;");
    assert_int_equal(module->functions[0].nslots_32, 2);
    ptx_free(module);
}

/* A guarded write may leave a register as it was, and one side of a branch may leave it out. */
TEST(tells_whether_a_register_is_read_unset) {
    static const struct {
        const char *text;
        bool unset;
    } cases[] = {
        {"mov.u32 %r1, 1; add.u32 %r2, %r1, %r1; ret;", false},
        {"add.u32 %r2, %r1, 1; ret;", true},
        {"setp.eq.u32 %p1, 1, 0; @%p1 mov.u32 %r1, 1; mov.u32 %r2, %r1; ret;", true},
        {"setp.eq.u32 %p1, 1, 0; @%p1 bra A; mov.u32 %r1, 1; A: mov.u32 %r2, %r1; ret;", true},
        {"setp.eq.u32 %p1, 1, 0; mov.u32 %r1, 2; @%p1 bra A; mov.u32 %r1, 1; A: mov.u32 %r2, %r1; "
         "ret;",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_module *module = analyse(cases[i].text);
        assert_int_equal(module->functions[0].nunset > 0, cases[i].unset);
        ptx_free(module);
    }
}

/* One thread's values twice: each register by itself, and as the slots hold them. */
struct thread {
    const struct ptx_function *k;
    uint32_t by_register[256], by_slot[3][256]; /* tokens; 0: never written */
    uint32_t next_token;
};

static uint32_t *slot_of(struct thread *thread, int32_t reg) {
    const struct ptx_reg *r = &thread->k->regs[reg];
    return &thread->by_slot[r->type == PTX_PRED ? 0 : r->type == PTX_B64 ? 2 : 1][r->slot];
}

static void check_read(struct thread *thread, int32_t reg, int at) {
    uint32_t expected = thread->by_register[reg];
    if (expected && *slot_of(thread, reg) != expected)
        fail_msg("instruction %d reads another register's value", at);
}

static void execute(struct thread *thread, int at) {
    const struct ptx_insn *insn = &thread->k->insns[at];
    for (int i = 1; i < insn->noperands; i++) check_read(thread, insn->operand[i].reg, at);
    thread->by_register[insn->operand[0].reg] = *slot_of(thread, insn->operand[0].reg) =
        ++thread->next_token;
}

/* Follow one thread; its predicates are random. A predicated write that does not happen keeps the
 * old value. */
static void run_thread(const struct ptx_function *k) {
    struct thread thread = {.k = k};
    for (int steps = 0, at = 0; steps < 300 && at < k->ninsns; steps++) {
        const struct ptx_insn *insn = &k->insns[at];
        if (insn->pred >= 0) check_read(&thread, insn->pred, at);
        bool runs = insn->pred < 0 || random_below(2);
        if (runs && insn->op == PTX_RET) return;
        if (runs && insn->op != PTX_BRA) execute(&thread, at);
        at = runs && insn->op == PTX_BRA ? insn->operand[0].target : at + 1;
    }
}

static size_t random_insn(char *text, size_t size, int nblocks, int nregs) {
    uint32_t a = random_below((uint32_t)nregs), b = random_below((uint32_t)nregs),
             c = random_below((uint32_t)nregs), p = random_below(5);
    char guard[8] = "";
    if (random_below(4) == 0) snprintf(guard, sizeof guard, "@%%p%u", random_below(5));
    switch (random_below(6)) {
    case 0:
        return (size_t)snprintf(text, size, "%s setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", guard, p, a,
                                b);
    case 1:
        return (size_t)snprintf(text, size, "%s add.u64 %%rd%u, %%rd%u, %%rd%u;\n", guard, a, b, c);
    case 2: return (size_t)snprintf(text, size, "%s cvt.u64.u32 %%rd%u, %%r%u;\n", guard, a, b);
    case 3:
        return (size_t)snprintf(text, size, "@%%p%u bra L%u;\n", p,
                                random_below((uint32_t)nblocks));
    default:
        return (size_t)snprintf(text, size, "%s add.u32 %%r%u, %%r%u, %%r%u;\n", guard, a, b, c);
    }
}

TEST(slots_hold_what_registers_hold) {
    for (int round = 0; round < 1500; round++) {
        char text[8192];
        size_t at = 0;
        int nblocks = 1 + (int)random_below(8), nregs = 4 + (int)random_below(30);
        for (int b = 0; b < nblocks; b++) {
            at += (size_t)snprintf(text + at, sizeof text - at, "L%d:\n", b);
            for (uint32_t n = 1 + random_below(8); n-- > 0;)
                at += random_insn(text + at, sizeof text - at, nblocks, nregs);
        }
        struct ptx_module *module = analyse(text);
        for (int n = 0; n < 10; n++) run_thread(&module->functions[0]);
        ptx_free(module);
    }
}

/* ---- The estimate of machine registers ---- */

/* Of a kernel that makes 40 values by the instruction, whose %d is the value's number, and then
 * adds them up. */
static int registers_for_values(const char *instruction) {
    char text[8192], *end = text;
    for (int i = 1; i <= 40; i++) end += sprintf(end, instruction, i);
    for (int i = 1; i <= 40; i++) end += sprintf(end, "add.u32 %%r0, %%r0, %%r%d;\n", i);
    sprintf(end, "st.global.u32 [%%rd1], %%r0; ret;");
    struct ptx_module *module = analyse(text);
    int registers = module->functions[0].live_registers;
    ptx_free(module);
    return registers;
}

TEST(counts_values_that_need_a_register) {
    int loaded = registers_for_values("ld.global.u32 %%r%d, [%%rd1];\n");
    int constant = registers_for_values("ld.param.u32 %%r%d, [kp];\n");
    assert_in_range(loaded, 36, 46);
    assert_in_range(constant, 10, 18);
}
