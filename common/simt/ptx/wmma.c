/* ptx/wmma.c: the fragments of wmma. */
#include "wmma.h"

#define HALF_REGISTERS 8         /* of a fragment A or B of f16 */
#define REGISTER_BITS  (32 * 32) /* of a register in all lanes */

bool ptx_is_wmma(const struct ptx_insn *insn) {
    return ptx_kind(insn) == PTX_KIND_WMMA;
}

bool wmma_is_transposed(const struct ptx_insn *insn) {
    return insn->shape == PTX_M8N32K16;
}

static enum ptx_fragment other(enum ptx_fragment fragment) {
    return fragment == PTX_FRAGMENT_A   ? PTX_FRAGMENT_B
           : fragment == PTX_FRAGMENT_B ? PTX_FRAGMENT_A
                                        : fragment;
}

/* Rows and columns of the product, as it is computed. */
static struct ptx_dims product_dims(uint8_t shape) {
    struct ptx_dims dims = ptx_shape_dims(shape);
    return shape == PTX_M8N32K16 ? (struct ptx_dims){dims.n, dims.m, dims.k} : dims;
}

/* Rows of one mma. */
static int tile_rows(uint8_t shape) {
    return product_dims(shape).m == 8 ? 8 : 16;
}

/* The tile of wmma's matrix `fragment` with this element type. */
static struct wmma_tile tile_of(const struct ptx_insn *insn, enum ptx_fragment fragment,
                                uint8_t type) {
    struct ptx_dims dims = product_dims(insn->shape);
    struct wmma_tile tile = {.fragment = wmma_is_transposed(insn) ? other(fragment) : fragment,
                             .type = type,
                             .bits = ptx_element_bits(type)};
    int lines = tile.fragment == PTX_FRAGMENT_B ? dims.n : dims.m;
    int along = tile.fragment == PTX_FRAGMENT_C ? dims.n : dims.k;
    int lines_of_mma = tile.fragment == PTX_FRAGMENT_B ? 8 : tile_rows(insn->shape);
    int along_of_mma = tile.fragment == PTX_FRAGMENT_C ? 8 : along;
    tile.parts = lines / lines_of_mma * (along / along_of_mma);
    tile.different = lines * along * (int)tile.bits / (REGISTER_BITS * (tile.bits == 64 ? 2 : 1));
    bool repeats = type == PTX_F16 && tile.fragment != PTX_FRAGMENT_C;
    tile.registers = repeats ? HALF_REGISTERS : tile.different;
    bool columns = (insn->layout == PTX_COL) != wmma_is_transposed(insn);
    tile.along_lines = columns == (tile.fragment == PTX_FRAGMENT_B);
    return tile;
}

struct wmma_tile wmma_moved_tile(const struct ptx_insn *insn) {
    enum ptx_fragment fragment = insn->op == PTX_WMMA_LOAD_A   ? PTX_FRAGMENT_A
                                 : insn->op == PTX_WMMA_LOAD_B ? PTX_FRAGMENT_B
                                                               : PTX_FRAGMENT_C;
    return tile_of(insn, fragment, insn->type);
}

/* As ptx_fragment_place() has it, with the further tiles of mma below (A, C) or beside (B, C). */
struct wmma_place wmma_place(const struct wmma_tile *tile, uint8_t shape, int i) {
    int each = tile->different / tile->parts, part = i / each, rows = tile_rows(shape),
        halves = rows / 8;
    int elements = tile->bits == 64 ? 1 : 32 / (int)tile->bits, chunk = 4 * elements;
    i %= each;
    switch (tile->fragment) {
    case PTX_FRAGMENT_A:
        return (struct wmma_place){rows * part + 8 * (i % halves), i / halves * chunk};
    case PTX_FRAGMENT_B: return (struct wmma_place){8 * part, i * chunk};
    default: break;
    }
    bool below = product_dims(shape).n == 8;
    int row = elements == 2 ? 8 * i : 8 * (i / 2), column = elements == 2 ? 0 : i % 2;
    return (struct wmma_place){row + (below ? rows * part : 0), column + (below ? 0 : 8 * part)};
}

struct ptx_insn wmma_with_types(const struct ptx_insn *insn) {
    struct ptx_insn with = *insn;
    if (with.type3 == PTX_TYPE_NONE) {
        with.type4 = with.type2;
        with.type2 = with.type3 = PTX_F16;
    }
    return with;
}

int wmma_registers(const struct ptx_insn *insn, int i) {
    static const enum ptx_fragment FRAGMENTS[] = {PTX_FRAGMENT_C, PTX_FRAGMENT_A, PTX_FRAGMENT_B,
                                                  PTX_FRAGMENT_C};
    if (insn->op != PTX_WMMA_MMA) return wmma_moved_tile(insn).registers;
    struct ptx_insn with = wmma_with_types(insn);
    return tile_of(insn, FRAGMENTS[i], ptx_fragment_type(&with, (enum ptx_fragment)i)).registers;
}

/* ---- What PTX has ---- */

static bool shape_is(uint8_t shape, uint8_t type) {
    switch ((enum ptx_type)type) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_S8:
    case PTX_U8: return shape == PTX_M16N16K16 || shape == PTX_M32N8K16 || shape == PTX_M8N32K16;
    case PTX_TF32: return shape == PTX_M16N16K8;
    case PTX_F64: return shape == PTX_M8N8K4;
    case PTX_S4:
    case PTX_U4: return shape == PTX_M8N8K32;
    case PTX_B1: return shape == PTX_M8N8K128;
    default: return false;
    }
}

static const char *move_problem(const struct ptx_insn *insn) {
    struct ptx_dims dims = ptx_shape_dims(insn->shape);
    struct wmma_tile tile = wmma_moved_tile(insn);
    bool sums = tile.fragment == PTX_FRAGMENT_C, known = dims.n > 0 && dims.k > 0 && insn->layout;
    if (sums)
        known = known && (insn->type == PTX_F16 || insn->type == PTX_F32 || insn->type == PTX_S32 ||
                          insn->type == PTX_F64);
    if (!known || (!sums && !shape_is(insn->shape, insn->type)))
        return "no wmma has this shape and this type";
    return tile.bits < 8 && !tile.along_lines ? "the matrix must be in the other order" : NULL;
}

static const char *product_problem(const struct ptx_insn *insn) {
    struct ptx_insn with = wmma_with_types(insn);
    bool sums = with.type2 == PTX_F16 ? (with.type == PTX_F16 || with.type == PTX_F32) &&
                                            (with.type4 == PTX_F16 || with.type4 == PTX_F32)
                                      : with.type == with.type4;
    if (with.type2 != with.type3 || !sums || !shape_is(insn->shape, with.type2) || !insn->layout2)
        return "no wmma has this shape and these types";
    if ((with.type2 == PTX_B1) != (insn->boolop != PTX_BOOL_NONE))
        return ".and.popc and .xor.popc are for .b1";
    return NULL;
}

const char *wmma_problem(const struct ptx_insn *insn) {
    return insn->op == PTX_WMMA_MMA ? product_problem(insn) : move_problem(insn);
}
