/* decode/cost_class.c: operations by class, as the metrics of instruction mixes ask for them.
 * device/counters.def says what each class counts. A fused multiply-add counts once: a metric
 * counts it as two operations. */
#include "cost.h"

#include <string.h>

/* Single precision. What the special-function units work out is a class by itself. A division
 * counts there, too. */
static void add_single(const struct ptx_insn *insn, struct block_cost *cost) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_ADD:
    case PTX_SUB: cost->flop_sp_add++; break;
    case PTX_MUL: cost->flop_sp_mul++; break;
    case PTX_FMA:
    case PTX_MAD: cost->flop_sp_fma++; break;
    default:
        cost->flop_sp_special += insn->op == PTX_DIV || ptx_kind(insn) == PTX_KIND_FUNCTION;
        break;
    }
}

/* Double precision. It has no class of special functions. */
static void add_double(const struct ptx_insn *insn, struct block_cost *cost) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_ADD:
    case PTX_SUB: cost->flop_dp_add++; break;
    case PTX_MUL: cost->flop_dp_mul++; break;
    case PTX_FMA:
    case PTX_MAD: cost->flop_dp_fma++; break;
    default: break;
    }
}

/* Half precision counts operations, not instructions: pairs double. */
static void add_half(const struct ptx_insn *insn, struct block_cost *cost) {
    uint32_t values = insn->type == PTX_F16X2 || insn->type == PTX_BF16X2 ? 2 : 1;
    switch ((enum ptx_opcode)insn->op) {
    case PTX_ADD:
    case PTX_SUB: cost->flop_hp_add += values; break;
    case PTX_MUL: cost->flop_hp_mul += values; break;
    case PTX_FMA:
    case PTX_MAD: cost->flop_hp_fma += values; break;
    default: break;
    }
}

static bool is_control(const struct ptx_insn *insn) {
    enum ptx_kind kind = ptx_kind(insn);
    return kind == PTX_KIND_BRANCH || kind == PTX_KIND_CALL || kind == PTX_KIND_END;
}

static bool is_half(uint8_t type) {
    return type >= PTX_F16 && type <= PTX_BF16X2;
}

static bool is_float(uint8_t type) {
    return type == PTX_F32 || type == PTX_F64 || is_half(type);
}

/* Does it compute, or compare? Moves do neither. */
static bool computes(const struct ptx_insn *insn) {
    enum ptx_kind kind = ptx_kind(insn);
    return kind == PTX_KIND_ARITHMETIC || kind == PTX_KIND_FUNCTION || insn->op == PTX_SETP ||
           insn->op == PTX_SET || insn->op == PTX_COPYSIGN || insn->op == PTX_TESTP;
}

/* An instruction may be in several classes. Loads of parameters are no memory accesses on a GPU. */
static void add_classes(const struct ptx_insn *insn, struct block_cost *cost) {
    if (insn->type == PTX_F32) add_single(insn, cost);
    if (insn->type == PTX_F64) add_double(insn, cost);
    if (is_half(insn->type)) add_half(insn, cost);
    if (computes(insn)) {
        cost->inst_fp16 += is_half(insn->type);
        cost->inst_fp32 += insn->type == PTX_F32;
        cost->inst_fp64 += insn->type == PTX_F64;
        cost->inst_integer += is_integer_type(insn->type) && insn->type != PTX_PRED;
    }
    cost->inst_convert += insn->op == PTX_CVT && (is_float(insn->type) || is_float(insn->type2));
    cost->inst_communication += ptx_kind(insn) == PTX_KIND_COLLECTIVE && insn->op != PTX_ELECT;
    if (ptx_accesses(insn) && insn->space != PTX_KPARAM && insn->space != PTX_FRAME)
        cost->inst_load_store++;
    if (is_control(insn)) cost->inst_control++, cost->control_executed++;
}

/* Classes count threads. Of a guarded instruction those whose predicate holds count, which the
 * block does not know. Control instructions count for all threads that reach them. */
static bool is_counted_apart(const struct ptx_insn *insn) {
    return insn->pred >= 0 && !is_control(insn);
}

void cost_classes(const struct ptx_insn *insn, struct block_cost *cost) {
    if (!is_counted_apart(insn)) add_classes(insn, cost);
}

/* True: something is to be counted. A cost of zeros alone is not worth an operation. */
bool guarded_cost(const struct ptx_insn *insn, struct block_cost *cost) {
    static const struct block_cost nothing;
    if (is_counted_apart(insn)) add_classes(insn, cost);
    return memcmp(cost, &nothing, sizeof nothing) != 0;
}
