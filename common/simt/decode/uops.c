/* decode/uops.c: from PTX instructions to uops: pipe, machine instructions, registers.
 * machine/uops.h has the types, time/ replays them. */
#include "simt/machine/uops.h"

#include "decode.h"
#include "lib/memory.h"
#include "simt/image/machine_code.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMED    64 /* registers that one instruction can name */
#define ALL_BARRIERS ((1u << MACHINE_BARRIERS) - 1)

/* Between float and double the double-precision units convert, between integers and floats, one of
 * 64 bits, those of the special functions: 2 and 8 cycles a warp on an H200. Halves run at the pipe
 * of single precision. Since Volta integer products have their own lanes, beside those for the rest
 * [JIA18]. An addition, a shift to the left or a move can be written as a product (IMAD.IADD,
 * IMAD.SHL, IMAD.MOV). Compilers do so to use both. popc, clz, brev and bfind run at the rate of
 * the special functions: CUDA C++ Programming Guide, "Arithmetic Instructions" [PG]. */
static enum pipe arithmetic_pipe(const struct ptx_insn *insn, enum pipe integers) {
    bool to_integer =
        insn->op == PTX_CVT && (is_integer_type(insn->type) || is_integer_type(insn->type2));
    if (to_integer && (ptx_type_size(insn->type) == 8 || ptx_type_size(insn->type2) == 8))
        return is_integer_type(insn->type) && is_integer_type(insn->type2) ? integers : PIPE_SFU;
    if (insn->type == PTX_F64 || insn->type2 == PTX_F64) return PIPE_FP64;
    if (integers == PIPE_SFU) return PIPE_SFU;
    return insn->type >= PTX_F16 && insn->type <= PTX_F32 ? PIPE_FP32 : integers;
}

/* Parameters are constants or registers on a GPU: no access. */
static bool is_memory_space(uint8_t space) {
    return space != PTX_KPARAM && space != PTX_FRAME;
}

static enum pipe pipe_of(const struct ptx_insn *insn) {
    static const uint8_t pipes[] = {
#define PTX_OP(id, spelling, operands, suffixes, kind, pipe, undefined, weight, decode) PIPE_##pipe,
#include "simt/ptx/opcodes.def"
#undef PTX_OP
    };
    enum pipe pipe = pipes[insn->op];
    switch ((enum ptx_opcode)insn->op) {
    case PTX_LD:
    case PTX_LDU:
    case PTX_ST: return is_memory_space(insn->space) ? pipe : PIPE_NONE;
    case PTX_MOV: return insn->operand[1].kind == PTX_OPERAND_SREG ? PIPE_SREG : pipe;
    case PTX_BAR: return insn->sub == PTX_BAR_WARP_SYNC ? PIPE_CONTROL : pipe;
    default: break;
    }
    bool computes = pipe == PIPE_INT || pipe == PIPE_MAD || pipe == PIPE_EITHER || pipe == PIPE_SFU;
    return computes ? arithmetic_pipe(insn, pipe) : pipe;
}

/* Machine instructions that the time model issues for a uop. Memory accesses and barriers happen,
 * even where their count went to the branch before them (move_weights in decode/cost.c): then 1. */
static uint16_t issues_of(enum pipe pipe, uint32_t weight) {
    bool event = pipe == PIPE_MEMORY || pipe == PIPE_BARRIER || pipe == PIPE_FENCE;
    return (uint16_t)(event && !weight ? 1 : weight);
}

/* ---- Registers ---- */

/* The registers of one instruction. base makes them unique among all functions of the kernel. */
struct names {
    uint32_t regs[MAX_NAMED];
    uint32_t n, base;
};

/* More than MAX_NAMED are left out: the time model then misses a dependence, and nothing breaks. */
static void uops_name(struct names *names, int32_t reg) {
    if (reg >= 0 && names->n < MAX_NAMED) names->regs[names->n++] = names->base + (uint32_t)reg;
}

/* All registers that an operand names, as sources or as destinations. */
static void name_operand(struct names *names, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY) uops_name(names, o->reg);
    if (o->kind == PTX_OPERAND_REG) uops_name(names, o->reg2);
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1)) uops_name(names, o->vec[i]);
}

/* Append the names to the kernel's array. Uops refer to it by index, as the array moves when it
 * grows. */
static void keep_names(struct kernel *kernel, const struct names *names) {
    if (names->n == 0) return;
    while (kernel->nuop_regs + names->n > kernel->uop_reg_capacity) {
        kernel->uop_reg_capacity = kernel->uop_reg_capacity ? 2 * kernel->uop_reg_capacity : 256;
        kernel->uop_regs =
            need(realloc(kernel->uop_regs, kernel->uop_reg_capacity * sizeof *kernel->uop_regs));
    }
    memcpy(kernel->uop_regs + kernel->nuop_regs, names->regs, names->n * sizeof *names->regs);
    kernel->nuop_regs += names->n;
}

/* Is it a call of a function that the program has? */
static bool calls_code(const struct decoder *d, const struct ptx_insn *insn) {
    if (insn->op != PTX_CALL) return false;
    const struct ptx_operand *callee = &insn->operand[1];
    return callee->kind != PTX_OPERAND_FUNCTION ||
           d->function->module->functions[callee->func].definition;
}

/* Does it leave the function for another one? ptxas has it wait for all results on their way: they
 * are counted in barrier registers, which the other function uses, too. */
static bool leaves_code(const struct decoder *d, const struct ptx_insn *insn) {
    return calls_code(d, insn) || (insn->op == PTX_RET && !d->function->is_entry);
}

static bool reads_thread(const struct ptx_insn *insn) {
    const struct ptx_operand *from = &insn->operand[1];
    return insn->op == PTX_MOV && from->kind == PTX_OPERAND_SREG && from->reg <= PTX_SREG_TID_Z;
}

/* Does ptxas have one thread do the atomic for a warp whose threads share the address? It counts
 * the threads for sums, and REDUX has what else it needs: of 32 bits, without the values between.
 */
static bool combines(const struct ptx_insn *insn) {
    if (ptx_kind(insn) != PTX_KIND_ATOMIC || insn->type >= PTX_F16) return false;
    bool answers = ptx_answers(insn);
    bool word = ptx_type_size(insn->type) == 4;
    if (insn->sub == PTX_ATOM_ADD)
        return word || insn->operand[insn->noperands - 1].kind == PTX_OPERAND_IMM;
    return word && !answers && insn->sub >= PTX_ATOM_MIN && insn->sub <= PTX_ATOM_XOR;
}

/* An addition of 64 bits takes two instructions, unless it is part of a product with 64 bits. */
static bool adds_product(const struct ptx_insn *insn, uint32_t weight) {
    return insn->op == PTX_ADD && is_integer_type(insn->type) && ptx_type_size(insn->type) == 8 &&
           weight == 1;
}

/* Sources come first, the guard among them, then destinations: struct uop counts each and begins at
 * regs. */
static struct uop uop_of(struct decoder *d, int32_t index) {
    const struct ptx_insn *insn = &d->function->insns[index];
    struct names names = {.base = d->code->first_reg};
    uint32_t weight = machine_instructions(d->costs, index);
    enum pipe pipe = adds_product(insn, weight)         ? PIPE_MAD
                     : is_in_registers(d->costs, index) ? PIPE_EITHER
                                                        : pipe_of(insn);
    struct machine_time time = weight ? machine_time(insn) : (struct machine_time){0};
    struct uop uop = {.insn = insn,
                      .regs = d->kernel->nuop_regs,
                      .combined = combines(insn) &&
                                  (insn->space != PTX_SHARED || shares_address(d->costs, index)),
                      .issues = issues_of(pipe, weight),
                      .latency = time.latency,
                      .turn = time.turn,
                      .pipe = pipe,
                      .units = uop_units(pipe, false, reads_thread(insn)),
                      .jumps = calls_code(d, insn),
                      .waits = leaves_code(d, insn) ? ALL_BARRIERS : 0,
                      .wide = pipe == PIPE_MAD &&
                              (insn->hi || insn->wide || ptx_type_size(insn->type) == 8)};
    int written = ptx_destinations(insn);
    uops_name(&names, insn->pred);
    for (int k = written; k < insn->noperands; k++) name_operand(&names, &insn->operand[k]);
    uop.sources = (uint8_t)names.n;
    for (int k = 0; k < written; k++) name_operand(&names, &insn->operand[k]);
    uop.destinations = (uint8_t)(names.n - uop.sources);
    keep_names(d->kernel, &names);
    return uop;
}

/* One uop for each instruction of the block, also for those that issue nothing: their results are
 * other names for their operands. */
void uops_build(struct decoder *d, uint32_t tally, int32_t from, int32_t to) {
    struct uop *uops = kernel_alloc(d, (size_t)(to - from) * sizeof *uops);
    struct uop_list *list = &d->kernel->uop_lists[tally];
    for (int32_t i = from; i < to; i++) {
        uops[i - from] = uop_of(d, i);
        uops[i - from].at = d->kernel->nplaces;
        d->kernel->nplaces += uops[i - from].issues;
    }
    *list = (struct uop_list){.items = uops, .n = (uint32_t)(to - from)};
    uops_schedule(d, uops, list->n);
}
