/* image/elf_probe.c: reads the section table of an executable; every offset is checked against the
 * file's size. */
#include "elf_probe.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME_PREFIX "libcudart.so."
#define NVRTC_PREFIX   "libnvrtc.so."
#define DRIVER_LIBRARY "libcuda.so.1"
#define FATBIN_SECTION ".nv_fatbin"
#define LINKED_SECTION "__nv_relfatbin" /* objects compiled with nvcc -rdc=true */

struct file {
    const char *bytes;
    size_t size;
};

/* size bytes at offset, or NULL where the file is too short. */
static const void *file_at(const struct file *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

/* The same for a table of structures, which the format aligns. */
static const void *table_at(const struct file *file, uint64_t offset, uint64_t size) {
    return offset % _Alignof(Elf64_Shdr) ? NULL : file_at(file, offset, size);
}

/* The string at index of a string section, or "". */
static const char *string_at(const struct file *file, const Elf64_Shdr *strings, uint64_t index) {
    const char *text = index < strings->sh_size
                           ? file_at(file, strings->sh_offset + index, strings->sh_size - index)
                           : NULL;
    return text && memchr(text, 0, strings->sh_size - index) ? text : "";
}

/* The section table, its length in *n; NULL where there is none. */
static const Elf64_Shdr *sections_of(const struct file *file, const Elf64_Ehdr *header,
                                     unsigned *n) {
    *n = header->e_shentsize == sizeof(Elf64_Shdr) ? header->e_shnum : 0;
    return *n && header->e_shstrndx < *n
               ? table_at(file, header->e_shoff, (uint64_t)*n * sizeof(Elf64_Shdr))
               : NULL;
}

/* Call visit with each needed library that a .dynamic section lists. */
static void visit_needed(const struct file *file, const Elf64_Shdr *dynamic,
                         const Elf64_Shdr *strings, const struct elf_visitor *visitor) {
    const Elf64_Dyn *entries = table_at(file, dynamic->sh_offset, dynamic->sh_size);
    for (size_t i = 0; entries && i < dynamic->sh_size / sizeof *entries; i++)
        if (entries[i].d_tag == DT_NEEDED)
            visitor->needed(string_at(file, strings, entries[i].d_un.d_val), visitor->context);
}

/* The same with the symbols of a .dynsym section. */
static void visit_symbols(const struct file *file, const Elf64_Shdr *symbols,
                          const Elf64_Shdr *strings, const struct elf_visitor *visitor) {
    const Elf64_Sym *table = table_at(file, symbols->sh_offset, symbols->sh_size);
    for (size_t i = 0; table && i < symbols->sh_size / sizeof *table; i++) {
        void (*visit)(const char *, void *) =
            table[i].st_shndx == SHN_UNDEF ? visitor->import : visitor->export;
        if (visit) visit(string_at(file, strings, table[i].st_name), visitor->context);
    }
}

/* The same with the functions of a .symtab section. base: what their addresses are relative to in
 * the file. */
static void visit_functions(const struct file *file, const Elf64_Shdr *symbols,
                            const Elf64_Shdr *strings, uint64_t base,
                            const struct elf_visitor *visitor) {
    const Elf64_Sym *table = table_at(file, symbols->sh_offset, symbols->sh_size);
    for (size_t i = 0; table && i < symbols->sh_size / sizeof *table; i++)
        if (ELF64_ST_TYPE(table[i].st_info) == STT_FUNC && table[i].st_shndx != SHN_UNDEF)
            visitor->function(string_at(file, strings, table[i].st_name), table[i].st_value - base,
                              table[i].st_size, visitor->context);
}

/* The address at which the file's first segment is to be loaded: 0 where it may be anywhere. */
static uint64_t load_address(const struct file *file, const Elf64_Ehdr *header) {
    uint64_t size = (uint64_t)header->e_phnum * sizeof(Elf64_Phdr);
    const Elf64_Phdr *segments =
        header->e_phentsize == sizeof *segments ? table_at(file, header->e_phoff, size) : NULL;
    for (unsigned i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD) return segments[i].p_vaddr;
    return 0;
}

static void visit_section(const struct file *file, const Elf64_Shdr *section, const char *name,
                          const struct elf_visitor *visitor) {
    bool linked = !strcmp(name, LINKED_SECTION);
    if (!visitor->device_code || (!linked && strcmp(name, FATBIN_SECTION) != 0)) return;
    const uint8_t *bytes = file_at(file, section->sh_offset, section->sh_size);
    visitor->device_code(bytes, bytes ? section->sh_size : 0, linked, visitor->context);
}

static bool visit_bytes(const struct file *file, const struct elf_visitor *visitor) {
    unsigned n;
    const Elf64_Ehdr *header = file_at(file, 0, sizeof *header);
    bool is_elf = header && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
                  header->e_ident[EI_CLASS] == ELFCLASS64;
    const Elf64_Shdr *sections = is_elf ? sections_of(file, header, &n) : NULL;
    if (!sections) return false;
    for (unsigned i = 0; i < n; i++) {
        const Elf64_Shdr *strings = sections[i].sh_link < n ? &sections[sections[i].sh_link] : NULL;
        visit_section(file, &sections[i],
                      string_at(file, &sections[header->e_shstrndx], sections[i].sh_name), visitor);
        if (sections[i].sh_type == SHT_DYNAMIC && strings && visitor->needed)
            visit_needed(file, &sections[i], strings, visitor);
        if (sections[i].sh_type == SHT_SYMTAB && strings && visitor->function)
            visit_functions(file, &sections[i], strings, load_address(file, header), visitor);
        if (sections[i].sh_type == SHT_DYNSYM && strings)
            visit_symbols(file, &sections[i], strings, visitor);
    }
    return true;
}

bool elf_visit(const char *path, const struct elf_visitor *visitor) {
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct file file = {MAP_FAILED, 0};
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        file.size = (size_t)status.st_size;
        file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
    if (file.bytes == MAP_FAILED) return false;
    bool ok = visit_bytes(&file, visitor);
    munmap((void *)file.bytes, file.size);
    return ok;
}

/* ---- How a program uses CUDA ---- */

bool elf_needs_gpu(const char *library) {
    static const char *const prefixes[] = {
        "libcublas.so.",   "libcublasLt.so.", "libcufft.so.", "libcurand.so.", "libcusparse.so.",
        "libcusolver.so.", "libcudnn.so.",    "libnccl.so.",  "libnpp",        "libnvjpeg.so."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(library, prefixes[i], strlen(prefixes[i]))) return true;
    return false;
}

bool elf_is_runtime_function(const char *name) {
    return !strncmp(name, "cuda", strlen("cuda")) || !strncmp(name, "__cuda", strlen("__cuda"));
}

bool elf_is_driver_function(const char *name) {
    return !strncmp(name, "cu", 2) && isupper((unsigned char)name[2]);
}

void elf_runtime_path(int major, const char *folder, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/" RUNTIME_PREFIX "%d%s", folder, major, major == 11 ? ".0" : "");
}

static void probe_needed(const char *name, void *context) {
    struct elf_probe *probe = context;
    probe->is_dynamic = true;
    if (!probe->cudart_major && !strncmp(name, RUNTIME_PREFIX, strlen(RUNTIME_PREFIX)))
        probe->cudart_major = atoi(name + strlen(RUNTIME_PREFIX));
    probe->uses_nvrtc |= !strncmp(name, NVRTC_PREFIX, strlen(NVRTC_PREFIX));
    probe->uses_driver |= !strcmp(name, DRIVER_LIBRARY);
    if (!*probe->gpu_library && elf_needs_gpu(name))
        snprintf(probe->gpu_library, sizeof probe->gpu_library, "%s", name);
}

static bool tells_time(const char *function) {
    static const char *const names[] = {"gettimeofday",
                                        "clock_gettime",
                                        "clock",
                                        "ftime",
                                        "times",
                                        "timespec_get",
                                        "_ZNSt6chrono3_V212system_clock3nowEv",
                                        "_ZNSt6chrono3_V212steady_clock3nowEv",
                                        "omp_get_wtime"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(function, names[i])) return true;
    return false;
}

/* The static runtime itself calls two of them: of a program that has it, those tell nothing. */
static void probe_import(const char *name, void *context) {
    struct elf_probe *probe = context;
    bool may_be_runtime = !strcmp(name, "gettimeofday") || !strcmp(name, "clock_gettime");
    if (tells_time(name)) *(may_be_runtime ? &probe->may_read_clock : &probe->reads_clock) = true;
}

/* A library that gives the runtime to others is no program with it. */
static void probe_export(const char *name, void *context) {
    struct elf_probe *probe = context;
    probe->is_runtime |= !strcmp(name, "cudaGetDeviceProperties");
}

/* The static runtime has all functions of its version, called or not: CUDA 12 took some away and
 * gave some another shape, 13 gave those their old names back. */
static void probe_function(const char *name, uint64_t address, uint64_t size, void *context) {
    struct elf_probe *probe = context;
    int major = !strcmp(name, "cudaBindTexture")              ? 11
                : !strcmp(name, "cudaGetDeviceProperties_v2") ? 12
                : !strcmp(name, "cudaGetDeviceProperties")    ? 13
                                                              : 0;
    (void)address, (void)size;
    if (major && (!probe->static_major || major < probe->static_major)) probe->static_major = major;
}

static void probe_device_code(const uint8_t *bytes, size_t size, bool linked, void *context) {
    struct elf_probe *probe = context;
    (void)bytes, (void)size, (void)linked;
    probe->has_device_code = true;
}

bool elf_probe(const char *path, struct elf_probe *probe) {
    *probe = (struct elf_probe){0};
    const struct elf_visitor visitor = {.needed = probe_needed,
                                        .import = probe_import,
                                        .export = probe_export,
                                        .device_code = probe_device_code,
                                        .function = probe_function,
                                        .context = probe};
    bool ok = elf_visit(path, &visitor);
    if (probe->is_runtime) probe->static_major = 0;
    probe->reads_clock |= probe->may_read_clock && !probe->static_major;
    return ok;
}
