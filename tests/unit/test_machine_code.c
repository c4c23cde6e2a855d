/* Tests of the reader of machine instructions, on a file made here as ptxas lays it out, and on
 * damaged ones. */

#include <elf.h>

#include "damage.h"
#include "simt/image/cubin.h"
#include "simt/image/machine_code.h"
#include "unit.h"

enum { NAMES = 1, TEXT, LINES, RELOCATIONS, SYMBOLS, SECTIONS };
enum { INSNS = 4 };

struct file {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    char names[128];
    uint64_t text[INSNS][2];
    uint8_t lines[64];
    Elf64_Rel relocation;
    Elf64_Sym symbols[2];
};

/* Version, length of the header, bytes an instruction, statement, base and range of lines, standard
 * opcodes and their operands, no folders, no files; then: address 0 (relocated), line 40 from the
 * first instruction on, line 42 from the third, end at the fourth's end. */
static const uint8_t PROGRAM[] = {46, 0, 0, 0, 2,  0, 16, 0, 0, 0, 16, 1, 0xFB, 14, 10, 0, 1,
                                  1,  1, 1, 0, 0,  0, 1,  0, 0, 0, 9,  2, 0,    0,  0,  0, 0,
                                  0,  0, 0, 3, 39, 1, 2,  2, 3, 2, 1,  2, 2,    0,  1,  1};

static char error[256];

static void section(struct file *file, int i, size_t *at, const char *name, size_t offset,
                    size_t size) {
    strcpy(file->names + *at, name);
    file->sections[i].sh_name = (Elf64_Word)*at;
    file->sections[i].sh_offset = offset;
    file->sections[i].sh_size = size;
    *at += strlen(name) + 1;
}

static uint64_t control(unsigned stall, unsigned result, unsigned source, unsigned waits) {
    return (uint64_t)(stall | result << 5 | source << 8 | waits << 11) << 41;
}

/* LDS.128, an FFMA that waits for it, a branch back to it if predicate 0 holds, EXIT. */
static struct file good_file(int architecture) {
    struct file file = {0};
    size_t at = 1;
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_ident[EI_ABIVERSION] = 8;
    file.header.e_flags = (Elf64_Word)architecture << 8;
    file.header.e_shoff = offsetof(struct file, sections);
    file.header.e_shentsize = sizeof(Elf64_Shdr);
    file.header.e_shnum = SECTIONS;
    file.header.e_shstrndx = NAMES;
    section(&file, NAMES, &at, ".shstrtab", offsetof(struct file, names), sizeof file.names);
    section(&file, TEXT, &at, ".text.k", offsetof(struct file, text), sizeof file.text);
    section(&file, LINES, &at, ".nv_debug_line_sass", offsetof(struct file, lines), sizeof PROGRAM);
    section(&file, RELOCATIONS, &at, ".rel.nv_debug_line_sass", offsetof(struct file, relocation),
            sizeof file.relocation);
    section(&file, SYMBOLS, &at, ".symtab", offsetof(struct file, symbols), sizeof file.symbols);
    file.sections[RELOCATIONS].sh_type = SHT_REL;
    memcpy(file.lines, PROGRAM, sizeof PROGRAM);
    file.relocation = (Elf64_Rel){.r_offset = 29, .r_info = ELF64_R_INFO(1ull, 2)};
    file.symbols[1].st_shndx = TEXT;
    uint64_t back = (uint64_t)-12; /* in units of 4 bytes, from the instruction after the branch */
    uint64_t target = architecture < 90 ? back << 34 : back >> 8 << 34 | (back & 0xFF) << 16;
    file.text[0][0] = 0x7984;
    file.text[0][1] = 6 << 9 | control(1, 2, 7, 0);
    file.text[1][0] = 0x7223;
    file.text[1][1] = control(4, 7, 7, 1 << 2);
    file.text[2][0] = 0x0947 | target;
    file.text[2][1] = control(5, 7, 7, 0) | 0x3FFFF;
    file.text[3][0] = 0x794d;
    file.text[3][1] = control(5, 7, 7, 0);
    return file;
}

static const struct machine_code *code_of(struct cubin *cubin, const struct file *file) {
    cubin_read_code(cubin, file, sizeof *file);
    return cubin->functions[0].code;
}

static void reads(int architecture) {
    struct file file = good_file(architecture);
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    assert_non_null(cubin);
    const struct machine_code *code = code_of(cubin, &file);
    assert_non_null(code);
    assert_int_equal(code->n, INSNS);
    const struct machine_insn *load = &code->insns[0], *product = &code->insns[1],
                              *branch = &code->insns[2];
    assert_int_equal(load->kind, MACHINE_LOAD);
    assert_int_equal(load->width, 16);
    assert_int_equal(load->result_barrier, 2);
    assert_int_equal(load->source_barrier, NO_MACHINE_BARRIER);
    assert_int_equal(product->kind, MACHINE_FMA);
    assert_int_equal(product->stall, 4);
    assert_int_equal(product->waits, 1 << 2);
    assert_int_equal(branch->kind, MACHINE_BRANCH);
    assert_int_equal(branch->target, 0);
    assert_int_equal(branch->guard, 0);
    assert_int_equal(code->insns[3].kind, MACHINE_EXIT);
    assert_int_equal(load->ptx_line, 40);
    assert_int_equal(product->ptx_line, 40);
    assert_int_equal(branch->ptx_line, 42);
    assert_int_equal(code->insns[3].ptx_line, 42);
    cubin_free(cubin);
}

TEST(reads_what_ptxas_wrote) {
    reads(75);
    reads(90);
}

/* An HFMA2 in the place of the FFMA. */
TEST(halves_have_the_lanes_of_products) {
    struct file file = good_file(90);
    file.text[1][0] = (file.text[1][0] & ~0xFFFull) | 0x231;
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    assert_int_equal(code_of(cubin, &file)->insns[1].kind, MACHINE_IMAD);
    cubin_free(cubin);
}

/* What the third instruction is if it is CALL.REL.NOINC to the first, and the last is `end`. */
static uint8_t kind_of_call(uint64_t end) {
    struct file file = good_file(80);
    file.text[2][0] = (file.text[2][0] & ~0xFFFull) | 0x944;
    file.text[3][0] = end;
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    uint8_t kind = code_of(cubin, &file)->insns[2].kind;
    cubin_free(cubin);
    return kind;
}

TEST(takes_a_call_that_does_not_return_for_a_branch) {
    assert_int_equal(kind_of_call(0x794d), MACHINE_BRANCH);
    assert_int_equal(kind_of_call(0x7950), MACHINE_CALL);
}

TEST(needs_a_table_that_leads_to_the_ptx) {
    struct file file = good_file(75);
    file.names[file.sections[LINES].sh_name] = 'x';
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    assert_null(code_of(cubin, &file));
    cubin_free(cubin);
}

TEST(survives_random_damage) {
    for (int i = 0; i < 20000; i++) {
        struct file *file =
            malloc(sizeof *file); /* on the heap, so that a sanitizer sees reads beyond the end */
        *file = good_file(i % 2 ? 75 : 90);
        damage_bytes(file, sizeof *file);
        struct cubin *cubin = cubin_read(file, sizeof *file, error, sizeof error);
        if (cubin) cubin_read_code(cubin, file, sizeof *file);
        cubin_free(cubin);
        free(file);
    }
}
