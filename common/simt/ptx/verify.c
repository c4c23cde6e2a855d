/*
 * ptx/verify.c: checks an instruction's operands against its opcode. ptxas has not seen the
 * program, so only this check finds a wrong operand in inline assembly. The interpreter need not
 * check again.
 */
#include "matrix.h"
#include "parse.h"
#include "table.h"

#include <string.h>

enum ptx_type ptx_operand_type(const struct ptx_insn *insn, int i) {
    enum ptx_type type = insn->type,
                  second = insn->type2 != PTX_TYPE_NONE ? insn->type2 : insn->type;
    const struct ptx_operand *operand = &insn->operand[i];
    switch (ptx_operand_letter(insn, i)) {
    case 'D':
    case 's':
    case 'E':
    case 'e': return type;
    case 'V':
    case 'v':
        return operand->kind == PTX_OPERAND_VECTOR ? ptx_part_type(type, operand->nvec) : type;
    case 'W':
    case 'w': return insn->wide ? ptx_wide_type(type) : type;
    case '2':
    case '3': return second;
    case 'F':
    case 'f': return insn->type2 == PTX_F64 || type == PTX_F64 ? PTX_F64 : PTX_B32;
    case 'U':
    case 'u': return PTX_U32;
    case 'P':
    case 'p': return PTX_PRED;
    case 'c': return PTX_B32;
    default: return PTX_TYPE_NONE;
    }
}

int ptx_destinations(const struct ptx_insn *insn) {
    char first = *ptx_operand_letters(insn);
    return first >= 'A' && first <= 'Z' && insn->noperands > 0;
}

/* ---- Registers ---- */

enum class { CLASS_PRED, CLASS_32, CLASS_64, CLASS_128 };

static enum class operand_class_of(enum ptx_type type) {
    unsigned size = ptx_type_size(type); return type == PTX_PRED ? CLASS_PRED
                                                : size <= 4      ? CLASS_32
                                                : size == 8      ? CLASS_64
                                                                 : CLASS_128;
}

/* May a register of one type hold a value of another type? wider: the register may be wider. */
static bool verify_fits(enum ptx_type reg, enum ptx_type value, bool wider) {
    enum class a = operand_class_of(reg), b = operand_class_of(value);
    if (a == CLASS_PRED || b == CLASS_PRED) return a == b;
    return wider ? ptx_type_size(reg) >= ptx_type_size(value) : a == b;
}

/* ---- Operands ---- */

static bool is_written(char letter) {
    return letter >= 'A' && letter <= 'Z';
}

static const char *check_register(const struct ptx_reg *regs, int32_t reg, enum ptx_type type,
                                  char letter) {
    bool wider = strchr("Ee3", letter) != NULL;
    if (letter == 'x') return NULL;
    return verify_fits(regs[reg].type, type, wider) ? NULL
                                                    : "a register is not of the instruction's type";
}

static const char *check_vector(const struct ptx_insn *insn, const struct ptx_operand *operand,
                                const struct ptx_reg *regs, int i) {
    char letter = ptx_operand_letter(insn, i);
    bool packs = letter == 'V' || letter == 'v', fragment = letter == 'F' || letter == 'f';
    enum ptx_type type = ptx_operand_type(insn, i);
    if (fragment && operand->nvec != ptx_fragment_registers(insn, i))
        return "a fragment has the wrong number of registers";
    bool free = packs || fragment || letter == 'c';
    if (letter == 'c' ? operand->nvec > 4 : !free && operand->nvec != insn->vector)
        return "a vector has the wrong number of elements";
    if (type == PTX_TYPE_NONE || strchr("mltxpPuU", letter)) return "a vector is not allowed here";
    if (is_written(letter) && operand->vec_is_imm) return "a constant is written to";
    if (operand->reg2 >= 0 && !insn->geometry) return "a pair of registers is not allowed here";
    for (int k = 0; k < operand->nvec; k++) {
        if (operand->vec[k] < 0 && !is_written(letter) && !(operand->vec_is_imm >> k & 1))
            return "'_' is read";
        const char *problem =
            operand->vec[k] < 0 ? NULL
                                : check_register(regs, operand->vec[k], type, packs ? 'D' : letter);
        if (problem) return problem;
    }
    return NULL;
}

static const char *verify_check_memory(const struct ptx_operand *operand,
                                       const struct ptx_reg *regs, char letter) {
    if (letter != 'm') return "an address in brackets is not allowed here";
    if (operand->reg >= 0 && (regs[operand->reg].type == PTX_PRED ||
                              operand_class_of(regs[operand->reg].type) == CLASS_128))
        return "the address register has the wrong size";
    return NULL;
}

static const char *check_plain_register(const struct ptx_insn *insn,
                                        const struct ptx_operand *operand,
                                        const struct ptx_reg *regs, int i) {
    char letter = ptx_operand_letter(insn, i);
    if (strchr("mlt", letter)) return "a register is not allowed here";
    if (insn->vector > 1 && strchr("EeDs", letter)) return "a vector expected";
    if (strchr("Ff", letter) && ptx_fragment_registers(insn, i) > 1) return "a fragment expected";
    if (operand->neg && (is_written(letter) || ptx_operand_type(insn, i) != PTX_PRED))
        return "'!' is not allowed here";
    return check_register(regs, operand->reg, ptx_operand_type(insn, i), letter);
}

/* Checks "_", which may replace atom's result or one half of a pair. */
static const char *check_sink(const struct ptx_insn *insn, const struct ptx_operand *operand,
                              char letter) {
    if (!is_written(letter)) return "'_' is read";
    return insn->op == PTX_ATOM || operand->reg2 >= 0 ? NULL : "'_' is not allowed here";
}

static const char *check_operand(const struct ptx_insn *insn, const struct ptx_reg *regs, int i) {
    const struct ptx_operand *operand = &insn->operand[i];
    char letter = ptx_operand_letter(insn, i);
    if (operand->reg2 >= 0 &&
        (i > 0 || !is_written(letter) || regs[operand->reg2].type != PTX_PRED))
        return "a pair of registers is not allowed here";
    switch (operand->kind) {
    case PTX_OPERAND_REG: return check_plain_register(insn, operand, regs, i);
    case PTX_OPERAND_SINK: return check_sink(insn, operand, letter);
    case PTX_OPERAND_VECTOR: return check_vector(insn, operand, regs, i);
    case PTX_OPERAND_MEMORY: return verify_check_memory(operand, regs, letter);
    case PTX_OPERAND_LABEL: return letter == 'l' || letter == 't' ? NULL : "unknown symbol";
    case PTX_OPERAND_IMM:
        if (is_written(letter) || strchr("mlt", letter)) return "a constant is not allowed here";
        return NULL;
    default:
        if (is_written(letter) || strchr("mltpx", letter)) return "a symbol is not allowed here";
        return NULL;
    }
}

/* Is the count of operands at least that before '?', and at most that of all? */
static bool count_fits(const struct ptx_insn *insn) {
    const char *letters = ptx_operand_letters(insn), *optional = strchr(letters, '?');
    int all = (int)strlen(letters) - (optional != NULL);
    int least = optional ? (int)(optional - letters) : all;
    return insn->noperands >= least && insn->noperands <= all;
}

/* ---- Textures and surfaces ---- */

int ptx_coordinates(uint8_t geometry) {
    static const int counts[] = {[PTX_1D] = 1,  [PTX_2D] = 2,   [PTX_3D] = 3,   [PTX_A1D] = 2,
                                 [PTX_A2D] = 3, [PTX_CUBE] = 3, [PTX_ACUBE] = 4};
    return counts[geometry];
}

/* Are there at least so many coordinates? Compilers fill up to 2 or 4. */
static bool has_coordinates(const struct ptx_operand *operand, int count) {
    return operand->kind == PTX_OPERAND_VECTOR ? operand->nvec >= count : count == 1;
}

/* Checks what tex, tld4, suld, sust and sured need beyond their operands' kinds. */
static const char *check_texture(const struct ptx_insn *insn) {
    bool fetches = insn->op == PTX_TEX || insn->op == PTX_TLD4;
    int object = insn->op == PTX_SUST || insn->op == PTX_SURED ? 0 : 1,
        layered = insn->geometry >= PTX_A1D;
    int gradients = ptx_coordinates(insn->geometry) - (layered && insn->geometry != PTX_CUBE);
    if (insn->operand[object].reg < 0)
        return "a texture or surface reference, which CUDA 12 has no more";
    if (!has_coordinates(&insn->operand[object + 1], ptx_coordinates(insn->geometry)))
        return "too few coordinates";
    if (!fetches) return NULL;
    if (insn->vector != 4 || ptx_type_size(insn->type) != 4 || ptx_type_size(insn->type2) != 4)
        return "textures give 4 values of 32 bits";
    if (insn->noperands != 3 + (insn->lod == PTX_LOD_LEVEL) + 2 * (insn->lod == PTX_LOD_GRAD))
        return "an offset or a depth to compare with";
    for (int i = 3; i < insn->noperands; i++)
        if (!has_coordinates(&insn->operand[i], insn->lod == PTX_LOD_GRAD ? gradients : 1))
            return "too few coordinates";
    return NULL;
}

const char *ptx_check(const struct ptx_insn *insn, const struct ptx_reg *regs) {
    if (!count_fits(insn)) return "wrong number of operands";
    const char *matrix = ptx_matrix_problem(insn);
    if (matrix) return matrix;
    for (int i = 0; i < insn->noperands; i++) {
        const char *problem = check_operand(insn, regs, i);
        if (problem) return problem;
    }
    return insn->geometry ? check_texture(insn) : NULL;
}
