/* image/machine_code.c: instructions, and the line table (DWARF 2's, section 6.2 of its
 * standard). */
#include "machine_code.h"

#include "elf.h"
#include "lib/arena.h"

#include <stdio.h>
#include <string.h>

#define INSN_BYTES   16
#define LINE_SECTION ".nv_debug_line_sass"

/* ---- Instructions ---- */

#define OPCODE_MASK 0x1FF /* the form of the operands stands above */
#define LDL         0x183
#define STL         0x187
#define POPC        0x109
#define UPOPC       0x0bf
#define REDUX       0x1c4
#define TEX         0x160
#define TLD4        0x163
#define TLD         0x166
#define TXD         0x16c
#define SULD        0x199
#define SUST        0x19d
#define SURED       0x19f
#define FMUL        0x020
#define FADD        0x021
#define FFMA        0x023
#define IMAD_WIDE   0x025
#define IMAD_HI     0x027
#define SHFL        0x189
#define S2R         0x119
#define SR_TID_X    0x21 /* .y and .z follow */
#define BRA         0x147
#define BRX         0x149
#define JMP         0x14a
#define BSYNC       0x141
#define BREAK       0x142
#define BSSY        0x145
#define WARPSYNC    0x148
#define BMOV_OUT    0x155
#define BMOV_IN     0x156
#define VIADD       0x036 /* ptxas takes it and IADD3 in turn, as they use different lanes */
#define HFMA2_MMA   0x035
#define VIADD_I     0x836 /* with an immediate */
#define IADD3_I     0x810

struct opcode {
    uint16_t code;
    uint8_t kind;
};

/* HADD2, HFMA2 and HMUL2 (0x030 to 0x032) have half the lanes of FFMA, as IMAD has. */
static const struct opcode OPCODES[] = {
    {0x020, MACHINE_FMA},      {0x021, MACHINE_FMA},     {0x023, MACHINE_FMA},
    {0x030, MACHINE_IMAD},     {0x031, MACHINE_IMAD},    {0x032, MACHINE_IMAD},
    {0x034, MACHINE_FMA},      {0x024, MACHINE_IMAD},    {0x025, MACHINE_IMAD},
    {0x026, MACHINE_IMAD},     {0x027, MACHINE_IMAD},    {0x028, MACHINE_FP64},
    {0x029, MACHINE_FP64},     {0x02a, MACHINE_FP64},    {0x02b, MACHINE_FP64},
    {0x100, MACHINE_SFU},      {0x101, MACHINE_SFU},     {0x102, MACHINE_SFU},
    {0x104, MACHINE_SFU},      {0x105, MACHINE_SFU},     {0x106, MACHINE_SFU},
    {0x107, MACHINE_SFU},      {0x108, MACHINE_SFU},     {0x109, MACHINE_SFU},
    {0x110, MACHINE_SFU},      {0x111, MACHINE_SFU},     {0x112, MACHINE_SFU},
    {0x113, MACHINE_SFU},      {0x180, MACHINE_LOAD},    {0x181, MACHINE_LOAD},
    {0x183, MACHINE_LOAD},     {0x184, MACHINE_LOAD},    {0x18a, MACHINE_LOAD},
    {0x18b, MACHINE_LOAD},     {0x18c, MACHINE_LOAD},    {0x18d, MACHINE_LOAD},
    {0x1a8, MACHINE_LOAD},     {0x1a9, MACHINE_LOAD},    {0x1ae, MACHINE_LOAD},
    {0x185, MACHINE_STORE},    {0x1a2, MACHINE_LOAD},    {0x1a3, MACHINE_LOAD},
    {0x1a4, MACHINE_STORE},    {0x1a6, MACHINE_STORE},   {0x186, MACHINE_STORE},
    {0x187, MACHINE_STORE},    {0x188, MACHINE_STORE},   {0x18e, MACHINE_STORE},
    {0x182, MACHINE_CONSTANT}, {0x189, MACHINE_SHUFFLE}, {0x1a1, MACHINE_SHUFFLE},
    {0x1c4, MACHINE_SHUFFLE},  {0x119, MACHINE_SPECIAL}, {0x1c3, MACHINE_SPECIAL},
    {0x0b9, MACHINE_UNIFORM},  {0x1ac, MACHINE_UNIFORM}, {0x147, MACHINE_BRANCH},
    {0x149, MACHINE_BRANCH},   {0x14a, MACHINE_BRANCH},  {0x145, MACHINE_NOTHING},
    {0x141, MACHINE_BRANCH},   {0x143, MACHINE_CALL},    {0x144, MACHINE_CALL},
    {0x150, MACHINE_RETURN},   {0x14d, MACHINE_EXIT},    {0x11d, MACHINE_BLOCK_BARRIER},
    {0x192, MACHINE_FENCE},    {0x118, MACHINE_NOTHING}, {0x037, MACHINE_TENSOR},
    {0x03c, MACHINE_TENSOR},   {0x03d, MACHINE_TENSOR},  {0x03f, MACHINE_TENSOR},
    {0x03a, MACHINE_SHUFFLE},  {0x03b, MACHINE_LOAD},    {0x044, MACHINE_STORE},
    {0x11a, MACHINE_NOTHING},  {0x148, MACHINE_BRANCH},  {0x146, MACHINE_NOTHING},
    {TEX, MACHINE_LOAD},       {TLD4, MACHINE_LOAD},     {TLD, MACHINE_LOAD},
    {TXD, MACHINE_LOAD},       {SULD, MACHINE_LOAD},     {SUST, MACHINE_STORE},
    {SURED, MACHINE_STORE},    {VIADD, MACHINE_IMAD},    {HFMA2_MMA, MACHINE_IMAD},
};

static uint8_t kind_of_code(uint16_t opcode) {
    uint16_t code = opcode & OPCODE_MASK;
    for (size_t i = 0; i < sizeof OPCODES / sizeof OPCODES[0]; i++)
        if (OPCODES[i].code == code) return OPCODES[i].kind;
    return code >= 0x080 && code < 0x0c0 ? MACHINE_UNIFORM : MACHINE_ALU;
}

static char image_kind_of_code(uint16_t code) {
    bool texture = code == TEX || code == TLD4 || code == TLD || code == TXD;
    bool surface = code == SULD || code == SUST || code == SURED;
    return texture ? 't' : surface ? 's' : 0;
}

/* The offset has 48 bits, in units of 4 bytes; from Hopper on its lowest 8 stand apart. */
static int32_t target_of(uint64_t low, uint64_t high, uint32_t at, int architecture) {
    uint64_t offset = low >> 34 | (high & 0x3FFFF) << 30;
    if (architecture >= 90) offset = offset << 8 | (low >> 16 & 0xFF);
    int64_t signed_offset = (int64_t)(offset << 16) >> 16;
    return (int32_t)(at + 1 + signed_offset * 4 / INSN_BYTES);
}

static enum machine_meets meets_of(uint16_t base) {
    switch (base) {
    case BSSY: return MEETS_BEGIN;
    case BSYNC: return MEETS_WAIT;
    case BREAK: return MEETS_BREAK;
    case WARPSYNC: return MEETS_ALL;
    case BMOV_OUT: return MEETS_SAVE;
    case BMOV_IN: return MEETS_RESTORE;
    default: return MEETS_NOT;
    }
}

static struct machine_insn insn_of(uint64_t low, uint64_t high, uint32_t at,
                                   const struct machine_code *code, int architecture) {
    struct machine_insn insn = {.opcode = low & 0xFFF, .target = -1, .guard = low >> 12 & 7};
    insn.kind = kind_of_code(insn.opcode);
    uint16_t base = insn.opcode & OPCODE_MASK;
    insn.local = base == LDL || base == STL;
    insn.wide = base == IMAD_WIDE || base == IMAD_HI;
    insn.object = image_kind_of_code(base);
    insn.flop = base == FADD ? 'a' : base == FMUL ? 'm' : base == FFMA ? 'f' : 0;
    insn.branches = base == BRA || base == BRX || base == JMP;
    if (insn.opcode == VIADD_I || insn.opcode == IADD3_I) insn.added = (int32_t)(low >> 32);
    insn.grows = (low >> 16 & 0xFF) == (low >> 24 & 0xFF);
    insn.meets = (uint8_t)meets_of(base);
    insn.meeting = low >> 16 & (MACHINE_MEETINGS - 1);
    insn.apart = insn.branches && high >> 27 & 1;
    insn.conditional = insn.apart || (insn.branches && (high >> 23 & 7) != 7);
    insn.combines = base == POPC || base == UPOPC || base == REDUX || base == SHFL;
    uint64_t special = high >> 8 & 0xFF;
    insn.thread = base == S2R && special >= SR_TID_X && special < SR_TID_X + 3;
    insn.stall = high >> 41 & 15;
    insn.result_barrier = high >> 46 & 7;
    insn.source_barrier = high >> 49 & 7;
    insn.waits = high >> 52 & 63;
    unsigned size = high >> 9 & 7;
    if ((insn.kind == MACHINE_LOAD || insn.kind == MACHINE_STORE) && !insn.object) {
        insn.width = size < 4 || size > 6 ? 4 : (uint8_t)(1u << (size - 2));
        insn.offset = (int32_t)((int64_t)low >> 40);
    }
    insn.chooses = base == BRX;
    if ((insn.kind == MACHINE_BRANCH || insn.kind == MACHINE_CALL) && !insn.chooses) {
        insn.target = target_of(low, high, at, architecture);
        if (insn.target < 0 || (uint32_t)insn.target >= code->n) insn.target = -1;
    }
    return insn;
}

/* A call under a predicate whose target goes on to the kernel's end is a jump: before compute
 * capability 9.0 ptxas leaves some loops by CALL.REL.NOINC. A subroutine comes to its return
 * first. */
static bool is_jump(const struct machine_code *code, const struct machine_insn *call) {
    if (call->kind != MACHINE_CALL || call->target < 0 || call->guard == NO_GUARD) return false;
    for (uint32_t i = (uint32_t)call->target; i < code->n; i++) {
        const struct machine_insn *m = &code->insns[i];
        if (m->kind == MACHINE_RETURN) return false;
        if (m->kind == MACHINE_EXIT && m->guard == NO_GUARD) return true;
    }
    return false;
}

static void turn_jumps(struct machine_code *code) {
    for (uint32_t i = 0; i < code->n; i++) {
        struct machine_insn *insn = &code->insns[i];
        if (!is_jump(code, insn)) continue;
        insn->kind = MACHINE_BRANCH;
        insn->branches = true;
    }
}

/* ---- Lines ---- */

struct bytes {
    const uint8_t *at, *end;
};

static uint64_t fixed(struct bytes *in, unsigned n) {
    uint64_t value = 0;
    if ((size_t)(in->end - in->at) < n) {
        in->at = in->end;
        return 0;
    }
    memcpy(&value, in->at, n);
    in->at += n;
    return value;
}

/* LEB128; bits: how many it had. */
static uint64_t leb128(struct bytes *in, unsigned *bits) {
    uint64_t value = 0;
    for (*bits = 0; in->at < in->end;) {
        uint8_t byte = *in->at++;
        if (*bits < 64) value |= (uint64_t)(byte & 127) << *bits;
        *bits += 7;
        if (!(byte & 128)) break;
    }
    return value;
}

static uint64_t unsigned_leb(struct bytes *in) {
    unsigned bits;
    return leb128(in, &bits);
}

static int64_t signed_leb(struct bytes *in) {
    unsigned bits;
    uint64_t value = leb128(in, &bits);
    return bits < 64 && value >> (bits - 1) & 1 ? (int64_t)(value | ~0ull << bits) : (int64_t)value;
}

/* The symbol table and the line section's relocations: which section an address of the table is
 * in. */
struct relocations {
    const struct elf *elf;
    Elf64_Shdr rel, symbols; /* rel: with addends or without, which are 0 here */
};

static uint32_t section_at(const struct relocations *r, uint64_t offset) {
    uint64_t size = r->rel.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t i = 0; i < r->rel.sh_size / size; i++) {
        Elf64_Rel rel; /* Elf64_Rela begins the same */
        memcpy(&rel, r->elf->bytes + r->rel.sh_offset + i * size, sizeof rel);
        if (rel.r_offset != offset) continue;
        Elf64_Sym symbol;
        if (ELF64_R_SYM(rel.r_info) >= r->symbols.sh_size / sizeof symbol) return 0;
        memcpy(&symbol,
               r->elf->bytes + r->symbols.sh_offset + ELF64_R_SYM(rel.r_info) * sizeof symbol,
               sizeof symbol);
        return symbol.st_shndx;
    }
    return 0;
}

struct line_program {
    const struct relocations *relocations;
    struct machine_code *code;
    const uint8_t *section; /* its first byte */
    uint32_t text;          /* the section whose lines are wanted */
    uint8_t unit, range, opcode_base;
    int8_t base;
    uint8_t lengths[255]; /* operands of the standard opcodes */
    /* The machine's registers */
    bool here;
    uint64_t address, from;
    int64_t line, from_line;
};

/* The instructions from the row before up to this one are of the row before. */
static void end_line_row(struct line_program *p) {
    for (uint64_t a = p->from;
         p->here && p->from_line > 0 && a < p->address && a / INSN_BYTES < p->code->n;
         a += INSN_BYTES)
        p->code->insns[a / INSN_BYTES].ptx_line = (uint32_t)p->from_line;
    p->from = p->address;
    p->from_line = p->line;
}

static void restart_line(struct line_program *p) {
    p->here = false;
    p->address = p->from = 0;
    p->line = 1;
    p->from_line = 0;
}

static void read_extended(struct line_program *p, struct bytes *in) {
    uint64_t length = unsigned_leb(in);
    const uint8_t *end = length <= (size_t)(in->end - in->at) ? in->at + length : in->end;
    struct bytes inner = {in->at, end};
    uint64_t opcode = fixed(&inner, 1);
    if (opcode == 1) {
        end_line_row(p);
        restart_line(p);
    } else if (opcode == 2) {
        p->here = section_at(p->relocations, (uint64_t)(inner.at - p->section)) == p->text;
        p->address = p->from = fixed(&inner, 8);
    }
    in->at = end;
}

static void standard(struct line_program *p, struct bytes *in, uint8_t opcode) {
    switch (opcode) {
    case 1: end_line_row(p); break;
    case 2: p->address += unsigned_leb(in) * p->unit; break;
    case 3: p->line += signed_leb(in); break;
    case 8: p->address += (uint64_t)((255 - p->opcode_base) / p->range) * p->unit; break;
    case 9: p->address += fixed(in, 2); break;
    default:
        for (int i = 0; i < p->lengths[opcode]; i++) unsigned_leb(in);
    }
}

static void run_program(struct line_program *p, struct bytes *in) {
    restart_line(p);
    while (in->at < in->end) {
        uint8_t opcode = *in->at++;
        if (opcode >= p->opcode_base) {
            opcode -= p->opcode_base;
            p->address += (uint64_t)(opcode / p->range) * p->unit;
            p->line += p->base + opcode % p->range;
            end_line_row(p);
        } else if (opcode == 0) {
            read_extended(p, in);
        } else {
            standard(p, in, opcode);
        }
    }
}

/* One unit: a header, then the program. */
static void run_unit(struct line_program *p, struct bytes in) {
    uint64_t version = fixed(&in, 2), header = fixed(&in, 4);
    if (header > (size_t)(in.end - in.at)) return;
    struct bytes program = {in.at + header, in.end};
    p->unit = (uint8_t)fixed(&in, 1);
    if (version >= 4) fixed(&in, 1);
    fixed(&in, 1);
    p->base = (int8_t)fixed(&in, 1);
    p->range = (uint8_t)fixed(&in, 1);
    p->opcode_base = (uint8_t)fixed(&in, 1);
    for (int i = 1; i < p->opcode_base; i++) p->lengths[i] = (uint8_t)fixed(&in, 1);
    if (p->range) run_program(p, &program);
}

static bool read_lines(const struct elf *elf, uint32_t text, struct machine_code *code) {
    Elf64_Shdr lines;
    uint32_t index;
    struct relocations relocations = {.elf = elf};
    if (!elf_find(elf, LINE_SECTION, &lines, &index) ||
        (!elf_find(elf, ".rel" LINE_SECTION, &relocations.rel, &index) &&
         !elf_find(elf, ".rela" LINE_SECTION, &relocations.rel, &index)) ||
        !elf_find(elf, ".symtab", &relocations.symbols, &index))
        return false;
    const uint8_t *section = elf->bytes + lines.sh_offset;
    struct bytes in = {section, section + lines.sh_size};
    struct line_program program = {
        .relocations = &relocations, .code = code, .section = section, .text = text};
    while (in.at < in.end) {
        uint64_t length = fixed(&in, 4);
        const uint8_t *end = length <= (size_t)(in.end - in.at) ? in.at + length : in.end;
        run_unit(&program, (struct bytes){in.at, end});
        in.at = end;
    }
    return true;
}

/* A function's tables of jumps have 4 bytes for each case: the instruction's place in the code. */
static void read_cases(const struct elf *elf, const char *text_name, struct machine_code *code,
                       struct arena *arena) {
    size_t size = strlen(text_name) + sizeof ".nv.constant2";
    char *name = arena_alloc(arena, size);
    Elf64_Shdr tables;
    uint32_t index, place;
    snprintf(name, size, ".nv.constant2%s", text_name + strlen(".text"));
    if (!elf_find(elf, name, &tables, &index)) return;
    code->cases = arena_array(arena, tables.sh_size / sizeof place + 1, sizeof *code->cases);
    for (uint64_t at = 0; at + sizeof place <= tables.sh_size; at += sizeof place) {
        memcpy(&place, elf->bytes + tables.sh_offset + at, sizeof place);
        if (place % INSN_BYTES || place / INSN_BYTES >= code->n) continue;
        code->cases[code->ncases++] = place / INSN_BYTES;
    }
}

const struct machine_code *machine_code_read(const struct elf *elf, uint32_t text,
                                             struct arena *arena) {
    Elf64_Shdr header = elf_section(elf, text);
    if (!elf_fits(elf, header.sh_offset, header.sh_size)) return NULL;
    struct machine_code *code = arena_alloc(arena, sizeof *code);
    code->n = (uint32_t)(header.sh_size / INSN_BYTES);
    code->insns = arena_array(arena, code->n + 1, sizeof *code->insns);
    for (uint32_t i = 0; i < code->n; i++) {
        uint64_t words[2];
        memcpy(words, elf->bytes + header.sh_offset + (uint64_t)i * INSN_BYTES, sizeof words);
        code->insns[i] = insn_of(words[0], words[1], i, code, elf->architecture);
    }
    turn_jumps(code);
    read_cases(elf, elf_name(elf, &header), code, arena);
    return read_lines(elf, text, code) ? code : NULL;
}
