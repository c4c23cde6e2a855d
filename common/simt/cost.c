/*
 * cost.c: what a basic block counts for: machine instructions, branches, operations by class.
 *
 * inst_executed estimates the hardware's count from PTX. Each instruction weighs what ptxas makes of it alone
 * (sass_weights.def, measured by weights.sh), corrected for what ptxas does across instructions:
 *
 *   - parameters, immediates, %ntid and address space conversions are operands of other instructions: 0;
 *   - mul.wide and the 64-bit add behind it are one IMAD.WIDE; mul + add is IMAD, shl + add is LEA;
 *   - and, or of predicates are part of the comparison; neg and abs of floats are operand modifiers: 0;
 *   - a conditional branch to ret is a predicated EXIT: an instruction, but no branch;
 *   - a forward branch around at most CONVERTED_INSTRUCTIONS machine instructions is replaced by predicates: the branch
 *     disappears and the instructions are executed (with no lane perhaps) whenever it is reached. ptxas does not do
 * that to a global load behind a store or a barrier; where none comes before, it does it to CONVERTED_QUIET
 * instructions;
 *   - any other forward branch whose lanes may disagree is enclosed by BSSY and BSYNC: two more.
 *
 * The rules were found by compiling small kernels for sm_75 and sm_90 and looking at the machine code.
 */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#define CONVERTED_INSTRUCTIONS 8
#define CONVERTED_QUIET        16
#define RECONVERGENCE          2 /* BSSY and BSYNC */
#define CALL_WEIGHT            4 /* of a call: the jump, and moving arguments to their registers */

struct costs {
    const struct ptx_function *function;
    uint16_t *weight;  /* by instruction */
    uint8_t *branch;   /* by instruction: 1 where the hardware executes a branch */
    uint8_t *writes;   /* by register: instructions that write it, at most 2 */
    uint8_t *reads;    /* by register: operands that read it, at most 2 */
    uint8_t *diverges; /* by register: lanes may differ */
    uint8_t *targets;  /* by instruction: a branch goes there */
};

/* ---- Measured weights ---- */

enum weight_form {
    WEIGHT_PLAIN,
    WEIGHT_HI,
    WEIGHT_WIDE,
    WEIGHT_IMM,
    WEIGHT_APPROX,
    WEIGHT_APPROX_FTZ,
    WEIGHT_FULL,
    WEIGHT_FROM = 64 /* cvt: + source type */
};
#define WEIGHT_F16 WEIGHT_FROM + PTX_F16
#define WEIGHT_F32 WEIGHT_FROM + PTX_F32
#define WEIGHT_F64 WEIGHT_FROM + PTX_F64
#define WEIGHT_U8  WEIGHT_FROM + PTX_U8
#define WEIGHT_S8  WEIGHT_FROM + PTX_S8
#define WEIGHT_U16 WEIGHT_FROM + PTX_U16
#define WEIGHT_S16 WEIGHT_FROM + PTX_S16
#define WEIGHT_U32 WEIGHT_FROM + PTX_U32
#define WEIGHT_S32 WEIGHT_FROM + PTX_S32
#define WEIGHT_U64 WEIGHT_FROM + PTX_U64
#define WEIGHT_S64 WEIGHT_FROM + PTX_S64

static const struct {
    uint16_t op;
    uint8_t type, form;
    uint16_t weight;
} measured[] = {
#define SASS_WEIGHT(op, type, form, weight) {PTX_##op, PTX_##type, WEIGHT_##form, weight},
#include "sass_weights.def"
#undef SASS_WEIGHT
};

static int find_weight(uint16_t op, uint8_t type, uint8_t form) {
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (measured[i].op == op && measured[i].type == type && measured[i].form == form) return measured[i].weight;
    return -1;
}

/* The same width under another name: signed as unsigned, either as bits. */
static uint8_t sibling(uint8_t type) {
    switch (type) {
    case PTX_S16: return PTX_U16;
    case PTX_S32: return PTX_U32;
    case PTX_S64: return PTX_U64;
    case PTX_U16: return PTX_B16;
    case PTX_U32: return PTX_B32;
    case PTX_U64: return PTX_B64;
    case PTX_BF16: return PTX_F16;
    case PTX_BF16X2: return PTX_F16X2;
    default: return PTX_TYPE_NONE;
    }
}

static uint8_t weight_form(const struct ptx_insn *insn) {
    const struct ptx_operand *last = insn->noperands ? &insn->operand[insn->noperands - 1] : NULL;
    if (insn->op == PTX_CVT) return (uint8_t)(WEIGHT_FROM + insn->type2);
    if (insn->full) return WEIGHT_FULL;
    if (insn->approx) return insn->ftz ? WEIGHT_APPROX_FTZ : WEIGHT_APPROX;
    if (insn->hi) return WEIGHT_HI;
    if (insn->wide) return WEIGHT_WIDE;
    return last && last->kind == PTX_OPERAND_IMM ? WEIGHT_IMM : WEIGHT_PLAIN;
}

static uint16_t measured_weight(const struct ptx_insn *insn) {
    uint8_t form = weight_form(insn), plain = insn->op == PTX_CVT ? form : WEIGHT_PLAIN;
    for (uint8_t type = insn->type; type != PTX_TYPE_NONE; type = sibling(type)) {
        int weight = find_weight(insn->op, type, form);
        if (weight < 0) weight = find_weight(insn->op, type, plain);
        if (weight >= 0) return (uint16_t)weight;
    }
    int weight = find_weight(insn->op, PTX_TYPE_NONE, WEIGHT_PLAIN);
    if (weight >= 0) return (uint16_t)weight;
    return ptx_type_size(insn->type) == 8 && insn->type != PTX_F64 ? 2 : 1;
}

/* ---- Weights of one instruction ---- */

static bool is_per_thread(uint8_t sreg) {
    return sreg <= PTX_SREG_TID_Z || (sreg >= PTX_SREG_LANEID && sreg <= PTX_SREG_WARPID) ||
           (sreg >= PTX_SREG_LANEMASK_EQ && sreg <= PTX_SREG_LANEMASK_GT);
}

static bool is_constant_bank(uint8_t sreg) {
    return (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z) ||
           (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z);
}

static uint16_t move_weight(const struct ptx_insn *insn) {
    const struct ptx_operand *from = &insn->operand[1];
    return from->kind == PTX_OPERAND_SREG && !is_constant_bank(from->sreg);
}

static bool is_pred_logic(const struct ptx_insn *insn) {
    return insn->type == PTX_PRED &&
           (insn->op == PTX_AND || insn->op == PTX_OR || insn->op == PTX_XOR || insn->op == PTX_NOT);
}

static bool is_modifier(const struct ptx_insn *insn) {
    return (insn->op == PTX_NEG || insn->op == PTX_ABS) && (insn->type == PTX_F32 || insn->type == PTX_F64);
}

static uint16_t own_weight(const struct ptx_insn *insn) {
    if (is_pred_logic(insn) || is_modifier(insn)) return 0;
    switch ((enum ptx_opcode)insn->op) {
    case PTX_MOV: return move_weight(insn);
    case PTX_LD:
    case PTX_ST: return insn->space != PTX_KPARAM && insn->space != PTX_FRAME;
    case PTX_CVTA: return insn->space != PTX_GLOBAL && insn->space != PTX_CONST;
    case PTX_CALL: return CALL_WEIGHT;
    case PTX_RED: return 1;
    default: return measured_weight(insn);
    }
}

/* ---- Facts about registers ---- */

static void count_up(uint8_t *count, int32_t reg) {
    if (reg >= 0 && count[reg] < 2) count[reg]++;
}

/* Apply visit to every register an operand names. */
static void each_register(const struct ptx_operand *o, uint8_t *count) {
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY) count_up(count, o->reg);
    if (o->kind == PTX_OPERAND_REG) count_up(count, o->reg2);
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1)) count_up(count, o->vec[i]);
}

static void count_registers(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        int written = ptx_destinations(insn);
        count_up(c->reads, insn->pred);
        for (int k = 0; k < insn->noperands; k++) each_register(&insn->operand[k], k < written ? c->writes : c->reads);
    }
}

static bool operand_diverges(const struct costs *c, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_SREG) return is_per_thread(o->sreg);
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY) return o->reg >= 0 && c->diverges[o->reg];
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1) && o->vec[i] >= 0 && c->diverges[o->vec[i]]) return true;
    return false;
}

/* May the result differ between lanes? What comes from memory may, but parameters and constants at one address. */
static bool result_diverges(const struct costs *c, const struct ptx_insn *insn) {
    bool memory = insn->op == PTX_LD && insn->space != PTX_KPARAM && insn->space != PTX_CONST;
    if (memory || insn->op == PTX_ATOM || insn->op == PTX_SHFL || insn->op == PTX_CALL || insn->op == PTX_MATCH)
        return true;
    if (insn->pred >= 0 && c->diverges[insn->pred]) return true;
    for (int k = ptx_destinations(insn); k < insn->noperands; k++)
        if (operand_diverges(c, &insn->operand[k])) return true;
    return false;
}

static bool mark_diverging(uint8_t *diverges, int32_t reg) {
    if (reg < 0 || diverges[reg]) return false;
    diverges[reg] = 1;
    return true;
}

static void find_diverging(struct costs *c) {
    bool changed;
    do {
        changed = false;
        for (int32_t i = 0; i < c->function->ninsns; i++) {
            const struct ptx_insn *insn = &c->function->insns[i];
            if (ptx_destinations(insn) == 0 || !result_diverges(c, insn)) continue;
            const struct ptx_operand *to = &insn->operand[0];
            if (to->kind == PTX_OPERAND_REG)
                changed |= mark_diverging(c->diverges, to->reg) | mark_diverging(c->diverges, to->reg2);
            for (int v = 0; to->kind == PTX_OPERAND_VECTOR && v < to->nvec; v++)
                changed |= mark_diverging(c->diverges, to->vec[v]);
        }
    } while (changed);
}

/* ---- What ptxas does across instructions ---- */

static bool single_use(const struct costs *c, const struct ptx_operand *o) {
    return o->kind == PTX_OPERAND_REG && o->reg >= 0 && c->writes[o->reg] == 1 && c->reads[o->reg] == 1;
}

static bool reads(const struct ptx_insn *insn, int32_t reg) {
    for (int k = ptx_destinations(insn); k < insn->noperands; k++)
        if (insn->operand[k].kind == PTX_OPERAND_REG && insn->operand[k].reg == reg) return true;
    return false;
}

static bool is_integer_type(uint8_t type) {
    return type < PTX_F16;
}

/* A product or shift that only the add at user reads is part of it. */
static void fuse_with_add(struct costs *c, int32_t product, int32_t user) {
    const struct ptx_insn *first = &c->function->insns[product];
    bool word = ptx_type_size(first->type) == 4;
    if (first->op == PTX_MUL && first->wide) {
        c->weight[product] = 0;
        c->weight[user] = 1;
    } else if (first->op == PTX_MUL && !first->hi && word) {
        c->weight[product] = 0;
    } else if (first->op == PTX_SHL && word && first->operand[2].kind == PTX_OPERAND_IMM) {
        c->weight[product] = 0;
    }
}

static void fuse_products(struct costs *c) {
    const struct ptx_function *f = c->function;
    for (int32_t i = 0; i < f->ninsns; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        bool product = (insn->op == PTX_MUL || insn->op == PTX_SHL) && is_integer_type(insn->type);
        if (!product || !single_use(c, &insn->operand[0])) continue;
        for (int32_t user = i + 1; user < f->ninsns; user++) {
            if (!reads(&f->insns[user], insn->operand[0].reg)) continue;
            if (f->insns[user].op == PTX_ADD && is_integer_type(f->insns[user].type)) fuse_with_add(c, i, user);
            break;
        }
    }
}

/* ---- Branches ---- */

bool inside_loop(const struct ptx_function *function, int32_t index) {
    for (int32_t i = index; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (insn->op == PTX_BRA && insn->operand[0].target <= index) return true;
    }
    return false;
}

static bool is_jump(const struct ptx_insn *insn) {
    return insn->op == PTX_BRA && insn->pred < 0;
}

/* Does a branch to index end the thread there? */
static bool leads_to_end(const struct ptx_function *f, int32_t index) {
    for (int steps = 0; index < f->ninsns && steps < 8; steps++) {
        const struct ptx_insn *insn = &f->insns[index];
        if ((insn->op == PTX_RET || insn->op == PTX_EXIT) && insn->pred < 0) return true;
        if (!is_jump(insn)) return false;
        index = insn->operand[0].target;
    }
    return index >= f->ninsns;
}

static void mark_targets(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        if (insn->op == PTX_BRA) c->targets[insn->operand[0].target] = 1;
        if (insn->op != PTX_BRX) continue;
        const struct ptx_table *table = &c->function->tables[insn->operand[1].target];
        for (int32_t k = 0; k < table->ntargets; k++) c->targets[table->targets[k]] = 1;
    }
}

static bool is_plain(const struct ptx_insn *insn) {
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

static bool is_slow(const struct ptx_insn *insn) {
    return insn->op == PTX_ATOM || (insn->op == PTX_LD && (insn->space == PTX_GLOBAL || insn->space == PTX_GENERIC));
}

static bool orders_memory(const struct ptx_insn *insn) {
    return insn->op == PTX_ST || insn->op == PTX_ATOM || insn->op == PTX_RED || insn->op == PTX_BAR;
}

/* Can no store and no barrier have happened when the instruction at index is reached? */
static bool is_quiet(const struct ptx_function *f, int32_t index) {
    int32_t end = inside_loop(f, index) ? f->ninsns : index;
    for (int32_t i = 0; i < end; i++)
        if (orders_memory(&f->insns[i])) return false;
    return true;
}

/* Machine instructions of [from, to) if it can be predicated: straight, without labels. -1: it cannot. */
static int straight_weight(const struct costs *c, int32_t from, int32_t to, bool quiet) {
    int weight = 0;
    for (int32_t i = from; i < to; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        if (!is_plain(insn) || (i > from && c->targets[i]) || (!quiet && is_slow(insn))) return -1;
        weight += c->weight[i];
    }
    return weight;
}

static void move_weights(struct costs *c, int32_t from, int32_t to, int32_t branch) {
    for (int32_t i = from; i < to; i++) {
        c->weight[branch] += c->weight[i];
        c->weight[i] = 0;
    }
}

/* if (p) A; or if (p) A; else B; with short A and B become predicated instructions. */
static bool convert_branch(struct costs *c, int32_t index) {
    const struct ptx_function *f = c->function;
    int32_t target = f->insns[index].operand[0].target, end = target, then_end = target;
    bool quiet = is_quiet(f, index);
    if (target > index + 1 && is_jump(&f->insns[target - 1]) && f->insns[target - 1].operand[0].target > target) {
        then_end = target - 1;
        end = f->insns[then_end].operand[0].target;
    }
    int first = straight_weight(c, index + 1, then_end, quiet);
    int second = end > target ? straight_weight(c, target, end, quiet) : 0;
    if (first < 0 || second < 0 || first + second > (quiet ? CONVERTED_QUIET : CONVERTED_INSTRUCTIONS)) return false;
    if (then_end < target) c->weight[then_end] = c->branch[then_end] = 0;
    c->weight[index] = 0;
    move_weights(c, index + 1, then_end, index);
    move_weights(c, target, end, index);
    return true;
}

/* @p bra A; bra B; A: the compiler turns the condition round, and the second branch is none. */
static bool is_turned_round(const struct ptx_function *f, int32_t index) {
    return index > 0 && f->insns[index - 1].op == PTX_BRA && f->insns[index - 1].pred >= 0 &&
           f->insns[index - 1].operand[0].target == index + 1;
}

static void weigh_branch(struct costs *c, int32_t index) {
    const struct ptx_function *f = c->function;
    const struct ptx_insn *insn = &f->insns[index];
    int32_t target = insn->operand[0].target;
    if (insn->pred < 0) {
        bool none = target == index + 1 || is_turned_round(f, index) || leads_to_end(f, target);
        c->branch[index] = !none;
        c->weight[index] = leads_to_end(f, target) ? 1 : !none;
        return;
    }
    c->weight[index] = 1;
    if (leads_to_end(f, target) || (target > index && convert_branch(c, index))) return;
    c->branch[index] = 1;
    if (target > index && c->diverges[insn->pred]) c->weight[index] += RECONVERGENCE;
}

static void weigh_branches(struct costs *c) {
    for (int32_t i = 0; i < c->function->ninsns; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        if (insn->op == PTX_BRX) c->branch[i] = 1;
    }
    /* A jump that closes a converted if ... else was weighed already. */
    for (int32_t i = c->function->ninsns - 1; i >= 0; i--)
        if (is_jump(&c->function->insns[i])) weigh_branch(c, i);
    for (int32_t i = 0; i < c->function->ninsns; i++)
        if (c->function->insns[i].op == PTX_BRA && c->function->insns[i].pred >= 0) weigh_branch(c, i);
}

/* ---- A function ---- */

struct costs *costs_new(const struct ptx_function *function) {
    size_t insns = (size_t)function->ninsns + 1, regs = (size_t)function->nregs + 1;
    struct costs *c = calloc(1, sizeof *c);
    c->function = function;
    c->weight = calloc(insns, sizeof *c->weight);
    c->branch = calloc(insns, 1);
    c->targets = calloc(insns, 1);
    c->writes = calloc(regs, 1);
    c->reads = calloc(regs, 1);
    c->diverges = calloc(regs, 1);
    for (int32_t i = 0; i < function->ninsns; i++) c->weight[i] = own_weight(&function->insns[i]);
    count_registers(c);
    find_diverging(c);
    fuse_products(c);
    mark_targets(c);
    weigh_branches(c);
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

bool is_hardware_branch(const struct costs *c, int32_t index) {
    return c->branch[index];
}

/* ---- Classes ---- */

static void add_single(const struct ptx_insn *insn, struct block_cost *cost) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_ADD:
    case PTX_SUB: cost->sp_add++; break;
    case PTX_MUL: cost->sp_mul++; break;
    case PTX_FMA:
    case PTX_MAD: cost->sp_fma++; break;
    case PTX_DIV:
    case PTX_RCP:
    case PTX_SQRT:
    case PTX_RSQRT:
    case PTX_SIN:
    case PTX_COS:
    case PTX_LG2:
    case PTX_EX2:
    case PTX_TANH: cost->sp_special++; break;
    default: break;
    }
}

static void add_double(const struct ptx_insn *insn, struct block_cost *cost) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_ADD:
    case PTX_SUB: cost->dp_add++; break;
    case PTX_MUL: cost->dp_mul++; break;
    case PTX_FMA:
    case PTX_MAD: cost->dp_fma++; break;
    default: break;
    }
}

static void add_half(const struct ptx_insn *insn, struct block_cost *cost) {
    uint32_t values = insn->type == PTX_F16X2 || insn->type == PTX_BF16X2 ? 2 : 1;
    if (insn->op == PTX_ADD || insn->op == PTX_SUB || insn->op == PTX_MUL) cost->hp += values;
    if (insn->op == PTX_FMA || insn->op == PTX_MAD) cost->hp += 2 * values;
}

static bool is_arithmetic(uint16_t op) {
    return op <= PTX_PRMT;
}

static bool is_memory(uint16_t op) {
    return op == PTX_LD || op == PTX_LDU || op == PTX_ST || op == PTX_ATOM || op == PTX_RED;
}

static bool is_control(uint16_t op) {
    return op == PTX_BRA || op == PTX_BRX || op == PTX_CALL || op == PTX_RET || op == PTX_EXIT || op == PTX_TRAP;
}

static void add_classes(const struct ptx_insn *insn, struct block_cost *cost) {
    if (insn->type == PTX_F32) add_single(insn, cost);
    if (insn->type == PTX_F64) add_double(insn, cost);
    if (insn->type >= PTX_F16 && insn->type <= PTX_BF16X2) add_half(insn, cost);
    if (is_arithmetic(insn->op) && is_integer_type(insn->type) && insn->type != PTX_PRED) cost->integer++;
    if (is_memory(insn->op) && insn->space != PTX_KPARAM && insn->space != PTX_FRAME) cost->load_store++;
    if (is_control(insn->op)) cost->control++;
}

/* Its classes count for the threads whose predicate holds, which the block does not know. */
static bool is_counted_apart(const struct ptx_insn *insn) {
    return insn->pred >= 0 && !is_control(insn->op);
}

void block_cost(const struct costs *c, int32_t from, int32_t to, struct block_cost *cost) {
    for (int32_t i = from; i < to; i++) {
        const struct ptx_insn *insn = &c->function->insns[i];
        cost->ptx++;
        cost->machine += c->weight[i];
        cost->branches += c->branch[i];
        if (insn->op == PTX_SHFL || insn->op == PTX_VOTE || insn->op == PTX_MATCH || insn->op == PTX_REDUX)
            cost->shuffles++;
        if (!is_counted_apart(insn)) add_classes(insn, cost);
    }
}

bool guarded_cost(const struct ptx_insn *insn, struct block_cost *cost) {
    static const struct block_cost nothing;
    if (is_counted_apart(insn)) add_classes(insn, cost);
    return memcmp(cost, &nothing, sizeof nothing) != 0;
}
