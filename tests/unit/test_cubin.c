/* Tests of the machine-code reader, on an ELF file made here as ptxas lays it out, and on damaged
 * ones. */

#include <elf.h>

#include "damage.h"
#include "simt/image/cubin.h"
#include "unit.h"

/* Sections: none, names, two kernels' code, the first one's shared memory, attributes, and one only
 * newer files have.
 */
enum { NAMES = 1, FIRST, SECOND, SHARED, INFO, RESERVED, SECTIONS };

struct file {
    Elf64_Ehdr header;
    Elf64_Shdr sections[SECTIONS];
    char names[128];
    uint8_t info[16];
};

static char error[256];

static void name_section(struct file *file, int i, size_t *at, const char *name) {
    assert_true(*at + strlen(name) + 1 <= sizeof file->names);
    strcpy(file->names + *at, name);
    file->sections[i].sh_name = (Elf64_Word)*at;
    *at += strlen(name) + 1;
}

static struct file good_file(void) {
    struct file file = {0};
    size_t at = 1;
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_ident[EI_CLASS] = ELFCLASS64;
    file.header.e_shoff = offsetof(struct file, sections);
    file.header.e_shentsize = sizeof(Elf64_Shdr);
    file.header.e_shnum = SECTIONS;
    file.header.e_shstrndx = NAMES;
    name_section(&file, NAMES, &at, ".shstrtab");
    file.sections[NAMES].sh_offset = offsetof(struct file, names);
    file.sections[NAMES].sh_size = sizeof file.names;
    name_section(&file, FIRST, &at, ".text._Z1kPi");
    file.sections[FIRST].sh_info = 24u << 24 | 7;
    file.sections[FIRST].sh_size = 384;
    name_section(&file, SECOND, &at, ".text.other");
    file.sections[SECOND].sh_info = 9;
    name_section(&file, SHARED, &at, ".nv.shared._Z1kPi");
    file.sections[SHARED].sh_size = 2048;
    static const uint8_t info[16] = {3, 0x1B, 0xFF, 0, 4, 0x2F, 8, 0, 9, 0, 0, 0, 255, 0, 0, 0};
    name_section(&file, INFO, &at, ".nv.info");
    memcpy(file.info, info, sizeof info);
    file.sections[INFO].sh_offset = offsetof(struct file, info);
    file.sections[INFO].sh_size = sizeof file.info;
    name_section(&file, RESERVED, &at, ".nv.shared.elsewhere");
    return file;
}

TEST(reads_registers_and_shared_memory) {
    struct file file = good_file();
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    assert_non_null(cubin);
    assert_int_equal(cubin->nfunctions, 2);
    assert_int_equal(cubin_find(cubin, "_Z1kPi")->registers, 24);
    assert_int_equal(cubin_find(cubin, "_Z1kPi")->code_bytes, 384);
    assert_int_equal(cubin_find(cubin, "_Z1kPi")->shared_bytes, 2048);
    assert_int_equal(cubin_find(cubin, "other")->registers, 255);
    assert_int_equal(cubin_find(cubin, "other")->shared_bytes, 0);
    assert_null(cubin_find(cubin, "_Z1k"));
    cubin_free(cubin);
}

/* From sm_90 on a kernel's section has the driver's share in it. */
TEST(subtracts_reserved_memory) {
    struct file file = good_file();
    strcpy(file.names + file.sections[RESERVED].sh_name, ".nv.shared.reserved.0");
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    assert_non_null(cubin);
    assert_int_equal(cubin_find(cubin, "_Z1kPi")->shared_bytes, 1024);
    cubin_free(cubin);
}

static void refuses(const struct file *file, size_t size, const char *says) {
    assert_null(cubin_read(file, size, error, sizeof error));
    if (!strstr(error, says)) fail_msg("'%s' does not say '%s'", error, says);
}

TEST(refuses_damage) {
    struct file file = good_file();
    refuses(&file, 10, "too short");
    refuses(&file, sizeof(Elf64_Ehdr) + 10, "section headers");
    refuses(&file, offsetof(struct file, names) + 1, "section names");
    file.header.e_shoff = UINT64_MAX - 3;
    refuses(&file, sizeof file, "section headers");
    file = good_file();
    file.header.e_shstrndx = SECTIONS;
    refuses(&file, sizeof file, "section names");
    file = good_file();
    file.header.e_ident[0] = 'X';
    refuses(&file, sizeof file, "no 64-bit ELF");
}

TEST(ignores_names_outside) {
    struct file file = good_file();
    file.sections[SECOND].sh_name = UINT32_MAX;
    memset(file.names + file.sections[RESERVED].sh_name, 'x',
           sizeof file.names - file.sections[RESERVED].sh_name);
    file.sections[INFO].sh_size = UINT64_MAX;
    struct cubin *cubin = cubin_read(&file, sizeof file, error, sizeof error);
    assert_non_null(cubin);
    assert_int_equal(cubin->nfunctions, 1);
    cubin_free(cubin);
}

TEST(survives_random_damage) {
    for (int i = 0; i < 20000; i++) {
        struct file *file =
            malloc(sizeof *file); /* on the heap, so that a sanitizer sees reads beyond the end */
        *file = good_file();
        damage_bytes(file, sizeof *file);
        cubin_free(cubin_read(file, sizeof *file, error, sizeof error));
        free(file);
    }
}
