/*
 * ptx/registers.c: estimates how many registers ptxas would allocate, for PTX without machine code.
 *
 * Most of the answer is the pressure: how many 32-bit registers live at once. A constant bank holds
 * kernel parameters and immediates, so these need no register. A copy shares the register of what
 * it copies.
 */
#include "liveness.h"

#include <math.h>

/*
 * Beyond the pressure, ptxas takes registers to compute early what long instructions wait for: the
 * more, the longer the code is. Where many values are alive, it orders the code so that some are
 * not. Divisions and roots that round exactly have a slow path, a call, and calls follow a
 * convention.
 *
 * The constants are fitted to ptxas 13.0 for sm_90, with 501 kernels. Of 254 others, half of the
 * estimates are within 3 registers, and two thirds within 4; the worst is 45 off.
 */
#define PER_ALIVE            0.6
#define MANY_ALIVE           48
#define PER_ALIVE_OF_MANY    1.2
#define PER_DOUBLING         2.0 /* of the number of instructions */
#define CALL_REGISTERS       11
#define CALL_LEAST_REGISTERS 24
#define MOST_REGISTERS       255

/* ---- Values and the registers that they share ---- */

struct values {
    int32_t *shares;  /* register -> the one whose value it copies, or itself */
    int32_t *writers; /* instructions that write it */
    uint8_t *weight;  /* 32-bit registers that it needs */
};

static uint8_t words_of_register(const struct ptx_reg *reg) {
    unsigned size = ptx_type_size(reg->type);
    return reg->type == PTX_PRED ? 0 : size <= 4 ? 1 : (uint8_t)(size / 4);
}

/* Is the result in the constant bank, or an immediate? */
static bool gives_constant(const struct ptx_insn *insn) {
    const struct ptx_operand *from = &insn->operand[1];
    if (insn->op == PTX_LD) {
        bool banked = from->var_space == PTX_KPARAM || from->var_space == PTX_CONST;
        return from->kind == PTX_OPERAND_MEMORY && from->reg < 0 && from->var >= 0 && banked;
    }
    bool shape = from->kind == PTX_OPERAND_SREG && from->sreg >= PTX_SREG_NTID_X &&
                 from->sreg <= PTX_SREG_NCTAID_Z &&
                 !(from->sreg >= PTX_SREG_CTAID_X && from->sreg <= PTX_SREG_CTAID_Z);
    bool address = from->kind == PTX_OPERAND_VARIABLE || from->kind == PTX_OPERAND_FUNCTION;
    return insn->op == PTX_MOV && (from->kind == PTX_OPERAND_IMM || shape || address);
}

static bool is_copy(const struct ptx_insn *insn) {
    bool registers =
        insn->operand[0].kind == PTX_OPERAND_REG && insn->operand[1].kind == PTX_OPERAND_REG;
    return registers && (insn->op == PTX_MOV || insn->op == PTX_CVTA);
}

/* Only values that one instruction writes, and always, are known to be constants or copies. */
static void take_value(const struct ptx_insn *insn, const struct refs *refs,
                       struct values *values) {
    bool once = refs->ndef && insn->pred < 0;
    for (int k = 0; k < refs->ndef; k++) once &= values->writers[refs->def[k]] == 1;
    if (!once) return;
    if (gives_constant(insn)) {
        for (int k = 0; k < refs->ndef; k++) values->weight[refs->def[k]] = 0;
    } else if (is_copy(insn)) {
        int32_t to = insn->operand[0].reg, from = insn->operand[1].reg;
        if (values->writers[from] == 1) values->shares[to] = values->shares[from];
    }
}

static struct values find_values(const struct cfg *cfg) {
    const struct ptx_function *function = cfg->function;
    size_t nregs = (size_t)function->nregs + 1;
    struct values values = {.shares = arena_array(cfg->arena, nregs, sizeof *values.shares),
                            .writers = arena_array(cfg->arena, nregs, sizeof *values.writers),
                            .weight = arena_array(cfg->arena, nregs, 1)};
    struct refs refs;
    for (int32_t r = 0; r < function->nregs; r++) {
        values.shares[r] = r;
        values.weight[r] = words_of_register(&function->regs[r]);
    }
    for (int32_t i = 0; i < function->ninsns; i++) {
        find_refs(&function->insns[i], &refs);
        for (int k = 0; k < refs.ndef; k++) values.writers[refs.def[k]]++;
    }
    for (int32_t i = 0; i < function->ninsns; i++) {
        find_refs(&function->insns[i], &refs);
        take_value(&function->insns[i], &refs, &values);
    }
    return values;
}

/* ---- Pressure ---- */

struct pressure {
    struct ptx_function *function;
    const struct values *values;
    int32_t *alive_in;  /* by register: the block, plus 1, in which the scan last found it alive; 0:
                           dead */
    int32_t *shared_in; /* by shared register: the block, plus 1, that sharers counts for */
    int32_t *sharers;   /* how many of those that share it are alive */
    int32_t block;      /* the scanned block, plus 1 */
    int32_t now, most;
};

static void be_born(struct pressure *pressure, int32_t reg) {
    int32_t shared = pressure->values->shares[reg];
    if (pressure->alive_in[reg] == pressure->block) return;
    pressure->alive_in[reg] = pressure->block;
    if (pressure->shared_in[shared] != pressure->block) pressure->sharers[shared] = 0;
    pressure->shared_in[shared] = pressure->block;
    if (pressure->sharers[shared]++ == 0) pressure->now += pressure->values->weight[shared];
    if (pressure->now > pressure->most) pressure->most = pressure->now;
}

static void die(struct pressure *pressure, int32_t reg) {
    int32_t shared = pressure->values->shares[reg];
    if (pressure->alive_in[reg] != pressure->block) return;
    pressure->alive_in[reg] = 0;
    if (--pressure->sharers[shared] == 0) pressure->now -= pressure->values->weight[shared];
}

/* Scans a block backwards. */
static void scan_block(const struct liveness *live, int32_t b, struct pressure *pressure) {
    const struct block *block = &live->cfg->blocks[b];
    const word *out = set_of(live, live->out, b);
    struct refs refs;
    pressure->block = b + 1;
    pressure->now = 0;
    for (int32_t g = 0; g < live->nglobals; g++)
        if (out[g / WORD_BITS] >> g % WORD_BITS & 1) be_born(pressure, live->reg[g]);
    for (int32_t i = block->end - 1; i >= block->start; i--) {
        const struct ptx_insn *insn = &live->cfg->function->insns[i];
        find_refs(insn, &refs);
        for (int k = 0; k < refs.ndef; k++) be_born(pressure, refs.def[k]);
        for (int k = 0; k < refs.ndef && kills(insn); k++) die(pressure, refs.def[k]);
        for (int k = 0; k < refs.nuse; k++) be_born(pressure, refs.use[k]);
        pressure->function->insns[i].alive = (uint16_t)pressure->now;
    }
}

static int32_t most_alive(const struct liveness *live, struct ptx_function *function) {
    size_t nregs = (size_t)live->cfg->function->nregs + 1;
    struct values values = find_values(live->cfg);
    struct pressure pressure = {.function = function,
                                .values = &values,
                                .alive_in = arena_array(live->cfg->arena, nregs, sizeof(int32_t)),
                                .shared_in = arena_array(live->cfg->arena, nregs, sizeof(int32_t)),
                                .sharers = arena_array(live->cfg->arena, nregs, sizeof(int32_t))};
    for (int32_t b = 0; b < live->cfg->nblocks; b++) scan_block(live, b, &pressure);
    for (int32_t r = 0; r < function->nregs; r++)
        function->regs[r].words = values.weight[values.shares[r]];
    return pressure.most;
}

/* ---- The estimate ---- */

bool ptx_has_slow_path(const struct ptx_insn *insn) {
    bool divides = insn->op == PTX_DIV || insn->op == PTX_REM;
    if (divides && insn->type < PTX_F16) return ptx_type_size(insn->type) == 8;
    return (divides || insn->op == PTX_RCP || insn->op == PTX_SQRT) && !insn->approx && !insn->full;
}

static bool any(const struct ptx_function *function, bool (*is)(const struct ptx_insn *)) {
    for (int32_t i = 0; i < function->ninsns; i++)
        if (is(&function->insns[i])) return true;
    return false;
}

static bool is_call(const struct ptx_insn *insn) {
    return insn->op == PTX_CALL;
}

int32_t machine_registers(const struct liveness *live, struct ptx_function *function) {
    int32_t alive = most_alive(live, function), many = alive > MANY_ALIVE ? alive - MANY_ALIVE : 0;
    bool calls = any(function, is_call);
    double estimate = PER_ALIVE * (alive - many) + PER_ALIVE_OF_MANY * many +
                      PER_DOUBLING * log2(function->ninsns) + (calls ? CALL_REGISTERS : 0);
    if ((calls || any(function, ptx_has_slow_path)) && estimate < CALL_LEAST_REGISTERS)
        estimate = CALL_LEAST_REGISTERS;
    return estimate < MOST_REGISTERS ? (int32_t)lround(estimate) : MOST_REGISTERS;
}
