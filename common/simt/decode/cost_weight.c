/* decode/cost_weight.c: machine instructions that one PTX instruction compiles to.
 * decode/sass_weights.def has what dev/weights.sh measured for sm_75, sass_times.def some times. */
#include "cost.h"

#include <stddef.h>

#define CALL_WEIGHT      4 /* of a call: the jump, and moving arguments to their registers */
#define ADDRESS_MOVES    4 /* in code that is not optimised: copies of an address before its use, */
#define DESCRIPTOR_MOVES 2 /* and of the descriptor */
/* compute capability, times 10, from which parameters are loaded before they are used */
#define CC_LOADED_PARAMETERS 90

/* ---- Measured weights ---- */

/* The forms of an instruction that are measured apart. WEIGHT_FROM + type is a conversion from that
 * type. */
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

static const struct {
    uint16_t op;
    uint8_t type, form;
    struct machine_time time;
} timed[] = {
#define SASS_TIME(op, type, form, latency, turn)                                                   \
    {PTX_##op, PTX_##type, WEIGHT_##form, {latency, turn}},
#include "sass_times.def"
#undef SASS_TIME
};

/* How ptx/opcodes.def says that an opcode is weighed. */
enum weighing {
    WEIGH_MEASURED, /* sass_weights.def has it */
    WEIGH_ASSUMED,  /* nobody measured it */
    WEIGH_NONE,     /* 0 */
    WEIGH_ONE,
    WEIGH_MOVE,
    WEIGH_ACCESS,
    WEIGH_ADDRESS, /* 0 in global and constant memory, whose addresses are generic ones */
    WEIGH_SELECTION,
    WEIGH_CALL
};

#define OPCODE_BIT(op) ((unsigned __int128)1 << PTX_##op)
_Static_assert(PTX_OPCODE_COUNT <= 128, "a bit for each opcode");
_Static_assert((0
#define SASS_WEIGHT(op, type, form, weight) | OPCODE_BIT(op)
#include "sass_weights.def"
#undef SASS_WEIGHT
                ) == (0
#define PTX_OP(id, spelling, operands, suffixes, kind, pipe, undefined, weight, decode)            \
    | (WEIGH_##weight == WEIGH_MEASURED || WEIGH_##weight == WEIGH_SELECTION ? OPCODE_BIT(id) : 0)
#include "simt/ptx/opcodes.def"
#undef PTX_OP
                      ),
               "opcodes.def calls an opcode measured that sass_weights.def lacks, or the reverse");

/* The measured weight of exactly this opcode, type and form; -1: not measured. */
static int find_weight(uint16_t op, uint8_t type, uint8_t form) {
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (measured[i].op == op && measured[i].type == type && measured[i].form == form)
            return measured[i].weight;
    return -1;
}

/* Another type of the same width, whose weight will do: signed as unsigned, either as bits, bf16 as
 * f16. */
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

/* The form that decides most comes first: .full and .approx before .hi, .wide and an immediate as
 * last operand. */
static uint8_t weight_form(const struct ptx_insn *insn) {
    const struct ptx_operand *last = insn->noperands ? &insn->operand[insn->noperands - 1] : NULL;
    if (insn->op == PTX_CVT) return (uint8_t)(WEIGHT_FROM + insn->type2);
    if (insn->full) return WEIGHT_FULL;
    if (insn->approx) return insn->ftz ? WEIGHT_APPROX_FTZ : WEIGHT_APPROX;
    if (insn->hi) return WEIGHT_HI;
    if (insn->wide) return WEIGHT_WIDE;
    return last && last->kind == PTX_OPERAND_IMM ? WEIGHT_IMM : WEIGHT_PLAIN;
}

/*
 * The weight of an instruction in a form. The first that was measured wins:
 *
 *   1. its type in that form, then in the plain form; a conversion has no plain form
 *   2. the same for its siblings, from signed to unsigned to bits
 *   3. the opcode without a type
 *   4. nothing measured: two instructions for 64-bit integers, as registers have 32 bits; else one
 */
static uint16_t weight_in_form(const struct ptx_insn *insn, uint8_t form) {
    uint8_t plain = insn->op == PTX_CVT ? form : WEIGHT_PLAIN;
    for (uint8_t type = insn->type; type != PTX_TYPE_NONE; type = sibling(type)) {
        int weight = find_weight(insn->op, type, form);
        if (weight < 0) weight = find_weight(insn->op, type, plain);
        if (weight >= 0) return (uint16_t)weight;
    }
    int weight = find_weight(insn->op, PTX_TYPE_NONE, WEIGHT_PLAIN);
    if (weight >= 0) return (uint16_t)weight;
    return ptx_type_size(insn->type) == 8 && insn->type != PTX_F64 ? 2 : 1;
}

static uint16_t measured_weight(const struct ptx_insn *insn) {
    return weight_in_form(insn, weight_form(insn));
}

struct machine_time machine_time(const struct ptx_insn *insn) {
    uint8_t form = weight_form(insn);
    for (uint8_t type = insn->type; type != PTX_TYPE_NONE; type = sibling(type))
        for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
            if (timed[i].op == insn->op && timed[i].type == type && timed[i].form == form)
                return timed[i].time;
    return (struct machine_time){0};
}

/* ---- Weights of one instruction ---- */

/* %ntid and %nctaid lie in the constant bank, where every instruction can read an operand. */
static bool is_constant_bank(uint8_t sreg) {
    return (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z) ||
           (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z);
}

/* A move is renaming: ptxas gives both registers one name. A special register must be read by an
 * instruction (S2R). */
static uint16_t move_weight(const struct ptx_insn *insn, int capability) {
    const struct ptx_operand *from = &insn->operand[1];
    if (from->kind != PTX_OPERAND_SREG) return 0;
    return !is_constant_bank(from->sreg) || capability >= CC_LOADED_PARAMETERS;
}

/* Before compute capability 9.0 kernel parameters are operands in the constant bank; later GPUs
 * load them first. Parameters of calls stay in registers. */
static uint16_t access_weight(const struct ptx_insn *insn, int capability) {
    if (insn->space == PTX_KPARAM) return capability >= CC_LOADED_PARAMETERS;
    return insn->space != PTX_FRAME;
}

/* A machine instruction has room for one immediate, so a second one must be moved to a register
 * before. */
static uint16_t selection_weight(const struct ptx_insn *insn) {
    bool immediates =
        insn->operand[1].kind == PTX_OPERAND_IMM && insn->operand[2].kind == PTX_OPERAND_IMM;
    return (uint16_t)(measured_weight(insn) + immediates);
}

/* The comparison that makes a predicate does the logic, too. */
static bool is_pred_logic(const struct ptx_insn *insn) {
    return insn->type == PTX_PRED && (insn->op == PTX_AND || insn->op == PTX_OR ||
                                      insn->op == PTX_XOR || insn->op == PTX_NOT);
}

/* Machine instructions negate float operands and take absolute values as they read them. */
static bool is_modifier(const struct ptx_insn *insn) {
    return (insn->op == PTX_NEG || insn->op == PTX_ABS) &&
           (insn->type == PTX_F32 || insn->type == PTX_F64);
}

/* Without optimisation each variable has its own register. What a mov carries passes through
 * another register on its way. Each access puts its address together anew, with its descriptor. */
uint16_t unoptimised_weight(const struct ptx_insn *insn, int capability) {
    uint16_t words = (uint16_t)((ptx_type_size(insn->type) + 3) / 4);
    switch ((enum ptx_opcode)insn->op) {
    case PTX_MOV: return insn->operand[1].kind == PTX_OPERAND_IMM ? words : (uint16_t)(2 * words);
    case PTX_LD:
    case PTX_ST:
        if (insn->space == PTX_KPARAM || insn->space == PTX_FRAME) return (uint16_t)(1 + words);
        return (uint16_t)(1 + ADDRESS_MOVES + (capability >= CC_DESCRIPTOR ? DESCRIPTOR_MOVES : 0));
    case PTX_CVT:
    case PTX_CVTA: return words;
    case PTX_CALL: return CALL_WEIGHT;
    case PTX_DIV:
    case PTX_REM:
        return is_integer_type(insn->type) ? weight_in_form(insn, WEIGHT_PLAIN)
                                           : measured_weight(insn);
    default: return measured_weight(insn);
    }
}

/* The optimised weight of one instruction alone. decode/cost.c then corrects it for what ptxas does
 * across instructions. */
uint16_t own_weight(const struct ptx_insn *insn, int capability) {
    if (is_pred_logic(insn) || is_modifier(insn)) return 0;
    static const uint8_t weighings[] = {
#define PTX_OP(id, spelling, operands, suffixes, kind, pipe, undefined, weight, decode)            \
    WEIGH_##weight,
#include "simt/ptx/opcodes.def"
#undef PTX_OP
    };
    switch ((enum weighing)weighings[insn->op]) {
    case WEIGH_MEASURED:
    case WEIGH_ASSUMED: return measured_weight(insn);
    case WEIGH_NONE: return 0;
    case WEIGH_ONE: return 1;
    case WEIGH_MOVE: return move_weight(insn, capability);
    case WEIGH_ACCESS: return access_weight(insn, capability);
    case WEIGH_ADDRESS: return insn->space != PTX_GLOBAL && insn->space != PTX_CONST;
    case WEIGH_SELECTION: return selection_weight(insn);
    case WEIGH_CALL: return CALL_WEIGHT;
    }
    return 0;
}
