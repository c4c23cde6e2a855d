/* ptx/type.c: PTX's types, and an instruction's spelling. */
#include "ptx.h"
#include "table.h"

#include <stdio.h>

unsigned ptx_type_size(enum ptx_type type) {
    switch (type) {
    case PTX_B8:
    case PTX_U8:
    case PTX_S8: return 1;
    case PTX_B16:
    case PTX_U16:
    case PTX_S16:
    case PTX_F16:
    case PTX_BF16:
    case PTX_E4M3X2:
    case PTX_E5M2X2: return 2;
    case PTX_B32:
    case PTX_U32:
    case PTX_S32:
    case PTX_F32:
    case PTX_TF32:
    case PTX_U16X2:
    case PTX_S16X2:
    case PTX_F16X2:
    case PTX_BF16X2: return 4;
    case PTX_B64:
    case PTX_U64:
    case PTX_S64:
    case PTX_F64: return 8;
    case PTX_B128: return 16;
    default: return 0;
    }
}

enum ptx_type ptx_wide_type(enum ptx_type type) {
    switch (type) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return type;
    }
}

enum ptx_type ptx_part_type(enum ptx_type type, int parts) {
    unsigned size = ptx_type_size(type);
    if (parts < 1 || size % (unsigned)parts != 0) return PTX_TYPE_NONE;
    switch (size / (unsigned)parts) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 4: return PTX_B32;
    case 8: return PTX_B64;
    default: return PTX_TYPE_NONE;
    }
}

char *ptx_spell(const struct ptx_insn *insn, char *buffer, size_t size) {
    snprintf(buffer, size, "%.*s", (int)insn->spelling_length, insn->spelling);
    return buffer;
}
