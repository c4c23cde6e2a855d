/* Tests of the look into executables: what a program says of its use of CUDA, and files that are
 * cut off, damaged or something else. */
#include <unistd.h>

#include <elf.h>

#include "simt/image/elf_probe.h"
#include "unit.h"

static char path[] = "/tmp/test_elf_probe.XXXXXX";

/* A whole ELF file with sections for names, for dynamic strings, for what is needed, and for device
 * code. */
struct sample {
    Elf64_Ehdr header;
    Elf64_Shdr sections[5];
    Elf64_Dyn needed[2];
    char names[64], strings[64];
};

static Elf64_Shdr section(uint32_t name, uint32_t type, uint32_t link, size_t offset, size_t size) {
    return (Elf64_Shdr){
        .sh_name = name, .sh_type = type, .sh_link = link, .sh_offset = offset, .sh_size = size};
}

static struct sample make_sample(const char *library) {
    struct sample s = {.header = {.e_shoff = offsetof(struct sample, sections),
                                  .e_shentsize = sizeof(Elf64_Shdr),
                                  .e_shnum = 5,
                                  .e_shstrndx = 1},
                       .needed = {{.d_tag = DT_NEEDED, .d_un.d_val = 1}, {.d_tag = DT_NULL}},
                       .names = "\0.dynamic\0.nv_fatbin"};
    memcpy(s.header.e_ident, ELFMAG, SELFMAG);
    s.header.e_ident[EI_CLASS] = ELFCLASS64;
    snprintf(s.strings + 1, sizeof s.strings - 1, "%s", library);
    s.sections[1] = section(0, SHT_STRTAB, 0, offsetof(struct sample, names), sizeof s.names);
    s.sections[2] = section(0, SHT_STRTAB, 0, offsetof(struct sample, strings), sizeof s.strings);
    s.sections[3] = section(1, SHT_DYNAMIC, 2, offsetof(struct sample, needed), sizeof s.needed);
    s.sections[4] = section(10, SHT_PROGBITS, 0, 0, 0);
    return s;
}

static bool probe(const void *bytes, size_t size, struct elf_probe *found) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return elf_probe(path, found);
}

TEST(tells_the_runtime_and_the_device_code) {
    struct elf_probe found;
    struct sample s = make_sample("libcudart.so.13");
    assert_true(probe(&s, sizeof s, &found));
    assert_int_equal(found.cudart_major, 13);
    assert_true(found.has_device_code);
    s = make_sample("libcudart.so.11.0");
    assert_true(probe(&s, sizeof s, &found));
    assert_int_equal(found.cudart_major, 11);
    s = make_sample("libc.so.6");
    s.names[10] = 'x';
    assert_true(probe(&s, sizeof s, &found));
    assert_int_equal(found.cudart_major, 0);
    assert_false(found.has_device_code);
}

TEST(tells_the_library_that_needs_a_gpu) {
    struct elf_probe found;
    struct sample s = make_sample("libcublas.so.13");
    assert_true(probe(&s, sizeof s, &found));
    assert_string_equal(found.gpu_library, "libcublas.so.13");
    assert_int_equal(found.cudart_major, 0);
    s = make_sample("libcuda.so.1");
    assert_true(probe(&s, sizeof s, &found));
    assert_string_equal(found.gpu_library, "");
    assert_true(found.uses_driver);
    s = make_sample("libcudart.so.13");
    assert_true(probe(&s, sizeof s, &found));
    assert_string_equal(found.gpu_library, "");
}

TEST(this_test_is_no_cuda_program) {
    struct elf_probe found;
    assert_true(elf_probe("/proc/self/exe", &found));
    assert_int_equal(found.cudart_major, 0);
    assert_false(found.has_device_code);
}

TEST(other_files_are_refused) {
    static const char script[] = "#!/bin/sh\necho libcudart.so.13\n";
    struct elf_probe found;
    assert_false(probe(script, sizeof script, &found));
    assert_false(probe("", 0, &found));
    assert_false(elf_probe("/nonexistent", &found));
    assert_false(elf_probe("/tmp", &found));
}

/* Whatever is cut off or overwritten, nothing outside the file is read: the sanitizers watch. */
TEST(damaged_files_are_survived) {
    struct elf_probe found;
    struct sample s = make_sample("libcudart.so.13");
    for (size_t size = 0; size < sizeof s; size++) probe(&s, size, &found);
    for (size_t at = 0; at < sizeof s; at += 2) {
        struct sample damaged = s;
        memset((char *)&damaged + at, 0xff, 2);
        probe(&damaged, sizeof damaged, &found);
    }
}

int before_all(void **state) {
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

int after_all(void **state) {
    (void)state;
    return unlink(path);
}
