/* ptx/matrix.c: which matrices PTX can multiply, and which lane holds which element. */
#include "matrix.h"

static const struct ptx_dims SHAPES[PTX_SHAPE_COUNT] = {
    [PTX_M8N8] = {8, 8, 0},       [PTX_M8N8K4] = {8, 8, 4},       [PTX_M8N8K16] = {8, 8, 16},
    [PTX_M8N8K32] = {8, 8, 32},   [PTX_M8N8K128] = {8, 8, 128},   [PTX_M16N8K4] = {16, 8, 4},
    [PTX_M16N8K8] = {16, 8, 8},   [PTX_M16N8K16] = {16, 8, 16},   [PTX_M16N8K32] = {16, 8, 32},
    [PTX_M16N8K64] = {16, 8, 64}, [PTX_M16N8K128] = {16, 8, 128}, [PTX_M16N8K256] = {16, 8, 256},
    [PTX_M16N16K8] = {16, 16, 8}, [PTX_M16N16K16] = {16, 16, 16}, [PTX_M32N8K16] = {32, 8, 16},
    [PTX_M8N32K16] = {8, 32, 16},
};

struct ptx_dims ptx_shape_dims(uint8_t shape) {
    return SHAPES[shape];
}

unsigned ptx_element_bits(uint8_t type) {
    switch ((enum ptx_type)type) {
    case PTX_B1: return 1;
    case PTX_S4:
    case PTX_U4: return 4;
    case PTX_S8:
    case PTX_U8:
    case PTX_E4M3:
    case PTX_E5M2: return 8;
    case PTX_F16:
    case PTX_BF16:
    case PTX_B16: return 16;
    case PTX_TF32:
    case PTX_F32:
    case PTX_S32: return 32;
    case PTX_F64: return 64;
    default: return 0;
    }
}

bool ptx_is_quarter_mma(const struct ptx_insn *insn) {
    return insn->shape == PTX_M8N8K4 && insn->type2 == PTX_F16;
}

uint8_t ptx_fragment_type(const struct ptx_insn *insn, enum ptx_fragment fragment) {
    const uint8_t types[] = {insn->type, insn->type2, insn->type3, insn->type4};
    return types[fragment];
}

/* ---- Counting registers ---- */

/* Four lanes hold a row, or a column of B: 128 bits of it in each of their 32-bit registers. */
static int mma_registers(const struct ptx_insn *insn, enum ptx_fragment fragment) {
    struct ptx_dims dims = SHAPES[insn->shape];
    unsigned bits = ptx_element_bits(ptx_fragment_type(insn, fragment));
    if (ptx_is_quarter_mma(insn))
        return fragment == PTX_FRAGMENT_A || fragment == PTX_FRAGMENT_B ? 2 : bits == 16 ? 4 : 8;
    unsigned length = fragment == PTX_FRAGMENT_A || fragment == PTX_FRAGMENT_B ? dims.k : dims.n;
    unsigned rows = fragment == PTX_FRAGMENT_B ? 8 : dims.m;
    unsigned registers = length * rows * bits / (bits == 64 ? 64 * 32 : 32 * 32);
    return (int)registers;
}

/* Operand of mma -> fragment: their orders agree. */
int ptx_fragment_registers(const struct ptx_insn *insn, int i) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_LDMATRIX:
    case PTX_STMATRIX: return insn->vector;
    case PTX_MMA: return mma_registers(insn, (enum ptx_fragment)i);
    default: return ptx_is_wmma(insn) ? wmma_registers(insn, i) : 1;
    }
}

/* ---- What PTX has ---- */

bool ptx_matrix_complete(const struct ptx_insn *insn) {
    bool types = insn->op != PTX_MMA || insn->type4 != PTX_TYPE_NONE;
    return insn->shape != PTX_SHAPE_NONE && types;
}

static bool are(uint8_t a, uint8_t b, enum ptx_type one, enum ptx_type other) {
    return (a == one || a == other) && (b == one || b == other);
}

/* Types of a and b that go together. */
static bool factors_fit(uint8_t a, uint8_t b) {
    bool mixed =
        are(a, b, PTX_S8, PTX_U8) || are(a, b, PTX_S4, PTX_U4) || are(a, b, PTX_E4M3, PTX_E5M2);
    bool same =
        a == b && (a == PTX_F16 || a == PTX_BF16 || a == PTX_TF32 || a == PTX_F64 || a == PTX_B1);
    return mixed || same;
}

/* Sums of integers are s32, of doubles doubles; others are f32, of f16 and of 8-bit floats also
 * f16. */
static bool sums_fit(const struct ptx_insn *insn) {
    uint8_t a = insn->type2, c = insn->type4, d = insn->type;
    if (a == PTX_F64) return c == PTX_F64 && d == PTX_F64;
    if (ptx_is_quarter_mma(insn))
        return are(c, d, PTX_F16, PTX_F32) && (d == PTX_F32 || c == PTX_F16);
    if (a == PTX_F16 || a == PTX_E4M3 || a == PTX_E5M2)
        return c == d && (c == PTX_F16 || c == PTX_F32);
    if (a == PTX_BF16 || a == PTX_TF32) return c == PTX_F32 && d == PTX_F32;
    return c == PTX_S32 && d == PTX_S32;
}

/* A row of A has 128 or 256 bits. Doubles have more, quarter_mma has less. */
static bool shape_fits(const struct ptx_insn *insn) {
    struct ptx_dims dims = SHAPES[insn->shape];
    unsigned bits = dims.k * ptx_element_bits(insn->type2);
    if (dims.n != 8 || dims.m > 16) return false;
    if (insn->type2 == PTX_F64) return dims.m == 16 ? dims.k <= 16 : dims.k == 4;
    if (ptx_is_quarter_mma(insn)) return true;
    return bits == 128 || (dims.m == 16 && bits == 256);
}

static const char *mma_problem(const struct ptx_insn *insn) {
    bool order = insn->layout == PTX_ROW && insn->layout2 == PTX_COL;
    if (!factors_fit(insn->type2, insn->type3) || !sums_fit(insn) || !shape_fits(insn))
        return "no mma has this shape and these types";
    if (!order && (!ptx_is_quarter_mma(insn) || !insn->layout2))
        return "a must be in rows and b in columns";
    if ((insn->type2 == PTX_B1) != (insn->boolop != PTX_BOOL_NONE))
        return ".and.popc and .xor.popc are for .b1";
    return NULL;
}

const char *ptx_matrix_problem(const struct ptx_insn *insn) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_MMA: return mma_problem(insn);
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
        return insn->shape == PTX_M8N8 && insn->type == PTX_B16 ? NULL : "only .m8n8 of .b16";
    case PTX_MOVMATRIX:
        return insn->shape == PTX_M8N8 && insn->type == PTX_B16 && insn->trans
                   ? NULL
                   : "only .m8n8.trans of .b16";
    default: return ptx_is_wmma(insn) ? wmma_problem(insn) : NULL;
    }
}

/* ---- Where elements lie ---- */

/*
 * m8n8k4 of f16: lanes 4 q to 4 q + 3, and those 16 above them, hold matrix q. t is a lane's number
 * among four.
 *
 *             register i, element s                         lower lanes          upper lanes
 *   A row     row t              column 2 i + s             rows 0 to 3          rows 4 to 7
 *   A col     row 2 i + s        column t                   rows 0 to 3          rows 4 to 7
 *   B row     row t              column 2 i + s             columns 0 to 3       columns 4 to 7
 *   B col     row 2 i + s        column t                   columns 0 to 3       columns 4 to 7
 *   C f16     row t              column 2 i + s             rows 0 to 3          rows 4 to 7
 *   C f32     row t % 2 + i & 2  column i & 4 + t & 2 + i & 1   rows 0 to 3      rows 4 to 7
 */
static struct ptx_place quarter_place(const struct ptx_insn *insn, enum ptx_fragment fragment,
                                      unsigned lane, unsigned i) {
    uint16_t t = lane % 4, upper = lane < 16 ? 0 : 4;
    struct ptx_place place = {.matrix = lane / 4 % 4};
    if (fragment == PTX_FRAGMENT_A || fragment == PTX_FRAGMENT_B) {
        uint8_t layout = fragment == PTX_FRAGMENT_A ? insn->layout : insn->layout2;
        place.down = layout == PTX_COL;
        place.row = (uint16_t)(place.down ? 2 * i : t);
        place.column = (uint16_t)(place.down ? t : 2 * i);
        if (fragment == PTX_FRAGMENT_A)
            place.row = (uint16_t)(place.row + upper);
        else
            place.column = (uint16_t)(place.column + upper);
    } else if (ptx_element_bits(ptx_fragment_type(insn, fragment)) == 16) {
        place.row = (uint16_t)(t + upper);
        place.column = (uint16_t)(2 * i);
    } else {
        place.row = (uint16_t)((t & 1) + (i & 2) + upper);
        place.column = (uint16_t)((i & 4) + (t & 2) + (i & 1));
    }
    return place;
}

/*
 * Lane 4 g + t. e: elements in a register.
 *
 *             register i
 *   A         row g + 8 (i % 2), columns (i / 2) 4 e + t e ...
 *             with 8 rows: row g, columns i 4 e + t e ...
 *   B         column g, rows i 4 e + t e ...
 *   C, f16    row g + 8 i, columns 2 t, 2 t + 1
 *   C, other  row g + 8 (i / 2), column 2 t + i % 2
 */
struct ptx_place ptx_fragment_place(const struct ptx_insn *insn, enum ptx_fragment fragment,
                                    unsigned lane, unsigned i) {
    if (ptx_is_quarter_mma(insn)) return quarter_place(insn, fragment, lane, i);
    unsigned g = lane / 4, t = lane % 4, bits = ptx_element_bits(ptx_fragment_type(insn, fragment));
    unsigned e = bits == 64 ? 1 : 32 / bits, halves = SHAPES[insn->shape].m / 8u, row, column;
    switch (fragment) {
    case PTX_FRAGMENT_A:
        row = g + 8 * (i % halves);
        column = i / halves * 4 * e + t * e;
        break;
    case PTX_FRAGMENT_B:
        row = i * 4 * e + t * e;
        column = g;
        break;
    default: row = g + 8 * (e == 2 ? i : i / 2); column = 2 * t + (e == 2 ? 0 : i % 2);
    }
    return (struct ptx_place){
        .row = (uint16_t)row, .column = (uint16_t)column, .down = fragment == PTX_FRAGMENT_B};
}
