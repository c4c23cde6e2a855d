/*
 * decode/cost.c: what a basic block counts for: machine instructions, branches, operations by
 * class.
 *
 * inst_executed estimates the hardware's count from PTX. Each instruction weighs what ptxas makes
 * of it alone (decode/sass_weights.def, measured by dev/weights.sh), corrected for what ptxas does
 * across instructions:
 *
 *   - immediates and address space conversions are operands of other instructions: 0; so are
 *     parameters and %ntid before compute capability 9.0, which loads them (LDC, ULDC);
 *   - a kernel begins with its stack pointer, and since 8.0 fetches a descriptor (ULDC) if it
 *     accesses global memory;
 *   - mul.wide is part of each 64-bit add that reads it, one IMAD.WIDE; mul + add is IMAD, shl +
 *     add is LEA (those of floats that become FFMA were found by ptx/contract.c);
 *   - a selection between two immediates needs one of them in a register;
 *   - and, or of predicates are part of the comparison; neg and abs of floats are operand
 *     modifiers: 0;
 *   - a division, root or reciprocal that is rounded as IEEE 754 asks has a branch to a slow path;
 *   - a conditional branch to ret is a predicated EXIT: an instruction, but no branch;
 *   - a forward branch around at most CONVERTED_INSTRUCTIONS machine instructions is replaced by
 *     predicates: the branch disappears and the instructions are executed (with no lane perhaps)
 *     whenever it is reached. ptxas does not do that to a global load after a store or a barrier;
 *     where none comes before, it does it to CONVERTED_QUIET instructions;
 *   - a call is a branch, and so is the return from it;
 *   - any other forward branch whose lanes may disagree is enclosed by BSSY and BSYNC: two more.
 *
 * Code for a debugger (nvcc -G) is not optimised: nothing of that but the last two happens there, a
 * return is a jump to the one place that has it, and values are copied to and fro (see
 * unoptimised_weight). What ptxas does on its own beyond that is not in here: it unrolls loops,
 * spills registers, and calls into libraries.
 *
 * The rules were found by compiling small kernels for sm_75 and sm_90 and looking at the machine
 * code.
 */
#include "cost.h"

#include "lib/memory.h"
#include "simt/image/machine_code.h"

#include <stdlib.h>
#include <string.h>

#define CONVERTED_INSTRUCTIONS 8
#define CONVERTED_QUIET        16
#define MOST_KEPT              6 /* words of an array in registers */
#define RECONVERGENCE          2 /* BSSY and BSYNC */

/* All that is known of one function. */
struct costs {
    const struct ptx_function *function;
    int capability;    /* of the GPU, times 10 */
    uint32_t kept;     /* words_in_registers() */
    uint16_t *weight;  /* by instruction */
    uint8_t *branch;   /* by instruction: branches that the hardware executes */
    uint8_t *writes;   /* by register: instructions that write it, at most 2 */
    uint8_t *reads;    /* by register: operands that read it, at most 2 */
    uint8_t *diverges; /* by register: lanes may differ */
    uint8_t *targets;  /* by instruction: a branch goes there */
};

/* ---- Small arrays ---- */

static bool is_of_local(const struct ptx_insn *insn) {
    return (insn->op == PTX_LD || insn->op == PTX_ST) && insn->space == PTX_LOCAL;
}

/* Words of the function's local memory, if ptxas keeps it in registers: one small array of words.
 * An element whose index is computed is then found by comparing that with each. 0: it does not. The
 * machine code tells. Without, as ptxas for sm_90 does so mostly: with 2 to 6 words, not with
 * 8, nor with chars, doubles or two arrays, nor where the address goes to a function. */
static uint32_t words_in_registers(const struct ptx_function *f) {
    uint64_t bytes = 0;
    for (int32_t i = 0; i < f->nframe; i++)
        if (f->frame[i].space == PTX_LOCAL) bytes += f->frame[i].size;
    if (f->module->debug || bytes > MOST_KEPT * sizeof(uint32_t)) return 0;
    for (int32_t i = 0; i < f->ninsns && bytes; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        bool shared = insn->op == PTX_CVTA && insn->space == PTX_LOCAL;
        if (shared || (is_of_local(insn) && ptx_type_size(insn->type) != sizeof(uint32_t)))
            return 0;
    }
    for (uint32_t i = 0; f->machine && i < f->machine->n; i++)
        if (f->machine->insns[i].local) return 0;
    return (uint32_t)(bytes / sizeof(uint32_t));
}

bool is_in_registers(const struct costs *c, int32_t index) {
    return c->kept && is_of_local(&c->function->insns[index]);
}

/* An access of one element compares the index and moves the word, for each; of several, the index
 * is known. */
static void weigh_kept(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        if (!is_in_registers(c, i)) continue;
        const struct ptx_insn *insn = &c->function->insns[i];
        c->weight[i] = (uint16_t)(insn->vector > 1 ? insn->vector : 2 * c->kept);
    }
}

/* ---- Facts about registers ---- */

/* Counting stops at 2: the rules ask only whether a register is written or read exactly once. */
static void count_up(uint8_t *count, int32_t reg) {
    if (reg >= 0 && count[reg] < 2) count[reg]++;
}

/* Count every register that an operand names. */
static void each_register(const struct ptx_operand *o, uint8_t *count) {
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY) count_up(count, o->reg);
    if (o->kind == PTX_OPERAND_REG) count_up(count, o->reg2);
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1)) count_up(count, o->vec[i]);
}

/* A guard is a read of its predicate. */
static void count_registers(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        int written = ptx_destinations(insn);
        count_up(c->reads, insn->pred);
        for (int k = 0; k < insn->noperands; k++)
            each_register(&insn->operand[k], k < written ? c->writes : c->reads);
    }
}

/* The special registers that differ between lanes of a warp, and %warpid. */
static bool is_per_thread(uint8_t sreg) {
    return sreg <= PTX_SREG_TID_Z || (sreg >= PTX_SREG_LANEID && sreg <= PTX_SREG_WARPID) ||
           (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT);
}

static bool operand_diverges(const struct costs *c, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_SREG) return is_per_thread(o->sreg);
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY)
        return o->reg >= 0 && c->diverges[o->reg];
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1) && o->vec[i] >= 0 && c->diverges[o->vec[i]]) return true;
    return false;
}

/* May the result differ between lanes? Loads may, but for parameters and constants. Values that
 * differ because lanes took different branches are not found. */
static bool result_diverges(const struct costs *c, const struct ptx_insn *insn) {
    bool memory = insn->op == PTX_LD && insn->space != PTX_KPARAM && insn->space != PTX_CONST;
    if (memory || insn->op == PTX_ATOM || insn->op == PTX_SHFL || insn->op == PTX_CALL ||
        insn->op == PTX_MATCH)
        return true;
    if (insn->pred >= 0 && c->diverges[insn->pred]) return true;
    for (int k = ptx_destinations(insn); k < insn->noperands; k++)
        if (operand_diverges(c, &insn->operand[k])) return true;
    return false;
}

/* True: the register was not marked before. */
static bool mark_diverging(uint8_t *diverges, int32_t reg) {
    if (reg < 0 || diverges[reg]) return false;
    diverges[reg] = 1;
    return true;
}

/* Lanes differ in what is computed from a value in which they differ. A loop may carry that back to
 * an earlier instruction, so the pass repeats until nothing changes. Marks are never taken back, so
 * that ends. */
static void find_diverging(struct costs *c) {
    bool changed;
    do {
        changed = false;
        for (int32_t i = 0; i < c->function->ninsns; i++) {
            const struct ptx_insn *insn = &c->function->insns[i];
            if (ptx_destinations(insn) == 0 || !result_diverges(c, insn)) continue;
            const struct ptx_operand *to = &insn->operand[0];
            if (to->kind == PTX_OPERAND_REG)
                changed |=
                    mark_diverging(c->diverges, to->reg) | mark_diverging(c->diverges, to->reg2);
            for (int v = 0; to->kind == PTX_OPERAND_VECTOR && v < to->nvec; v++)
                changed |= mark_diverging(c->diverges, to->vec[v]);
        }
    } while (changed);
}

/* ---- What ptxas does across instructions ---- */

/* Does the instruction have the register as a source? Addresses of memory accesses do not count. */
static bool reads(const struct ptx_insn *insn, int32_t reg) {
    for (int k = ptx_destinations(insn); k < insn->noperands; k++)
        if (insn->operand[k].kind == PTX_OPERAND_REG && insn->operand[k].reg == reg) return true;
    return false;
}

static bool is_integer_add(const struct ptx_insn *insn) {
    return insn->op == PTX_ADD && is_integer_type(insn->type);
}

/* A product or a shift that only an addition reads is part of it: IMAD, LEA. 32-bit words only; the
 * shift amount must be an immediate. */
static void fuse_with_add(struct costs *c, int32_t product) {
    const struct ptx_insn *first = &c->function->insns[product];
    bool word = ptx_type_size(first->type) == 4;
    bool shift = first->op == PTX_SHL && first->operand[2].kind == PTX_OPERAND_IMM;
    if (word && ((first->op == PTX_MUL && !first->hi && !first->wide) || shift))
        c->weight[product] = 0;
}

/* An address: a wide product that nothing but additions read is made by each of them. Each is one
 * IMAD.WIDE instead of the two instructions of a 64-bit addition. */
static void fuse_wide_product(struct costs *c, int32_t product) {
    const struct ptx_function *f = c->function;
    int32_t reg = f->insns[product].operand[0].reg;
    for (int32_t i = 0; i < f->ninsns; i++)
        if (reads(&f->insns[i], reg) && !is_integer_add(&f->insns[i])) return;
    for (int32_t i = 0; i < f->ninsns; i++)
        if (reads(&f->insns[i], reg)) c->weight[i] = 1;
    c->weight[product] = 0;
}

/* The first instruction after `index` that reads what the one at index makes. The number of
 * instructions: there is none. */
static int32_t next_reader(const struct ptx_function *f, int32_t index) {
    int32_t user = index + 1;
    while (user < f->ninsns && !reads(&f->insns[user], f->insns[index].operand[0].reg)) user++;
    return user;
}

/* Products and shifts of integers that additions take up. */
static void fuse_products(struct costs *c) {
    const struct ptx_function *f = c->function;
    for (int32_t i = 0; i < f->ninsns; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        const struct ptx_operand *to = &insn->operand[0];
        bool product = (insn->op == PTX_MUL || insn->op == PTX_SHL) && is_integer_type(insn->type);
        if (!product || to->kind != PTX_OPERAND_REG || to->reg < 0 || c->writes[to->reg] != 1)
            continue;
        int32_t user = next_reader(f, i);
        if (insn->op == PTX_MUL && insn->wide)
            fuse_wide_product(c, i);
        else if (c->reads[to->reg] == 1 && user < f->ninsns && is_integer_add(&f->insns[user]))
            fuse_with_add(c, i);
    }
}

/* ---- Entering a kernel ---- */

/* A generic access may go to global memory, so it counts. */
static bool accesses_global(const struct ptx_function *f) {
    for (int32_t i = 0; i < f->ninsns; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        if (ptx_accesses(insn) && (insn->space == PTX_GLOBAL || insn->space == PTX_GENERIC))
            return true;
    }
    return false;
}

/* Before the first instruction of a kernel: its stack pointer, and the descriptor for global
 * memory. */
static void weigh_entry(struct costs *c) {
    if (!c->function->is_entry || c->function->ninsns == 0) return;
    c->weight[0]++;
    if (c->capability >= CC_DESCRIPTOR && accesses_global(c->function)) c->weight[0]++;
}

/* ---- Branches ---- */

/* Does a branch at or after the instruction go back to it or before it? decode/block_order.c asks
 * that, too. */
bool inside_loop(const struct ptx_function *function, int32_t index) {
    for (int32_t i = index; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (insn->op == PTX_BRA && insn->operand[0].target <= index) return true;
    }
    return false;
}

/* An unconditional branch. */
static bool is_jump(const struct ptx_insn *insn) {
    return insn->op == PTX_BRA && insn->pred < 0;
}

/* Does a branch to index end the thread there? Follows at most 8 jumps, as jumps may form a
 * loop. */
static bool leads_to_end(const struct ptx_function *f, int32_t index) {
    for (int steps = 0; index < f->ninsns && steps < 8; steps++) {
        const struct ptx_insn *insn = &f->insns[index];
        if ((insn->op == PTX_RET || insn->op == PTX_EXIT) && insn->pred < 0) return true;
        if (!is_jump(insn)) return false;
        index = insn->operand[0].target;
    }
    return index >= f->ninsns;
}

/* Labels that a branch names. Code with one inside cannot be predicated: it is reached in two
 * ways. */
static void mark_labels(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        if (insn->op == PTX_BRA) c->targets[insn->operand[0].target] = 1;
        if (insn->op != PTX_BRX) continue;
        const struct ptx_table *table = &c->function->tables[insn->operand[1].target];
        for (int32_t k = 0; k < table->ntargets; k++) c->targets[table->targets[k]] = 1;
    }
}

/* Quotients, roots and reciprocals that are rounded as IEEE 754 asks. ptxas makes a quick way for
 * most operands, and a branch to a subroutine for the others. */
static bool has_slow_path(const struct ptx_insn *insn) {
    bool kind = insn->op == PTX_DIV || insn->op == PTX_RCP || insn->op == PTX_SQRT;
    return kind && !insn->approx && !insn->full && (insn->type == PTX_F32 || insn->type == PTX_F64);
}

/* Can ptxas put a predicate on it? Not on branches (a slow path has one), barriers, warp-wide
 * operations, and what has a guard already. */
static bool is_plain(const struct ptx_insn *insn) {
    if (has_slow_path(insn)) return false;
    switch ((enum ptx_opcode)insn->op) {
    case PTX_BRA:
    case PTX_BRX:
    case PTX_CALL:
    case PTX_RET:
    case PTX_EXIT:
    case PTX_TRAP:
    case PTX_BAR:
    case PTX_SHFL:
    case PTX_VOTE:
    case PTX_MATCH:
    case PTX_ACTIVEMASK: return false;
    default: return insn->pred < 0;
    }
}

/* What waits for global memory. */
static bool is_slow(const struct ptx_insn *insn) {
    return insn->op == PTX_ATOM ||
           (insn->op == PTX_LD && (insn->space == PTX_GLOBAL || insn->space == PTX_GENERIC));
}

/* What a load must not overtake. */
static bool orders_memory(const struct ptx_insn *insn) {
    return ptx_stores(insn) || insn->op == PTX_BAR;
}

/* Has no store and no barrier happened before the instruction at index? In a loop those after it
 * count too: an earlier iteration executed them. So the whole function is searched. */
static bool is_quiet(const struct ptx_function *f, int32_t index) {
    int32_t end = inside_loop(f, index) ? f->ninsns : index;
    for (int32_t i = 0; i < end; i++)
        if (orders_memory(&f->insns[i])) return false;
    return true;
}

/* Machine instructions of [from, to) if it can be predicated: straight, without labels. -1: it
 * cannot. */
static int straight_weight(const struct costs *c, int32_t from, int32_t to, bool quiet) {
    int weight = 0;
    for (int32_t i = from; i < to; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        if (!is_plain(insn) || (i > from && c->targets[i]) || (!quiet && is_slow(insn))) return -1;
        weight += c->weight[i];
    }
    return weight;
}

/* The predicated instructions are executed whenever the branch is reached, so they count with the
 * branch's block. */
static void move_weights(struct costs *c, int32_t from, int32_t to, int32_t branch) {
    for (int32_t i = from; i < to; i++) {
        c->weight[branch] += c->weight[i];
        c->weight[i] = 0;
    }
}

/*
 * Short code after a conditional branch becomes predicated instructions. True: the branch and its
 * label are gone.
 *
 *   if (p) A;                        if (p) A; else B;
 *   index:     @!p bra target        index:     @!p bra target
 *              A                                A
 *   target:    (= then_end = end)    then_end:  bra end
 *                                    target:    B
 *                                    end:
 */
static bool convert_branch(struct costs *c, int32_t index) {
    const struct ptx_function *f = c->function;
    int32_t target = f->insns[index].operand[0].target, end = target, then_end = target;
    bool quiet = is_quiet(f, index);
    if (target > index + 1 && is_jump(&f->insns[target - 1]) &&
        f->insns[target - 1].operand[0].target > target) {
        then_end = target - 1;
        end = f->insns[then_end].operand[0].target;
    }
    int first = straight_weight(c, index + 1, then_end, quiet);
    int second = end > target ? straight_weight(c, target, end, quiet) : 0;
    if (first < 0 || second < 0 ||
        first + second > (quiet ? CONVERTED_QUIET : CONVERTED_INSTRUCTIONS))
        return false;
    if (then_end < target) c->weight[then_end] = c->branch[then_end] = 0;
    c->weight[index] = 0;
    move_weights(c, index + 1, then_end, index);
    move_weights(c, target, end, index);
    return true;
}

/* @p bra A; bra B; A: the compiler reverses the condition and branches to B, so the second branch
 * disappears. */
static bool is_turned_round(const struct ptx_function *f, int32_t index) {
    return index > 0 && f->insns[index - 1].op == PTX_BRA && f->insns[index - 1].pred >= 0 &&
           f->insns[index - 1].operand[0].target == index + 1;
}

/* The weight of a bra, and whether the hardware executes it as a branch. An unconditional one is
 * free where its target is the next instruction, and an EXIT where it leads to the end. Code for a
 * debugger keeps every branch. */
static void weigh_branch(struct costs *c, int32_t index) {
    const struct ptx_function *f = c->function;
    const struct ptx_insn *insn = &f->insns[index];
    int32_t target = insn->operand[0].target;
    if (insn->pred < 0 && !f->module->debug) {
        bool none = target == index + 1 || is_turned_round(f, index) || leads_to_end(f, target);
        c->branch[index] = !none;
        c->weight[index] = leads_to_end(f, target) ? 1 : !none;
        return;
    }
    c->weight[index] = 1;
    if (!f->module->debug &&
        (leads_to_end(f, target) || (target > index && convert_branch(c, index))))
        return;
    c->branch[index] = 1;
    if (target > index && insn->pred >= 0 && c->diverges[insn->pred])
        c->weight[index] += RECONVERGENCE;
}

/* Unconditional branches come first: convert_branch() takes the jump that closes its first half
 * away again. */
static void weigh_branches(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        if (insn->op == PTX_BRX || insn->op == PTX_CALL || has_slow_path(insn)) c->branch[i] = 1;
        if (insn->op == PTX_RET && !c->function->is_entry)
            c->branch[i] = c->function->module->debug ? 2 : 1;
    }
    /* A jump that closes a converted if ... else was weighed already. */
    for (int32_t i = c->function->ninsns - 1; i >= 0; i--)
        if (is_jump(&c->function->insns[i])) weigh_branch(c, i);
    for (int32_t i = 0; i < c->function->ninsns; i++)
        if (c->function->insns[i].op == PTX_BRA && c->function->insns[i].pred >= 0)
            weigh_branch(c, i);
}

/* ---- A function ---- */

/* Each step corrects the weights of the one before: alone, fused with neighbours, converted to
 * predicates, the kernel's entry. */
struct costs *costs_new(const struct ptx_function *function, int capability) {
    size_t insns = (size_t)function->ninsns + 1, regs = (size_t)function->nregs + 1;
    struct costs *c = need(calloc(1, sizeof *c));
    c->function = function;
    c->capability = capability;
    c->weight = need(calloc(insns, sizeof *c->weight));
    c->branch = need(calloc(insns, 1));
    c->targets = need(calloc(insns, 1));
    c->writes = need(calloc(regs, 1));
    c->reads = need(calloc(regs, 1));
    c->diverges = need(calloc(regs, 1));
    for (int32_t i = 0; i < function->ninsns; i++)
        c->weight[i] = function->module->debug ? unoptimised_weight(&function->insns[i], capability)
                                               : own_weight(&function->insns[i], capability);
    c->kept = words_in_registers(function);
    weigh_kept(c);
    count_registers(c);
    find_diverging(c);
    if (!function->module->debug) fuse_products(c);
    mark_labels(c);
    weigh_branches(c);
    weigh_entry(c);
    return c;
}

void costs_free(struct costs *c) {
    free(c->weight);
    free(c->branch);
    free(c->targets);
    free(c->writes);
    free(c->reads);
    free(c->diverges);
    free(c);
}

uint32_t machine_instructions(const struct costs *c, int32_t index) {
    return c->weight[index];
}

bool shares_address(const struct costs *c, int32_t index) {
    const struct ptx_insn *insn = &c->function->insns[index];
    for (int k = 0; k < insn->noperands; k++)
        if (insn->operand[k].kind == PTX_OPERAND_MEMORY)
            return !operand_diverges(c, &insn->operand[k]);
    return false;
}

bool is_hardware_branch(const struct costs *c, int32_t index) {
    return c->branch[index];
}

/* ---- A block ---- */

/* inst_executed is multiplied by the warps that enter the block, thread_inst_executed by their
 * threads. So both take the same weight. */
void block_cost(const struct costs *c, int32_t from, int32_t to, struct block_cost *cost) {
    for (int32_t i = from; i < to; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        cost->ptx_executed++;
        cost->inst_executed += c->weight[i];
        cost->thread_inst_executed += c->weight[i];
        cost->branch += c->branch[i];
        cost->branch_targets_threads += c->branch[i];
        if (ptx_kind(insn) == PTX_KIND_COLLECTIVE && insn->op != PTX_ELECT) cost->shuffles++;
        cost->inst_tensor += insn->op == PTX_MMA;
        cost->gld_read_only += insn->op == PTX_LD && insn->nc;
        cost_classes(insn, cost);
    }
}
